import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as a test observes it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Handler = (seen: Seen, response: ServerResponse) => void | Promise<void>;

export interface FakeApiServer extends AsyncDisposable {
  readonly url: string;
  /** All requests so far, in order. */
  readonly seen: readonly Seen[];
}

/** Starts an HTTP server on a free loopback port that answers with `handle`. Unit tests simulate failures of a real API server with it. */
export async function fakeApiServer(handle: Handler): Promise<FakeApiServer> {
  const seen: Seen[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const { method = 'GET', headers } = request;
    const one = { method, path: url.pathname, query: url.searchParams, headers, body: await text(request) };
    seen.push(one);
    await handle(one, response);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends `value` as JSON. */
export function answer(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** Returns a `Status` in the form of a rejection by the API server. */
export const status = (code: number, message: string, reason = ''): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  message,
  reason,
});
