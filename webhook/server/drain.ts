import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../src/base/clock.ts';

/** The state of the shutdown; see `drain`. */
export interface Drain {
  /** Whether the shutdown has started. Readiness fails from then on. */
  readonly begun: boolean;
  begin(): void;
}

/** Adds a hook that closes the connection with each reply during shutdown. The API server would otherwise keep using it. */
export function drainable(server: FastifyInstance): Drain {
  let begun = false;
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (begun) void reply.header('connection', 'close');
    done(null, payload);
  });
  return {
    get begun() {
      return begun;
    },
    begin: () => {
      begun = true;
    },
  };
}

/**
 * Shuts down without failing a request. Readiness fails, and the server answers requests until clients use other replicas. The server closes after
 * `delayMs`, or at once if the signal aborts.
 */
export async function drain(
  server: FastifyInstance,
  drainState: Drain,
  delayMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  drainState.begin();
  await clock.sleep(delayMs, signal).catch(() => undefined);
  await server.close();
}
