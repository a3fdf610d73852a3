import type { Socket } from 'node:net';

/** The open connections without any bytes. API servers open connections in advance, and closing such a connection can fail a request. */
export class IdleConnections {
  readonly #keepMs: number;
  readonly #sockets = new Set<Socket>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** Keeps a connection open until the timeout. */
  keep(socket: Socket): void {
    socket.setTimeout(this.#keepMs);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Closes the connections that still have no bytes. Runs at shutdown, when the server would otherwise wait for these connections. */
  end(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
