import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** A TLS connection of which a test says every byte. */
export interface RawConnection extends Disposable {
  readonly socket: TLSSocket;
  /** All that has been received. */
  received(): string;
  /** Resolves with all that was received once the other side has closed. */
  readonly closed: Promise<string>;
  /** Resolves with all that has been received once it matches; rejects when the connection is closed before. */
  until(pattern: RegExp): Promise<string>;
}

export async function openRaw(port: number, ca: string): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  // A connection that is reset has been refused as well as one that is closed.
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return {
    socket,
    received: () => text,
    closed,
    until: async (pattern) => {
      while (!pattern.test(text)) {
        if (socket.closed) throw new Error(`closed after ${JSON.stringify(text)}`);
        await Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed]);
      }
      return text;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/** Resolves once more can be written to it. */
export const drained = ({ socket }: RawConnection): Promise<void> =>
  new Promise((resolve) => socket.once('drain', resolve));

/** A request with a body, as text, of a client that waits so many seconds for the answer. */
export const posted = (body: string, headers: Readonly<Record<string, string>> = {}, seconds = 3): string =>
  [
    `POST /validate?timeout=${seconds}s HTTP/1.1`,
    ...Object.entries({
      Host: 'localhost',
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
