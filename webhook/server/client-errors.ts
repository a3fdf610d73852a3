import type { Socket } from 'node:net';
import type { IdleConnections } from './unused-connections.ts';

/** The HTTP statuses for error codes of the HTTP parser; 400 for all others. */
const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

/** The Node.js error code of a request that did not arrive in time. Connections without any bytes get the code too. */
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Returns the handler of connection errors. */
export const handleClientErrors =
  (idleConnections: Pick<IdleConnections, 'keep'>) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    const { code = '' } = error;
    // API servers open connections in advance, so a connection without bytes stays open.
    if (code === TOO_SLOW && socket.bytesRead === 0) {
      idleConnections.keep(socket);
      return;
    }
    // An API server would match a late response with its next request.
    if (!code.startsWith('HPE_') || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS[code] ?? '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  };
