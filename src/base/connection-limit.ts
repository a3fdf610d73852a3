import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** The last request on it. */
  readonly exchange?: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

/** The order in which connections are closed: unused, idle after a request, still sending one. One that waits for its answer is not. */
const CLASSES: readonly ((connection: Connection) => boolean)[] = [
  ({ exchange }) => exchange === undefined,
  ({ exchange }) => exchange?.response.writableEnded === true,
  ({ exchange }) => exchange?.request.complete === false,
];

/** The same for the socket that was accepted and the one that decrypts it. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''} ${remotePort ?? 0}`;

/** Returns the connection to close, the longest idle of the first class that has any; none if all wait for their answers. */
function idlest(connections: ReadonlyMap<string, Connection>): readonly [string, Connection] | undefined {
  for (const isOfClass of CLASSES) {
    for (const entry of connections) if (isOfClass(entry[1])) return entry;
  }
  return undefined;
}

/**
 * Keeps a server at `most` open connections. A new one closes the one that has been idle for longest, be its handshake or head complete or not.
 * To turn away the new one instead would let idle clients keep out all others. `onClosed` is called for each that is closed.
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
