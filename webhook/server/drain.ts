import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../src/base/clock.ts';

/** How the server leaves: see `drain`. */
export interface Drain {
  /** Whether leaving has begun: readiness fails from then on. */
  readonly begun: boolean;
  begin(): void;
}

/** Makes every reply of a server that is leaving close its connection: the API server would go on using it otherwise. */
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
 * Leaves without failing a request: readiness fails, requests are served on while endpoints and connections go elsewhere, and the server
 * is closed after `delayMs`, or at once when the signal is aborted.
 */
export async function drain(
  server: FastifyInstance,
  leaving: Drain,
  delayMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  leaving.begin();
  await clock.sleep(delayMs, signal).catch(() => undefined);
  await server.close();
}
