import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { limitConnections } from './connection-limit.ts';
import { PortcullisError, messageOf } from './errors.ts';
import type { Logger } from './log.ts';

/** Returns the problem as a short text without secrets, or undefined. Must neither throw nor wait. */
export type Check = () => string | undefined;
export type Checks = Readonly<Record<string, Check>>;

export interface ProbesOptions {
  /** The address to listen on, such as `0.0.0.0`. */
  readonly host: string;
  /** The port to listen on; 0 means any free port. */
  readonly port: number;
  readonly registry: Pick<Registry, 'metrics' | 'contentType'>;
  readonly log: Logger;
  /** The liveness checks. The kubelet restarts the process after a failure. */
  readonly healthy: Checks;
  /** The readiness checks. A process that is not ready gets no requests. */
  readonly ready: Checks;
}

export interface Probes extends AsyncDisposable {
  readonly port: number;
}

// An import of `node:http` also loads the fetch of Node.js, which costs 30 ms at each start.
const { createServer } = process.getBuiltinModule('node:http');

const REQUEST_MS = 5_000;
const MAX_CONNECTIONS = 100;
/** The time that open requests have to finish at the end of the process, in milliseconds. */
const CLOSE_MS = 1_000;

/** Serves health checks and metrics with the paths and queries of Kubernetes components, such as `/readyz/name` and `?verbose`. */
export async function startProbes(options: ProbesOptions): Promise<Probes> {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, keepAliveTimeout: REQUEST_MS },
    (request, response) => {
      answer(request, response, options).catch((error: unknown) => {
        options.log.error({ err: error }, 'failed to answer a probe');
        response.destroy();
      });
    },
  );
  limitConnections(server, MAX_CONNECTIONS, () => undefined);
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  options.log.info({ host: options.host, port }, 'serving probes');
  return { port, [Symbol.asyncDispose]: () => close(server) };
}

async function listen(server: Server, { host, port }: ProbesOptions): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const where = `${host}:${port}`;
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const message = isTaken
      ? `the probe server cannot listen on ${where}, because another process uses the port: stop that process, or choose another port`
      : `the probe server cannot listen on ${where} (${messageOf(error)}): choose an address of this machine and a port that this user may use`;
    throw new PortcullisError('InvalidConfiguration', message, { cause: error });
  }
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearTimeout(timer);
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ProbesOptions): Promise<void> {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  if (url === null) {
    send(response, NOT_FOUND);
  } else if (request.method !== 'GET' && request.method !== 'HEAD') {
    send(response, { status: 405, text: 'method not allowed: use GET or HEAD\n' });
  } else if (url.pathname === '/metrics') {
    send(response, { status: 200, text: await options.registry.metrics(), type: options.registry.contentType });
  } else {
    send(response, checkAnswer(url.pathname, url.searchParams, options));
  }
}

interface ProbeResponse {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

function send(response: ServerResponse, { status, text, type = 'text/plain; charset=utf-8' }: ProbeResponse): void {
  response.writeHead(status, {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(text);
}

const NOT_FOUND: ProbeResponse = {
  status: 404,
  text: 'not found: the paths are /healthz, /livez, /readyz and /metrics\n',
};

function checkAnswer(pathname: string, query: URLSearchParams, { healthy, ready }: ProbesOptions): ProbeResponse {
  const [, probe = '', only] = pathname.split('/');
  const checks = new Map([
    ['healthz', healthy],
    ['livez', healthy],
    ['readyz', ready],
  ]).get(probe);
  if (checks === undefined) return NOT_FOUND;
  const all = Object.entries({ ping: () => undefined, ...checks });
  const requested = only === undefined || only === '' ? all : all.filter(([name]) => name === only);
  return requested.length === 0 ? NOT_FOUND : evaluateChecks(probe, requested, query);
}

/** Returns the response of Kubernetes components: `ok`, or a line per check after a failure or with `?verbose`. */
function evaluateChecks(
  probe: string,
  checks: readonly (readonly [string, Check])[],
  query: URLSearchParams,
): ProbeResponse {
  const excluded = new Set(query.getAll('exclude'));
  const results = checks.map(([name, check]) => ({
    name,
    problem: excluded.has(name) ? undefined : check(),
    isExcluded: excluded.has(name),
  }));
  const failed = results.some(({ problem }) => problem !== undefined);
  if (!failed && !query.has('verbose')) return { status: 200, text: 'ok' };
  const lines = results.map(({ name, problem, isExcluded }) => {
    if (problem !== undefined) return `[-]${name} failed: ${problem}\n`;
    return isExcluded ? `[+]${name} excluded: ok\n` : `[+]${name} ok\n`;
  });
  return { status: failed ? 500 : 200, text: `${lines.join('')}${probe} check ${failed ? 'failed' : 'passed'}\n` };
}
