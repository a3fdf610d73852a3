import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { PortcullisError, messageOf } from '../base/errors.ts';
import { readConfigured, type Connection } from './connection.ts';
import { checkedToken, tokenFile, type TokenSource } from './token-file.ts';

const text = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));

const Cluster = z.object({
  server: z.url({ protocol: /^https?$/, error: 'expected the URL of an API server' }),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': text,
  'proxy-url': text,
});

const User = z.object({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  username: text,
  exec: z.unknown().optional(),
  'auth-provider': z.unknown().optional(),
});
type User = z.infer<typeof User>;

const named = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.array(z.object({ name: z.string(), ...shape })).default([]);

const Kubeconfig = z.object({
  clusters: named({ cluster: Cluster }),
  users: named({ user: User.nullish().transform((user) => user ?? User.parse({})) }),
  contexts: named({ context: z.object({ cluster: z.string(), user: z.string().default(''), namespace: text }) }),
  'current-context': z.string().default(''),
});
export type Kubeconfig = z.infer<typeof Kubeconfig>;

export interface KubeconfigSource {
  readonly path: string;
  /** The name of the context. Default: the current context of the file. */
  readonly context?: string;
  readonly clock: Clock;
  /** Returns the connection for credentials from a plug-in. Without this function, a kubeconfig with a plug-in is rejected. */
  readonly plugins?: (path: string, context: string) => Promise<Connection>;
}

/** Returns the connection of a context. Rejects with `InvalidConfiguration`, or with `Unauthorized` for an unusable token. */
export async function kubeconfigConnection({ path, context, clock, plugins }: KubeconfigSource): Promise<Connection> {
  const config = await readKubeconfig(path);
  const chosen = context ?? config['current-context'];
  const { cluster, user } = select(config, chosen, path);
  if (cluster['proxy-url'] !== undefined) throw wrong(path, 'proxy-url is not supported: remove proxy-url');
  const method = (['exec', 'auth-provider'] as const).find((key) => user[key] !== undefined && user[key] !== null);
  if (method !== undefined) {
    if (plugins !== undefined) return plugins(path, chosen);
    throw wrong(
      path,
      `this process does not support credentials from a plug-in (${method}): use a token file or a client certificate`,
    );
  }
  if (user.username !== undefined)
    throw wrong(
      path,
      'the user has a password, which no supported API server accepts: use a token or a client certificate',
    );
  return assemble(cluster, user, { path, clock });
}

/** Parses YAML or JSON. Does not load the YAML parser for JSON, because the parser costs 12 MB. */
async function parseYaml(source: string): Promise<unknown> {
  try {
    return JSON.parse(source);
  } catch {
    // Every other text must be YAML, which can also start with a brace.
  }
  const { readYaml } = await import('./lazy-yaml-parser.ts');
  return readYaml(source);
}

/** Reads and checks a kubeconfig file. Rejects with `InvalidConfiguration`, which contains the problem. */
export async function readKubeconfig(path: string): Promise<Kubeconfig> {
  const source = await readConfigured(path, 'the kubeconfig file');
  let value: unknown;
  try {
    value = await parseYaml(source);
  } catch (error) {
    throw wrong(path, `the file is neither YAML nor JSON: ${messageOf(error).split('\n', 1)[0] ?? ''}`);
  }
  const result = Kubeconfig.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`);
  throw wrong(path, `the content is not a kubeconfig: ${problems.join('; ')}`);
}

function select(config: Kubeconfig, chosen: string, path: string): { cluster: z.infer<typeof Cluster>; user: User } {
  const names = config.contexts.map(({ name }) => name).join(', ') || 'none';
  const context = config.contexts.find(({ name }) => name === chosen)?.context;
  if (chosen === '') throw wrong(path, `current-context is not set; the contexts are: ${names}`);
  if (context === undefined)
    throw wrong(path, `context ${JSON.stringify(chosen)} does not exist; the contexts are: ${names}`);
  const cluster = config.clusters.find(({ name }) => name === context.cluster)?.cluster;
  if (cluster === undefined)
    throw wrong(
      path,
      `context ${JSON.stringify(chosen)} names cluster ${JSON.stringify(context.cluster)}, which the file does not define`,
    );
  const user = config.users.find(({ name }) => name === context.user)?.user;
  if (user === undefined && context.user !== '')
    throw wrong(
      path,
      `context ${JSON.stringify(chosen)} names user ${JSON.stringify(context.user)}, which the file does not define`,
    );
  return { cluster, user: user ?? User.parse({}) };
}

interface Origin {
  readonly path: string;
  readonly clock: Clock;
}

async function assemble(cluster: z.infer<typeof Cluster>, user: User, origin: Origin): Promise<Connection> {
  const ca = await material(
    cluster['certificate-authority-data'],
    cluster['certificate-authority'],
    'certificate authority',
    origin,
  );
  const clientCertificate = await material(
    user['client-certificate-data'],
    user['client-certificate'],
    'client certificate',
    origin,
  );
  const clientKey = await material(user['client-key-data'], user['client-key'], 'client key', origin);
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw wrong(origin.path, 'the user has only one of client certificate and client key: set both');
  }
  const token = await tokenOf(user, origin);
  return {
    server: cluster.server.replace(/\/+$/, ''),
    ...(ca === undefined ? {} : { ca }),
    ...(clientCertificate === undefined || clientKey === undefined ? {} : { clientCertificate, clientKey }),
    ...(cluster['tls-server-name'] === undefined ? {} : { serverName: cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { skipVerification: true } : {}),
    ...(token === undefined ? {} : { token }),
  };
}

/** Returns a certificate or key as PEM text. Inline data takes precedence over a file, as in kubectl. */
async function material(
  data: string | undefined,
  file: string | undefined,
  what: string,
  { path }: Origin,
): Promise<string | undefined> {
  if (data === undefined && file === undefined) return undefined;
  const pem =
    data === undefined
      ? await readConfigured(resolve(dirname(path), file ?? ''), `the ${what}`)
      : Buffer.from(data, 'base64').toString('utf8');
  if (pem.includes('-----BEGIN ')) return pem;
  throw wrong(path, `the ${what} is not PEM text${data === undefined ? '' : ' in base64'}`);
}

/** Returns the source of tokens. A token file takes precedence over an inline token, as in client-go. */
async function tokenOf(user: User, { path, clock }: Origin): Promise<TokenSource | undefined> {
  if (user.tokenFile !== undefined) {
    const source = tokenFile(resolve(dirname(path), user.tokenFile), clock);
    await source();
    return source;
  }
  if (user.token === undefined) return undefined;
  const token = checkedToken(user.token, `in ${path}`);
  return () => Promise.resolve(token);
}

const wrong = (path: string, problem: string): PortcullisError =>
  new PortcullisError('InvalidConfiguration', `kubeconfig file ${JSON.stringify(path)}: ${problem}`);
