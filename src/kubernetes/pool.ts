import { createRequire } from 'node:module';
import type { Agent, Dispatcher } from 'undici';
import type { Connection } from './connection.ts';

/** Milliseconds until a connection, with its handshake, has to stand. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** Below the API server's own 90 s, so that it never closes a connection that we are about to use. */
const KEEP_ALIVE_MS = 45_000;

/** Connections to one API server that are kept and used again. */
export interface Pool {
  /** Calls `beforeSend` once the connection stands, right before the first byte; if it throws, nothing is sent and this rejects with that. */
  request(options: Dispatcher.RequestOptions, beforeSend?: () => void): Promise<Dispatcher.ResponseData>;
  /** Cuts what is under way and closes all connections. */
  destroy(): Promise<void>;
}

// Only the parts that are used: the package's index also loads fetch, WebSocket, EventSource and caches, a fifth of what the
// webhook may use of memory.
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

/** Has the handler of a request call `first` when the request is about to be written. */
function startingWith(first: () => void, handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  const start = handler.onRequestStart?.bind(handler);
  handler.onRequestStart = (controller, context) => {
    first();
    start?.(controller, context);
  };
  return handler;
}
