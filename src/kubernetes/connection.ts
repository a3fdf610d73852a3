import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { PortcullisError, messageOf } from '../base/errors.ts';
import { tokenFile, type TokenSource } from './token-file.ts';

/** The address of the API server and the credentials of this process, for the transport. Certificates and keys are PEM texts. */
export interface Connection {
  /** The URL of the API server, with an optional path, without a slash at the end. */
  readonly server: string;
  /** The certificate authorities of the server. Default: the authorities that Node.js trusts. */
  readonly ca?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** The name that the server's certificate must contain, if it differs from the host. */
  readonly serverName?: string;
  readonly skipVerification?: boolean;
  readonly token?: TokenSource;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder in which the kubelet mounts the service account of a pod. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Reads a file that a user configured. Rejects with `InvalidConfiguration`, which contains the path and the reason. */
export async function readConfigured(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const message = `failed to read ${what} ${JSON.stringify(path)} (${messageOf(error)}): check the path and its permissions`;
    throw new PortcullisError('InvalidConfiguration', message, { cause: error });
  }
}

/** Returns the connection of a process in a pod, with its service account. Rejects with `InvalidConfiguration` outside a pod. */
export async function inClusterConnection(
  environment: Environment,
  clock: Clock,
  folder: string = SERVICE_ACCOUNT_FOLDER,
): Promise<Connection> {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (host === undefined || host === '' || port === undefined || port === '') {
    throw new PortcullisError(
      'InvalidConfiguration',
      'the address of the API server is unknown: outside a pod, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; set --kubeconfig',
    );
  }
  const ca = await readConfigured(join(folder, 'ca.crt'), 'the certificate authority of the service account');
  const token = tokenFile(join(folder, 'token'), clock);
  await token();
  return { server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`, ca, token };
}
