import { pino } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.ts';
import { controllerKubernetes, webhookKubernetes } from '../../../src/kubernetes/controller-webhook-clients.ts';

/** The message that a process sends when its caches are full. */
export interface Filled {
  readonly services: number;
}

const report = (filled: Filled): void => {
  process.send?.(filled);
};

/** Fills the caches of one process from the API server at an address. `memory.ts` measures the peak memory. */
const [part, server = ''] = process.argv.slice(2);
const shared = {
  connection: { server },
  clock: systemClock,
  log: pino({ level: 'silent' }),
  registry: new Registry(),
};
const never = new AbortController().signal;

if (part === 'controller') {
  const kubernetes = controllerKubernetes({ ...shared, identity: 'large' });
  const { caches } = kubernetes;
  void kubernetes.run(never);
  await caches.synced(never);
  report({ services: caches.services.size });
} else {
  const kubernetes = webhookKubernetes(shared);
  void kubernetes.run(never);
  await kubernetes.synced(never);
  report({ services: kubernetes.services.size });
}
