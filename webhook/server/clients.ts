import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { PortcullisError, messageOf } from '../../src/base/errors.ts';
import { followFiles, type FollowedFiles } from './follow-files.ts';

/** The clients that may send reviews: only API servers with a client certificate. */
export interface Clients {
  /** The authorities that may sign the client certificate, PEM. */
  readonly authority: Buffer;
  /** The allowed common names of the certificate; all names if empty. */
  readonly names: ReadonlySet<string>;
}

export interface ClientsConfig {
  readonly caFile: string;
  readonly names: ReadonlySet<string>;
}

/** Returns the certificates of a file, or the whole file if it has none. */
const certificatesIn = (file: Buffer): readonly string[] => {
  const text = file.toString('latin1');
  return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [text];
};

/** Returns the SHA-256 fingerprints of the authorities, as `openssl x509 -noout -fingerprint -sha256` prints them. */
export const fingerprintsOf = (authority: Buffer): readonly string[] =>
  certificatesIn(authority).map((certificate) => new X509Certificate(certificate).fingerprint256);

/** Reads the authorities. Throws `InvalidConfiguration` if the file is missing or contains anything but certificates of authorities. */
export async function readClients({ caFile, names }: ClientsConfig): Promise<Clients> {
  try {
    const authority = await readFile(caFile);
    if (certificatesIn(authority).some((certificate) => !new X509Certificate(certificate).ca))
      throw new Error('a certificate in the file is not a certificate authority');
    return { authority, names };
  } catch (cause) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `the client certificate authority ${caFile} cannot be used (${messageOf(cause)}): set --client-ca-file to a PEM file with the authority that signed the client certificate of the API server`,
      { cause },
    );
  }
}

interface Following extends Pick<FollowedFiles<Clients>, 'clock' | 'use' | 'onError'> {
  /** Undefined if clients need no certificate. */
  readonly config: ClientsConfig | undefined;
}

/** Follows the file of authorities and applies each change until the signal aborts; see `followFiles`. */
export async function followClients(
  current: Clients | undefined,
  { config, ...how }: Following,
  signal: AbortSignal,
): Promise<void> {
  if (config === undefined || current === undefined) return;
  const isSame = (one: Clients, other: Clients): boolean => one.authority.equals(other.authority);
  await followFiles(current, { ...how, files: [config.caFile], read: () => readClients(config), isSame }, signal);
}

/** Returns the TLS options that admit only these clients. */
export const clientOptions = (clients: Clients | undefined): object =>
  clients === undefined ? {} : { ca: certificatesIn(clients.authority), requestCert: true, rejectUnauthorized: true };

/** Returns why a client with a valid certificate is not admitted; undefined if it is admitted. */
export function rejectedClient({ names }: Clients, socket: Socket): string | undefined {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  const name = /^CN=(.+)$/m.exec(certificate?.subject ?? '')?.[1] ?? '';
  if (names.size === 0 || names.has(name)) return undefined;
  return `client ${JSON.stringify(name)} is not allowed: --client-names contains ${[...names].join(', ')}`;
}
