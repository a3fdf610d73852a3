import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../src/base/clock.ts';

/** The state of the shutdown. */
export interface Drain {
  /** True once the shutdown has started. Readiness then fails. */
  readonly begun: boolean;
  begin(): void;
}

/** Prepares a server for shutdown: every reply during the shutdown closes its connection. API servers would otherwise keep using the connection. */
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

/** Closes the server after `delayMs`, so that clients can move to other replicas first. The signal ends the delay. */
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
