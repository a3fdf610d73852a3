import type { Gauge, Registry } from 'prom-client';
import type { Service } from '../../../base/kubernetes-objects.ts';
import type { Store } from '../../../base/cache-interfaces.ts';
import { wantsLoadBalancer } from '../../../rules/engine/subject.ts';
import { scrapedGauge, type Samples } from '../../metrics.ts';
import { publishedReadiness } from './condition-patch.ts';

interface Readiness {
  readonly ready: 'true' | 'false' | 'unknown';
  readonly reason: string;
}

const READY: Readiness = { ready: 'true', reason: 'EnsuredLoadBalancer' };
/** The state of a Service without a condition. */
const PENDING: Readiness = { ready: 'unknown', reason: 'Pending' };
const CLEANUP: Readiness = { ready: 'unknown', reason: 'Cleanup' };

function readinessOf(service: Service): Readiness {
  if (service.metadata.deletionTimestamp !== undefined) return CLEANUP;
  const shown = publishedReadiness(service);
  if (shown === undefined) return PENDING;
  return { ready: shown.status === 'True' ? 'true' : 'false', reason: shown.reason };
}

/** Counts the managed Services by their conditions. Runs for each scrape, so it reads only the cache. */
function countServices(services: Iterable<Service>): Samples<keyof Readiness> {
  const counts = new Map<string, { readonly readiness: Readiness; count: number }>();
  const counterOf = (readiness: Readiness) => {
    const key = `${readiness.ready} ${readiness.reason}`;
    const counter = counts.get(key) ?? { readiness, count: 0 };
    counts.set(key, counter);
    return counter;
  };
  counterOf(READY);
  for (const service of services) if (wantsLoadBalancer(service)) counterOf(readinessOf(service)).count += 1;
  return counts.values().map(({ readiness, count }) => [readiness, count] as const);
}

/** Registers the gauge `portcullis_services`. */
export const servicesGauge = (registry: Registry, services: Pick<Store<Service>, 'values'>): Gauge<keyof Readiness> =>
  scrapedGauge(
    registry,
    'portcullis_services',
    'Services of type LoadBalancer by the condition LoadBalancerReady. Pending: no condition yet. Cleanup: being deleted.',
    ['ready', 'reason'],
    () => countServices(services.values()),
  );
