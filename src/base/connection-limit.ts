import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** The last request on the connection and its response. */
  readonly exchange?: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

/**
 * The order in which idle connections are closed: connections without a complete request, then connections after a response. Connections that wait
 * for a response stay open.
 */
const CLOSING_ORDER: readonly ((connection: Connection) => boolean)[] = [
  ({ exchange }) => exchange?.request.complete !== true,
  ({ exchange }) => exchange?.response.writableEnded === true,
];

/** Returns the remote address and port, which are the same for a TCP socket and the TLS socket on top. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''} ${remotePort ?? 0}`;

/**
 * Returns the connection to close: the longest idle connection of the first class in `CLOSING_ORDER` that has any. Undefined if all connections wait
 * for responses.
 */
function connectionToClose(connections: ReadonlyMap<string, Connection>): readonly [string, Connection] | undefined {
  for (const isOfClass of CLOSING_ORDER) {
    for (const entry of connections) if (isOfClass(entry[1])) return entry;
  }
  return undefined;
}

/**
 * Limits the open connections of the webhook or probe server, so that idle clients do not block others. A new connection replaces an idle connection,
 * or is closed if none is idle. `onClosed` runs after each closed connection.
 */
export function limitConnections(server: Server, most: number, onClosed: () => void): void {
  /** The connections by remote address, the longest idle first. */
  const connections = new Map<string, Connection>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    if (connections.size >= most) {
      const [idle, closing] = connectionToClose(connections) ?? [peer, { socket }];
      connections.delete(idle);
      closing.socket.destroy();
      onClosed();
    }
    if (socket.destroyed) return;
    connections.set(peer, { socket });
    socket.once('close', () => {
      if (connections.get(peer)?.socket === socket) connections.delete(peer);
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const peer = peerOf(request.socket);
    const connection = connections.get(peer);
    if (connection === undefined) return;
    connections.delete(peer);
    connections.set(peer, { socket: connection.socket, exchange: { request, response } });
  });
}
