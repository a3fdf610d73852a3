import { createRequire } from 'node:module';
import type { Agent, Dispatcher } from 'undici';
import type { Connection } from './connection.ts';

/** Milliseconds for a connection, including the TLS handshake. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter than the 90 s of the API server, so that the server never closes a connection that a request is about to use. */
const KEEP_ALIVE_MS = 45_000;

/** A pool of reusable connections to one API server. */
export interface Pool {
  /**
   * Calls `beforeSend` when the connection is ready, right before the first byte. If `beforeSend` throws, nothing is sent, and the call rejects with
   * that error.
   */
  request(options: Dispatcher.RequestOptions, beforeSend?: () => void): Promise<Dispatcher.ResponseData>;
  /** Aborts running requests and closes all connections. */
  destroy(): Promise<void>;
}

// Load only the used parts: the index of the package also loads fetch, WebSocket, EventSource and caches. They take a fifth of the webhook's memory
// limit.
const load = createRequire(import.meta.url);
const PooledAgent = load('undici/lib/dispatcher/agent.js') as typeof Agent;
const { request } = load('undici/lib/api/index.js') as Pick<Dispatcher, 'request'>;

export function createPool({ ca, clientCertificate, clientKey, serverName, skipVerification }: Connection): Pool {
  const agent = new PooledAgent({
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      ...(ca === undefined ? {} : { ca }),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
      ...(clientKey === undefined ? {} : { key: clientKey }),
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(skipVerification === true ? { rejectUnauthorized: false } : {}),
    },
  });
  return {
    request: (options, beforeSend) => {
      const dispatch = (dispatched: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean =>
        agent.dispatch(dispatched, beforeSend === undefined ? handler : startingWith(beforeSend, handler));
      return request.call({ dispatch }, options) as Promise<Dispatcher.ResponseData>;
    },
    destroy: () => agent.destroy(),
  };
}

/** Makes the handler of a request call `first` right before the request is written. */
function startingWith(first: () => void, handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  const start = handler.onRequestStart?.bind(handler);
  handler.onRequestStart = (controller, context) => {
    first();
    start?.(controller, context);
  };
  return handler;
}
