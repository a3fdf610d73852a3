import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { PortcullisError, messageOf } from '../src/errors.ts';

/** Who may ask: only API servers, where they have been given a certificate to show. */
export interface Clients {
  /** The authorities one of which has signed the client's certificate, PEM. */
  readonly authority: Buffer;
  /** Common names that the certificate may have; any when empty. */
  readonly names: ReadonlySet<string>;
}

export interface ClientsSaid {
  readonly caFile: string;
  readonly names: ReadonlySet<string>;
}

/** Throws `InvalidConfiguration` for a file that is missing or holds no certificate of an authority. Read once: a new authority counts from the next start on. */
export async function readClients({ caFile, names }: ClientsSaid): Promise<Clients> {
  try {
    const authority = await readFile(caFile);
    if (!new X509Certificate(authority).ca) throw new Error('its certificate may sign no others');
    return { authority, names };
  } catch (cause) {
    throw new PortcullisError(
      'InvalidConfiguration',
      `the authority of clients ${caFile} cannot be used (${messageOf(cause)}): name a file with the certificate of the authority that has signed the API server's client certificate, PEM, with --client-ca-file`,
      { cause },
    );
  }
}

/** What a server has to be told to let in those alone. */
export const clientOptions = (clients: Clients | undefined): object =>
  clients === undefined ? {} : { ca: clients.authority, requestCert: true, rejectUnauthorized: true };

/** Why the client on a connection is not let in, although an authority vouches for it. */
export function refusedClient({ names }: Clients, socket: Socket): string | undefined {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  const name = /^CN=(.+)$/m.exec(certificate?.subject ?? '')?.[1] ?? '';
  if (names.size === 0 || names.has(name)) return undefined;
  return `client ${JSON.stringify(name)} may not ask for reviews: --client-names has ${[...names].join(', ')}`;
}
