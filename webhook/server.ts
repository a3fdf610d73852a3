import { randomUUID } from 'node:crypto';
import type { Server } from 'node:https';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../src/clock.ts';
import { PortcullisError, messageOf } from '../src/errors.ts';
import type { Logger } from '../src/log.ts';
import { readBody } from './body.ts';
import type { KeyPair } from './certificate.ts';
import { deadline } from './deadline.ts';
import { hostOf, type Address } from './address.ts';
import type { WebhookMetrics } from './metrics.ts';
import { answerTo, readReview, type AdmissionRequest, type Answer } from './review.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its head had been read; monotonic milliseconds. */
    receivedAt: number;
  }
}

/** Decides one request. Throws when it cannot: the caller gets HTTP 500 then, and the failure policy decides. */
export type Decide = (request: AdmissionRequest, expired: () => boolean) => Answer;

export interface ServerDeps {
  readonly mutate: Decide;
  readonly validate: Decide;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<WebhookMetrics, 'unreadable'>;
}

/** Old and new object of at most 3 MB each and a little around them; a smaller limit is a way past rules that fail open. */
const BODY_LIMIT = 7 * 1024 * 1024;
/** Longer than the 90 s after which the API server gives up an idle connection, or ours closes one that is about to be used. */
const KEEP_ALIVE_MS = 120_000;
const HEADERS_TIMEOUT_MS = 32_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** The API server never leaves a live connection by itself: without this, new replicas get no work. */
const REQUESTS_PER_SOCKET = 1_000;

export type WebhookServer = FastifyInstance<Server>;

/** The admission server, ready for `inject` or `listen`. HTTP/1.1 only, which is all that the API server speaks to webhooks. */
export function buildServer(deps: ServerDeps, pair: Pick<KeyPair, 'cert' | 'key'>): WebhookServer {
  const server = Fastify({
    https: { cert: pair.cert, key: pair.key, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] },
    bodyLimit: BODY_LIMIT,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    logger: false,
  });
  // As a property, because as an option Node demands that it be below the request time-out.
  server.server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.decorateRequest('receivedAt', 0);
  server.addHook('onRequest', (request, _reply, done) => {
    request.receivedAt = deps.clock.monotonic();
    done();
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, readBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  server.setErrorHandler((error: FastifyError, _request, reply) => explain(error, reply, deps));
  server.post('/mutate', handler(deps.mutate, deps.clock));
  server.post('/validate', handler(deps.validate, deps.clock));
  return server;
}

const handler =
  (decide: Decide, clock: Clock) =>
  (incoming: Pick<FastifyRequest, 'body' | 'query' | 'receivedAt'>): object => {
    const request = readReview(incoming.body);
    const { timeout } = incoming.query as { readonly timeout?: string | readonly string[] };
    const expired = deadline(typeof timeout === 'string' ? timeout : undefined, incoming.receivedAt, clock);
    return answerTo(request.uid, decide(request, expired));
  };

/** What went wrong before there was a verdict, as plain text: the API server shows it to the user under its own words. */
function explain(error: FastifyError, reply: FastifyReply, { log, metrics }: ServerDeps): FastifyReply {
  const status = error instanceof PortcullisError && error.reason === 'InvalidObject' ? 400 : (error.statusCode ?? 500);
  metrics.unreadable.inc({ status });
  void reply.code(status).type('text/plain; charset=utf-8');
  if (status < 500) {
    log.info({ status, error: messageOf(error) }, 'request could not be read');
    return reply.send(`${messageOf(error)}\n`);
  }
  const incident = randomUUID();
  log.error({ err: error, incident }, 'request could not be decided');
  return reply.send(`portcullis could not decide this request (incident ${incident} in the webhook's log)\n`);
}

/** Listens; the port may be 0 for a free one. Rejects `InvalidConfiguration` with what to do about it. */
export async function listen(server: WebhookServer, address: Address): Promise<void> {
  const host = hostOf(address);
  const { port } = address;
  try {
    await server.listen({ host, port });
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const why = isTaken
      ? 'because another process does: stop it, or choose another port with --port'
      : `(${messageOf(error)}): choose an address of this machine and a port that this user may use, with --bind-address and --port`;
    throw new PortcullisError(
      'InvalidConfiguration',
      `the admission server cannot listen on ${host} port ${port} ${why}`,
      { cause: error },
    );
  }
}
