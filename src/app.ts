import type { Registry } from 'prom-client';
import type { Cloud } from './alibaba/cloud.ts';
import type { ClusterSettings } from './clb/settings.ts';
import type { Clock } from './clock.ts';
import type { KubernetesApi } from './controller/port.ts';
import { serviceController } from './controller/service-controller.ts';
import { createFacts } from './inventory/cached-facts.ts';
import type { CloudInventory } from './inventory/resource.ts';
import type { Logger } from './log.ts';
import { runControllers, type Controller } from './reconcile/manager.ts';
import { controllerMetrics, queueMetrics } from './reconcile/metrics.ts';
import type { Watched } from './store.ts';

/** Everything that the controllers run on: real parts in a process, doubles in virtual time. */
export interface AppParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  /** Its caches are synced. */
  readonly kubernetes: KubernetesApi & { readonly cloudInventories: Watched<CloudInventory> };
  readonly cloud: Cloud;
  readonly settings: ClusterSettings;
  /** Load balancers that no Service may use. */
  readonly protectedIds: ReadonlySet<string>;
  /** Services that are carried out at the same time. */
  readonly serviceWorkers: number;
}

/** Runs the controllers of a process that leads, until the signal is aborted. Resolves when all turns have ended; never rejects. */
export async function runApp(parts: AppParts, signal: AbortSignal): Promise<void> {
  const { clock, log, registry, kubernetes, cloud } = parts;
  const facts = createFacts({ ...kubernetes, clock });
  const queues = queueMetrics(registry);
  const service = serviceController({
    ...parts,
    caches: kubernetes,
    writer: kubernetes.writer,
    events: kubernetes.events,
    clb: cloud.clb,
    facts,
    workers: parts.serviceWorkers,
    queueMetrics: queues,
  });
  const controllers: readonly Controller[] = [service];
  await runControllers(controllers, { clock, log, metrics: controllerMetrics(registry) }, signal);
}
