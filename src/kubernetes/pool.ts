import { createRequire } from 'node:module';
import type { Agent, Dispatcher } from 'undici';
import type { Connection } from './connection.ts';

/** The timeout of a new connection, in milliseconds, including the TLS handshake. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** The lifetime of idle connections, in milliseconds. After 90 s, the API server would close a connection, and a new request could be lost. */
const KEEP_ALIVE_MS = 45_000;

/** A pool of connections to one API server. Calls reuse open connections. */
export interface Pool {
  /** Sends a request, right after `beforeSend`. If `beforeSend` throws, sends nothing and rejects with the error. */
  request(options: Dispatcher.RequestOptions, beforeSend?: () => void): Promise<Dispatcher.ResponseData>;
  /** Aborts running requests and closes all connections. */
  destroy(): Promise<void>;
}

// Load only the used parts of undici, because the whole package takes a fifth of the webhook's memory limit.
const load = createRequire(import.meta.url);
const PooledAgent = load('undici/lib/dispatcher/agent.js') as typeof Agent;
const { request } = load('undici/lib/api/index.js') as Pick<Dispatcher, 'request'>;

/** Creates a pool without a limit of connections. With a limit, a request that waits for a connection could exceed its timeout. */
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

/** Returns a handler that calls `first` right before the request is sent. */
function startingWith(first: () => void, handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  const start = handler.onRequestStart?.bind(handler);
  handler.onRequestStart = (controller, context) => {
    first();
    start?.(controller, context);
  };
  return handler;
}
