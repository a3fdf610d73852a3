import { randomUUID } from 'node:crypto';
import type { Server } from 'node:https';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../../src/base/clock.ts';
import { limitConnections } from '../../src/base/connection-limit.ts';
import { PortcullisError, messageOf } from '../../src/base/errors.ts';
import type { Logger } from '../../src/base/log.ts';
import { parseBody } from './parse-body.ts';
import { BodyBudget, countBytes } from './body-budget.ts';
import { clientOptions, rejectedClient, type Clients } from './client-certificates.ts';
import type { ServingPair } from './certificate-files.ts';
import { deadline } from './response-deadline.ts';
import { hostOf, type ServerAddress } from './bind-address.ts';
import type { WebhookMetrics } from '../metrics.ts';
import { IdleConnections } from './unused-connections.ts';
import { answerTo, readReview, type AdmissionRequest, type AdmissionResponse } from '../admission/admission-review.ts';
import { traceOf, type TraceContext } from './trace.ts';
import { handleClientErrors } from './client-errors.ts';
import { Queue, tooBusy } from './review-queue.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The earliest time at which the request may have arrived, in monotonic milliseconds. */
    receivedAt: number;
  }
}

/** A function that decides a request. If the function throws, the server responds with HTTP 500, and the API server applies `failurePolicy`. */
export type Decide = (request: AdmissionRequest, expired: () => boolean, trace?: TraceContext) => AdmissionResponse;

/** The dependencies of the server. */
export interface ServerDeps {
  readonly mutate: Decide;
  readonly validate: Decide;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<WebhookMetrics, 'undecided' | 'overloaded' | 'dropped' | 'watchWork'>;
  /** The maximum number of reviews that wait for a decision. */
  readonly maxInFlight: number;
  /** The clients that may send reviews; undefined for all clients. */
  readonly clients?: Clients | undefined;
}

/** The default size limit of an object in etcd. */
const LARGEST_OBJECT = 1.5 * 1024 * 1024;
/** The maximum number of JSON bytes for a stored byte: the API server writes `<` and invalid UTF-8 as six characters. */
const JSON_PER_BYTE = 6;
/**
 * The body limit: two objects and their envelope. Under `failurePolicy: Ignore`, a lower limit would let the objects of larger reviews pass
 * unchecked.
 */
export const BODY_LIMIT = 2 * LARGEST_OBJECT * JSON_PER_BYTE + 1024 * 1024;
/** The largest body that the memory budget does not count. Such a body on every connection fits into memory. */
const SMALL_BYTES = 16 * 1024;
/** The size from which reading a body takes tens of milliseconds. */
const LARGE_BYTES = 1024 * 1024;
/** The time before an idle connection is closed: more than the 90 s of the API server, because a shorter time can fail requests. */
const KEEP_ALIVE_MS = 120_000;
/** The timeout of a request: no API server waits longer. Also set for the head of a request, because Node.js applies the smaller value. */
const REQUEST_TIMEOUT_MS = 10_000;
/** The timeout of the TLS handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The interval at which Node.js checks the timeouts. */
const CHECK_TIMEOUTS_MS = 2_000;
/** The maximum number of open connections, far more than API servers open. Even with a small body on each, all connections fit into memory. */
const MAX_CONNECTIONS = 1_200;
/**
 * The maximum number of requests of a connection. Without this limit, new replicas would get no requests, because API servers keep connections
 * forever.
 */
const REQUESTS_PER_SOCKET = 1_000;

export type WebhookServer = FastifyInstance<Server>;

const noSchemas = (): never => {
  throw new PortcullisError('Bug', 'no route has a schema');
};
/** An option that replaces Fastify's schema compilers. The compilers would cost a tenth of the start time and 5 MB. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } };

/** Builds the HTTPS server for `/mutate` and `/validate`. */
export function buildServer(deps: ServerDeps, pair: Pick<ServingPair, 'cert' | 'key'>): WebhookServer {
  const idleConnections = new IdleConnections(KEEP_ALIVE_MS);
  const server = Fastify({
    https: {
      cert: pair.cert,
      key: pair.key,
      ...clientOptions(deps.clients),
      minVersion: 'TLSv1.2',
      // API servers call webhooks with HTTP/1.1.
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_TIMEOUTS_MS,
    },
    bodyLimit: BODY_LIMIT,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    clientErrorHandler: handleClientErrors(idleConnections),
    logger: false,
    schemaController: WITHOUT_SCHEMAS,
  });
  server.server.headersTimeout = REQUEST_TIMEOUT_MS;
  limitConnections(server.server, MAX_CONNECTIONS, () => deps.metrics.dropped.inc());
  server.addHook('preClose', (done) => {
    idleConnections.end();
    done();
  });
  const queue = new Queue(deps.maxInFlight, () => deps.clock.monotonic());
  server.decorateRequest('receivedAt', 0);
  server.addHook('onRequest', (request, _reply, done) => {
    request.receivedAt = queue.arrivalOfHead();
    try {
      rejectUnknownClient(request, deps.clients);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  const memory = new BodyBudget(() => deps.clock.monotonic());
  server.addHook('preParsing', (request, reply, payload, done) => {
    if (!isSmall(request)) reply.raw.once('close', countBytes(payload, memory));
    done(null, payload);
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.setErrorHandler((error: FastifyError, request, reply) =>
    replyWithError(error, reply, deps, traceOf(request.headers)),
  );
  deps.metrics.watchWork({ waiting: () => queue.length, bodyBytes: () => memory.usedBytes });
  server.post('/mutate', handler('mutate', queue, deps));
  server.post('/validate', handler('validate', queue, deps));
  return server;
}

/** Throws if the client may not send reviews. */
function rejectUnknownClient({ raw }: FastifyRequest, clients: Clients | undefined): void {
  const why = clients === undefined ? undefined : rejectedClient(clients, raw.socket);
  if (why !== undefined) throw Object.assign(new PortcullisError('Unauthorized', why), { statusCode: 403 });
}

/** Returns whether the body has at most `SMALL_BYTES`. Returns false if the length is unknown. */
const isSmall = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? BODY_LIMIT) <= SMALL_BYTES;

type Incoming = Pick<FastifyRequest, 'body' | 'query' | 'receivedAt' | 'headers'>;

/** Returns the handler of a path. */
const handler =
  (path: 'mutate' | 'validate', queue: Queue, deps: ServerDeps) =>
  (incoming: Incoming): object => {
    const body = incoming.body as Buffer;
    const decide = (expired: () => boolean): object => {
      // An expired review leaves no time to read a large body.
      if (body.length > LARGE_BYTES && expired())
        throw tooBusy('the webhook had no time for a large review: try again');
      const request = readReview(parseBody(body));
      return answerTo(request.uid, deps[path](request, expired, traceOf(incoming.headers)));
    };
    const expired = deadlineOf(incoming, deps.clock);
    const answer = queue.add(() => decide(expired), body.length, expired);
    if (answer !== undefined) return answer;
    // If the queue is full, the review counts as expired and skips hygiene rules.
    deps.metrics.overloaded.inc({ path });
    return decide(() => true);
  };

function deadlineOf({ query, receivedAt }: Incoming, clock: Clock): () => boolean {
  const { timeout } = query as { readonly timeout?: string | readonly string[] };
  return deadline(typeof timeout === 'string' ? timeout : undefined, receivedAt, clock);
}

/** Replies with an error instead of a decision. */
function replyWithError(
  error: FastifyError,
  reply: FastifyReply,
  { log, metrics }: ServerDeps,
  trace: TraceContext | undefined,
): FastifyReply {
  const status = error instanceof PortcullisError && error.reason === 'Invalid' ? 400 : (error.statusCode ?? 500);
  metrics.undecided.inc({ status });
  // The API server shows the text to the user.
  void reply.code(status).type('text/plain; charset=utf-8');
  // Closing the connection avoids reading the rest of a large body, and lets the retry reach another replica.
  const isBusy = error instanceof PortcullisError && error.retryAfterMs !== undefined;
  if (isBusy || status === 413) void reply.header('connection', 'close');
  if (isBusy) {
    void reply.header('retry-after', Math.ceil(error.retryAfterMs / 1_000));
    log.warn({ status, error: messageOf(error), ...trace }, 'request rejected');
    return reply.send(`${messageOf(error)}\n`);
  }
  if (status < 500) {
    log.info({ status, error: messageOf(error), ...trace }, 'request could not be read');
    return reply.send(`${messageOf(error)}\n`);
  }
  const incident = randomUUID();
  log.error({ err: error, incident, ...trace }, 'request could not be decided');
  return reply.send(`portcullis could not decide this request (incident ${incident} in the webhook's log)\n`);
}

/** Starts to listen; port 0 selects a free port. Rejects with `InvalidConfiguration` and a remedy if the address is unusable. */
export async function listen(server: WebhookServer, address: ServerAddress): Promise<void> {
  const host = hostOf(address);
  const { port } = address;
  try {
    await server.listen({ host, port });
  } catch (error) {
    const isPortInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const why = isPortInUse
      ? 'because another process uses the port: stop that process, or choose another port with --port'
      : `(${messageOf(error)}): choose an address of this machine and a port that this user may use, with --bind-address and --port`;
    throw new PortcullisError(
      'InvalidConfiguration',
      `the admission server cannot listen on ${host} port ${port} ${why}`,
      { cause: error },
    );
  }
}
