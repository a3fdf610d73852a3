import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** The last request of the connection, with its response. */
  readonly exchange?: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

/** The order of closing: no complete request, then idle after a response. A connection that waits for a response stays open. */
const CLOSING_ORDER: readonly ((connection: Connection) => boolean)[] = [
  ({ exchange }) => exchange?.request.complete !== true,
  ({ exchange }) => exchange?.response.writableEnded === true,
];

/** Returns the remote address and port. They are equal for a TCP socket and its TLS socket. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''} ${remotePort ?? 0}`;

/** Returns the connection to close: the longest idle one of the first class. `undefined` if all wait for responses. */
function idlest(connections: ReadonlyMap<string, Connection>): readonly [string, Connection] | undefined {
  for (const isOfClass of CLOSING_ORDER) {
    for (const entry of connections) if (isOfClass(entry[1])) return entry;
  }
  return undefined;
}

/**
 * Limits a server to `most` open connections. A new connection replaces the longest idle one, so that idle clients block no other clients.
 * If all wait for responses, the new one is closed. Calls `onClosed` for each connection that the limit closes.
 */
export function limitConnections(server: Server, most: number, onClosed: () => void): void {
  /** The connections by peer, the longest idle first. */
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
