import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { PortcullisError, messageOf } from '../../src/base/errors.ts';
import { followFiles, type FollowedFiles } from './follow-files.ts';

/** Who may ask: only API servers, where they have been given a certificate to show. */
export interface Clients {
  /** The authorities one of which has signed the client's certificate, PEM. */
  readonly authority: Buffer;
  /** Common names that the certificate may have; any when empty. */
  readonly names: ReadonlySet<string>;
}

export interface ClientsConfig {
  readonly caFile: string;
  readonly names: ReadonlySet<string>;
}

/** The certificates of a file, one after the other: all of it where there is none. */
const certificatesIn = (file: Buffer): readonly string[] => {
  const text = file.toString('latin1');
  return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [text];
};

/** What tells the authorities of a file apart: SHA-256, as `openssl x509 -noout -fingerprint -sha256` says it. */
export const fingerprintsOf = (authority: Buffer): readonly string[] =>
  certificatesIn(authority).map((certificate) => new X509Certificate(certificate).fingerprint256);

/** Throws `InvalidConfiguration` for a file that is missing, or holds anything but certificates of authorities. */
export async function readClients({ caFile, names }: ClientsConfig): Promise<Clients> {
  try {
    const authority = await readFile(caFile);
    if (certificatesIn(authority).some((certificate) => !new X509Certificate(certificate).ca))
      throw new Error('a certificate of it may sign no others');
    return { authority, names };
  } catch (cause) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `the authority of clients ${caFile} cannot be used (${messageOf(cause)}): name a file with the certificate of the authority that has signed the API server's client certificate, PEM, with --client-ca-file`,
      { cause },
    );
  }
}

interface Following extends Pick<FollowedFiles<Clients>, 'clock' | 'use' | 'onFault'> {
  /** Absent where nobody has to show anything. */
  readonly said: ClientsConfig | undefined;
}

/** Follows the file and lets in those whom it vouches for, until the signal is aborted; see `followFiles`. */
export async function followClients(
  current: Clients | undefined,
  { said, ...how }: Following,
  signal: AbortSignal,
): Promise<void> {
  if (said === undefined || current === undefined) return;
  const isSame = (one: Clients, other: Clients): boolean => one.authority.equals(other.authority);
  await followFiles(current, { ...how, files: [said.caFile], read: () => readClients(said), isSame }, signal);
}

/** What a server has to be told to let in those alone. */
export const clientOptions = (clients: Clients | undefined): object =>
  clients === undefined ? {} : { ca: certificatesIn(clients.authority), requestCert: true, rejectUnauthorized: true };

/** Why the client on a connection is not let in, although an authority vouches for it. */
export function rejectedClient({ names }: Clients, socket: Socket): string | undefined {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  const name = /^CN=(.+)$/m.exec(certificate?.subject ?? '')?.[1] ?? '';
  if (names.size === 0 || names.has(name)) return undefined;
  return `client ${JSON.stringify(name)} may not ask for reviews: --client-names has ${[...names].join(', ')}`;
}
