import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { adminRoutes } from './admin-routes.ts';
import { Authority } from './authenticate.ts';
import { AdminError, CloudError, ConnectionCut } from './error.ts';
import { metadataRoutes } from './metadata.ts';
import type { SimulatedCall, Simulator } from './simulator.ts';
import { cut, send, wireRequest } from './http-exchange.ts';

/**
 * The milliseconds that idle connections stay open. Clients close idle connections earlier, so that no client sends a call on a closing connection.
 */
const KEEP_ALIVE_MS = 600_000;
const BODY_LIMIT = 4 * 1024 * 1024;

/** Returns a signal that aborts if the caller closes the connection before the response. */
function disconnection(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new ConnectionCut());
  });
  return controller.signal;
}

/** Returns the handler of the cloud API. The calls of all products have the path `/`, and `Action` and `Version` select the operation. */
function apiRoute(
  simulator: Simulator,
  authority: Authority,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const wire = wireRequest(request);
    const { action, version, parameters } = authority.envelope(wire);
    const call: SimulatedCall = {
      action,
      version,
      parameters,
      userAgent: wire.headers['user-agent'] ?? '',
      host: wire.headers['host'] ?? 'localhost',
    };
    try {
      const caller = authority.authenticate(wire);
      send(reply, await simulator.execute({ ...call, caller }, disconnection(reply)));
    } catch (error) {
      if (error instanceof CloudError) send(reply, simulator.rejectEarly(call, error));
      else if (error instanceof ConnectionCut) cut(reply, error.sent);
      else throw error;
    }
  };
}

/** Returns the HTTP server of a simulator: the cloud API, the instance metadata and the simulator's own API. The caller starts the server. */
export function buildServer(simulator: Simulator): FastifyInstance {
  const server = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 500 },
  });
  const authority = new Authority({
    keys: simulator.keys,
    wall: () => simulator.time.wall(),
    now: () => simulator.time.now(),
    anonymous: simulator.owner,
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.route({ method: ['GET', 'POST'], url: '/', handler: apiRoute(simulator, authority) });
  metadataRoutes(server, simulator);
  adminRoutes(server, simulator);
  server.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
    const status = error instanceof AdminError ? 400 : (error.statusCode ?? 500);
    return reply.code(status).send({ error: error.message });
  });
  server.setNotFoundHandler(async ({ method, url }, reply) =>
    reply.code(404).send({ error: `not found: ${method} ${url.split('?')[0] ?? ''}` }),
  );
  return server;
}
