import { PortcullisError, messageOf } from '../base/errors.ts';
import type { Connection } from './connection.ts';
import { checkedToken } from './token-file.ts';

/** Returns the connection of a kubeconfig that gets credentials from a plug-in (`exec`, `auth-provider`). */
export async function pluginConnection(path: string, context: string): Promise<Connection> {
  // Loaded only here, because the official client costs half a second and tens of megabytes.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const load = () => {
    const config = new KubeConfig();
    config.loadFromFile(path);
    config.setCurrentContext(context);
    return config;
  };
  let config = load();
  const credentials = async (): Promise<Credentials> => {
    const options: Credentials = {};
    try {
      await config.applyToHTTPSOptions(options as Parameters<typeof config.applyToHTTPSOptions>[0]);
    } catch (error) {
      throw new PortcullisError(
        'Unauthorized',
        `the credential plug-in of kubeconfig ${JSON.stringify(path)} failed: ${messageOf(error)}`,
        { cause: error },
      );
    }
    return options;
  };
  const first = await credentials();
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new PortcullisError(
      'InvalidConfiguration',
      `context ${JSON.stringify(context)} of kubeconfig ${JSON.stringify(path)} names no cluster`,
    );
  let last = bearer(first, path);
  return {
    server: cluster.server.replace(/\/+$/, ''),
    ...(first.ca === undefined ? {} : { ca: pem(first.ca) }),
    ...(first.cert === undefined || first.key === undefined
      ? {}
      : { clientCertificate: pem(first.cert), clientKey: pem(first.key) }),
    ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify ? { skipVerification: true } : {}),
    ...(last === undefined
      ? {}
      : {
          token: async (rejectedToken?: string) => {
            // The official client caches the credentials of the plug-in, even after a rejection, so only a new client runs the plug-in again.
            if (rejectedToken !== undefined && rejectedToken === last) config = load();
            last = bearer(await credentials(), path);
            if (last === undefined)
              throw new PortcullisError(
                'Unauthorized',
                `the credential plug-in of kubeconfig ${JSON.stringify(path)} returned no token`,
              );
            return last;
          },
        }),
  };
}

interface Credentials {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const pem = (value: string | Buffer): string => value.toString();

function bearer({ headers }: Credentials, path: string): string | undefined {
  const header = headers?.['Authorization'];
  return header?.startsWith('Bearer ') === true
    ? checkedToken(header.slice('Bearer '.length), `from the plug-in of ${path}`)
    : undefined;
}
