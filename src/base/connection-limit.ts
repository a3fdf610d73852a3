import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** The last request on the connection and its response. */
  readonly exchange?: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

/** The classes of idle connections, in closing order. A connection that waits for a response is not idle. */
const CLOSING_ORDER: readonly ((connection: Connection) => boolean)[] = [
  // Without a complete request.
  ({ exchange }) => exchange?.request.complete !== true,
  // After a response.
  ({ exchange }) => exchange?.response.writableEnded === true,
];

/** Returns the remote address and port, which are the same for a TCP socket and the TLS socket on top. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''} ${remotePort ?? 0}`;

/** Returns the longest idle connection of the first class in `CLOSING_ORDER` with connections. */
function connectionToClose(connections: ReadonlyMap<string, Connection>): readonly [string, Connection] | undefined {
  for (const isOfClass of CLOSING_ORDER) {
    for (const entry of connections) if (isOfClass(entry[1])) return entry;
  }
  return undefined;
}

/** Limits the open connections, because idle clients must not block others. At the limit, a new connection replaces an idle connection. */
export function limitConnections(server: Server, most: number, onClosed: () => void): void {
  /** The connections by remote address, the longest idle first. */
  const connections = new Map<string, Connection>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    if (connections.size >= most) {
      // If no connection is idle, the new connection is closed.
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
