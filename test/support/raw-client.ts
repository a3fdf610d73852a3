import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** A TLS connection with full control over the sent bytes, for tests of incomplete and hostile requests. */
export interface RawConnection extends Disposable {
  readonly socket: TLSSocket;
  /** Returns all received data. */
  received(): string;
  /** Resolves with all received data when the peer closes the connection. */
  readonly closed: Promise<string>;
  /** Resolves with all received data once it matches. Rejects if the connection closes before. */
  until(pattern: RegExp): Promise<string>;
}

export async function openRaw(port: number, ca: string): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  // A reset connection counts as rejected, like a closed one.
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

/** Resolves when the connection accepts further writes. */
export const drained = ({ socket }: RawConnection): Promise<void> =>
  new Promise((resolve) => socket.once('drain', resolve));

/** Returns a request with a body as text. The client timeout is in seconds. */
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
