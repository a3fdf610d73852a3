import { createRequire } from 'node:module';
import type { Agent, Dispatcher } from 'undici';
import type { Connection } from './connection.ts';

/** Milliseconds until a connection, with its handshake, has to stand. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** Below the API server's own 90 s, so that it never closes a connection that we are about to use. */
const KEEP_ALIVE_MS = 45_000;

/** Connections to one API server that are kept and used again. */
export interface Pool {
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
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
    request: (options) => request.call(agent, options) as Promise<Dispatcher.ResponseData>,
    destroy: () => agent.destroy(),
  };
}
