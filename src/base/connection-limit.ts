import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** The last request on it. */
  readonly exchange?: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

/** The order of closing: without a complete request, idle after an answer. A connection that waits for its answer stays open. */
const CLASSES: readonly ((connection: Connection) => boolean)[] = [
  ({ exchange }) => exchange?.request.complete !== true,
  ({ exchange }) => exchange?.response.writableEnded === true,
];

/** Returns the remote address and port: equal for a TCP socket and the TLS socket on it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''} ${remotePort ?? 0}`;

/** Returns the longest idle connection of the first class that has any; none if all wait for their answers. */
function idlest(connections: ReadonlyMap<string, Connection>): readonly [string, Connection] | undefined {
  for (const isOfClass of CLASSES) {
    for (const entry of connections) if (isOfClass(entry[1])) return entry;
  }
  return undefined;
}

/**
 * Keeps a server at `most` open connections. A new connection closes the longest idle one, or is closed if all wait for answers: otherwise
 * idle clients would keep out all others. Calls `onClosed` for each connection that the limit closes.
 */
export function limitConnections(server: Server, most: number, onClosed: () => void): void {
  /** The longest idle first. */
  const connections = new Map<string, Connection>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    if (connections.size >= most) {
      const [idle, closing] = idlest(connections) ?? [peer, { socket }];
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
