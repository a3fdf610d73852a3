import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { createFacts } from '../../../src/inventory/facts-from-caches.ts';
import { webhookCaches, type WebhookCaches } from '../../../src/kubernetes/caches.ts';
import { reflectorMetrics } from '../../../src/kubernetes/metrics.ts';
import type { Transport } from '../../../src/kubernetes/transport.ts';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { createAdmission } from '../../../webhook/admission/admission.ts';
import { createMetrics } from '../../../webhook/metrics.ts';
import { buildServer } from '../../../webhook/server/server.ts';
import { ALL_RULES } from '../../../webhook/admission/validate.ts';
import type { ServingCertificate } from '../serving-certificate.ts';

/** The admission server of the scenarios. It runs in this process, so that a test can wait for its caches. */
export interface Admission extends AsyncDisposable {
  readonly port: number;
  readonly caches: WebhookCaches;
}

/** The time at which the inventory was read. */
export const OBSERVED_AT = '2026-01-01T00:00:00Z';

/** A stopped clock, so that the inventory never becomes stale on a slow machine. */
const stillClock: Clock = { ...systemClock, now: () => Date.parse(OBSERVED_AT), monotonic: () => 0 };

export async function startAdmission(
  transport: Transport,
  { certificate, key }: ServingCertificate,
): Promise<Admission> {
  const log = pino({ level: 'silent' });
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const clock = systemClock;
  const caches = webhookCaches({ transport, clock, log, metrics: reflectorMetrics(registry) });
  const facts = createFacts({ ...caches, clock: stillClock });
  const admission = createAdmission({
    facts,
    policy: ENFORCE_ALL,
    rules: ALL_RULES,
    deprecatedKeys: 'auto',
    clock,
    log,
    metrics,
    logDecision: () => undefined,
    afterResponse: setImmediate,
  });
  const server = buildServer(
    { ...admission, clock, log, metrics, maxInFlight: 100 },
    { cert: Buffer.from(certificate), key: Buffer.from(key) },
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
  const following = new AbortController();
  const background = caches.run(following.signal);
  await caches.synced(following.signal);
  return {
    port: (server.server.address() as AddressInfo).port,
    caches,
    [Symbol.asyncDispose]: async () => {
      following.abort();
      await background;
      server.server.closeAllConnections();
      await server.close();
    },
  };
}
