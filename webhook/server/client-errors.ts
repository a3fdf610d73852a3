import type { Socket } from 'node:net';
import type { IdleConnections } from './idle-connections.ts';

/** The statuses for errors of the HTTP parser, by error code. */
const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

/** The Node.js code of a request that did not arrive in time, even if no byte arrived. */
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Ends a failed connection. Only invalid HTTP gets a response: on a slow connection, the API server would take it for the response to its next
 * request. Without TLS no response is possible. A connection without bytes stays open.
 */
export const handleClientErrors =
  (idleConnections: Pick<IdleConnections, 'keep'>) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    const { code = '' } = error;
    if (code === TOO_SLOW && socket.bytesRead === 0) {
      idleConnections.keep(socket);
      return;
    }
    if (!code.startsWith('HPE_') || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS[code] ?? '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  };
