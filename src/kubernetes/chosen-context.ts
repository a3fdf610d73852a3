import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PortcullisError } from '../base/errors.ts';
import { readKubeconfig } from './kubeconfig.ts';

/** The flags that select the cluster. */
export interface ContextFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface ChosenContext {
  /** The path of the kubeconfig file with the context. */
  readonly path: string;
  readonly context: string;
  /** The namespace of the context. Default: `default`. */
  readonly namespace: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the existing kubeconfig files, or the file that the flag names. Throws if `KUBECONFIG` is set and none of its files exists. */
function filesOf(named: string | undefined, environment: Environment): readonly string[] {
  if (named !== undefined) return [named];
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const candidates = listed.length > 0 ? listed : [join(environment['HOME'] ?? homedir(), '.kube', 'config')];
  const existing = candidates.filter((path) => existsSync(path));
  if (listed.length === 0 || existing.length > 0) return existing;
  throw new PortcullisError(
    'InvalidConfiguration',
    `no file in KUBECONFIG exists: ${listed.join(', ')}; correct the variable, or unset the variable to use the kubeconfig of the home folder`,
  );
}

/** Returns the context that kubectl would use. Undefined if there is neither a kubeconfig file nor a flag. */
export async function chosenContext(
  { kubeconfig, context }: ContextFlags,
  environment: Environment,
): Promise<ChosenContext | undefined> {
  const files = filesOf(kubeconfig, environment);
  const configs = await Promise.all(files.map(async (path) => ({ path, config: await readKubeconfig(path) })));
  const name = context ?? configs.map(({ config }) => config['current-context']).find((current) => current !== '');
  if (files.length === 0 && name === undefined) return undefined;
  const owner = configs.find(({ config }) => config.contexts.some((each) => each.name === name));
  if (owner !== undefined && name !== undefined) {
    const { namespace } = owner.config.contexts.find((each) => each.name === name)?.context ?? {};
    return { path: owner.path, context: name, namespace: namespace ?? 'default' };
  }
  const names = configs.flatMap(({ config }) => config.contexts.map((each) => each.name)).join(', ') || 'none';
  const found = name === undefined ? 'no current context' : `no context ${JSON.stringify(name)}`;
  throw new PortcullisError(
    'InvalidConfiguration',
    `${found} in ${files.join(', ') || 'any kubeconfig file'}; the contexts are: ${names}; choose a context with --context`,
  );
}
