import type { Socket } from 'node:net';
import type { IdleConnections } from './idle-connections.ts';

/** Of errors that the parser of HTTP finds, by their codes. */
const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

/** What Node calls a request that was not there in time, also where nothing was sent at all. */
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Ends a connection on which something came that is no HTTP, or no TLS, or came too slowly. Only the first is told what is wrong. One that
 * was slow is not: the API server would take what it reads there for the answer to the request that it is about to send. One that was never
 * encrypted cannot be, and would stay open. One on which nothing has come is kept in reserve.
 */
export const handleClientErrors =
  (reserve: Pick<IdleConnections, 'keep'>) =>
  (error: Error & { readonly code?: string }, socket: Socket): void => {
    const { code = '' } = error;
    if (code === TOO_SLOW && socket.bytesRead === 0) {
      reserve.keep(socket);
      return;
    }
    if (!code.startsWith('HPE_') || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS[code] ?? '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  };
