import type { Socket } from 'node:net';

/**
 * Connections on which nothing has come yet. API servers open some that they come to use only later: one that is ended for being slow may be
 * about to be used, and the request on its way would fail. They are kept as long as connections between two requests.
 */
export class IdleConnections {
  readonly #keepMs: number;
  readonly #sockets = new Set<Socket>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  keep(socket: Socket): void {
    socket.setTimeout(this.#keepMs);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Ends those on which still nothing has come: a server that is being closed has lost sight of them, and would wait for them. */
  end(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
