import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { PortcullisError, messageOf } from '../../src/base/errors.ts';
import { followFiles, type FollowedFiles } from './follow-files.ts';

/** The clients that may send reviews: API servers whose client certificate has a trusted authority and an allowed name. */
export interface Clients {
  /** The certificate authorities (PEM) that may sign client certificates. */
  readonly authority: Buffer;
  /** The allowed common names of client certificates; empty allows every name. */
  readonly names: ReadonlySet<string>;
}

/** The flags about client certificates. */
export interface ClientsConfig {
  readonly caFile: string;
  readonly names: ReadonlySet<string>;
}

/** Returns the PEM certificates in a file. If the file has none, returns the whole file, so that the parser reports the error. */
const certificatesIn = (file: Buffer): readonly string[] => {
  const text = file.toString('latin1');
  return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [text];
};

/** Returns the SHA-256 fingerprints of the authorities, in the form of `openssl x509 -noout -fingerprint -sha256`. */
export const fingerprintsOf = (authority: Buffer): readonly string[] =>
  certificatesIn(authority).map((certificate) => new X509Certificate(certificate).fingerprint256);

/** Reads the authorities of client certificates. Throws `InvalidConfiguration` if the file is missing, or has a certificate that is no authority. */
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

/** Applies each change of the authority file, until the signal aborts. Never rejects. Does nothing if clients need no certificate. */
export async function followClients(
  current: Clients | undefined,
  { config, ...how }: Following,
  signal: AbortSignal,
): Promise<void> {
  if (config === undefined || current === undefined) return;
  const isSame = (one: Clients, other: Clients): boolean => one.authority.equals(other.authority);
  await followFiles(current, { ...how, files: [config.caFile], read: () => readClients(config), isSame }, signal);
}

/** Returns the TLS options that require a client certificate of a trusted authority. */
export const clientOptions = (clients: Clients | undefined): object =>
  clients === undefined ? {} : { ca: certificatesIn(clients.authority), requestCert: true, rejectUnauthorized: true };

/** Returns the reason to reject a client whose certificate is valid but has a wrong name; undefined for an allowed client. */
export function rejectedClient({ names }: Clients, socket: Socket): string | undefined {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  const name = /^CN=(.+)$/m.exec(certificate?.subject ?? '')?.[1] ?? '';
  if (names.size === 0 || names.has(name)) return undefined;
  return `client ${JSON.stringify(name)} is not allowed: --client-names contains ${[...names].join(', ')}`;
}
