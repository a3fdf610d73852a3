import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { createMetrics } from '../../webhook/metrics.ts';
import type { Clients } from '../../webhook/server/client-certificates.ts';
import { buildServer, type Decide, type WebhookServer } from '../../webhook/server/server.ts';
import type { ServingCertificate } from './serving-certificate.ts';

export interface ServerInput {
  readonly validate?: Decide;
  readonly log?: string[];
  readonly clock?: Clock;
  readonly maxInFlight?: number;
  readonly registry?: Registry;
  readonly clients?: Clients;
}

/** Creates the admission server for unit tests of connections, by default without rules, so that it allows everything. */
export function aServer({ certificate, key }: ServingCertificate, input: ServerInput = {}): WebhookServer {
  const allow: Decide = () => ({ allowed: true });
  return buildServer(
    {
      mutate: allow,
      validate: input.validate ?? allow,
      clock: input.clock ?? systemClock,
      log: pino({ base: null }, { write: (line: string) => input.log?.push(line) }),
      metrics: createMetrics(input.registry ?? new Registry()),
      maxInFlight: input.maxInFlight ?? 100,
      clients: input.clients,
    },
    { cert: Buffer.from(certificate), key: Buffer.from(key) },
  );
}
