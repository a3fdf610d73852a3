import type { Socket } from 'node:net';

/**
 * Connections without any bytes yet. API servers open some in advance, and closing such a connection may fail a request on its way. They stay open as
 * long as connections between two requests.
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

  /** Ends the connections that are still without bytes. A closing server no longer tracks them and would wait for them. */
  end(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
