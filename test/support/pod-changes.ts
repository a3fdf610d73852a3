import type { JournalEntry } from '../../src/local/simulator/simulator.ts';
import { aCluster, ENDPOINT_SLICES, SERVICES } from './simulated-cluster.ts';
import { addressOf, aPodSlice, interfacesOf } from './pods.ts';
import { aService } from './service.ts';

/** A change of the ready pods of a Service, `atMs` milliseconds after the start. Each pod is added or removed at most once. */
export interface PodChange {
  readonly atMs: number;
  /** The number of the pod that becomes ready, up to 220. */
  readonly add?: number;
  /** The number of the pod that is no longer ready. */
  readonly remove?: number;
}

/** The cost of pod changes, with the milliseconds until all ports have them, in ascending order. `Infinity` if the cloud never applies a change. */
export interface PodChangeCost {
  readonly calls: readonly string[];
  readonly rejectedCalls: readonly JournalEntry[];
  readonly kubernetesWrites: number;
  readonly addedAfterMs: readonly number[];
  readonly removedAfterMs: readonly number[];
}

interface Timed {
  readonly pod: number;
  readonly atMs: number;
}

const waits = (changes: readonly Timed[], calls: readonly JournalEntry[], action: string): readonly number[] =>
  changes
    .map(({ pod, atMs }) => {
      const address = `"${addressOf(pod)}"`;
      const isAbout = (call: JournalEntry): boolean => call.parameters['BackendServers']?.includes(address) === true;
      const last = calls.findLast((call) => call.action === action && isAbout(call));
      return last === undefined ? Infinity : Date.parse(last.finished ?? '') - atMs;
    })
    .toSorted((one, other) => one - other);

/** Changes the pods of a Service with two ports and backend pods 1 to 100, and advances the clock by a minute. */
export async function changePods(changes: readonly PodChange[]): Promise<PodChangeCost> {
  const service = aService({ ports: [80, 443], annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
  const cluster = aCluster({ cloudSettings: { backendsPerLoadBalancer: 1_000 } });
  const { clock, kubernetes, simulator } = cluster;
  simulator.seed({ networkInterfaces: interfacesOf(220) });
  const process = cluster.start();
  const pods = new Set(Array.from({ length: 100 }, (_, index) => index + 1));
  kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [...pods]));
  kubernetes.put(SERVICES, service);
  await cluster.quiet(10 * 60_000);
  const [since, writes, startMs] = [simulator.journal().length, kubernetes.writes.length, clock.monotonic()];
  const [added, removed]: [Timed[], Timed[]] = [[], []];
  for (const { atMs, add, remove } of changes) {
    await clock.advance(startMs + atMs - clock.monotonic());
    if (add !== undefined) {
      pods.add(add);
      added.push({ pod: add, atMs: clock.now() });
    }
    if (remove !== undefined) {
      pods.delete(remove);
      removed.push({ pod: remove, atMs: clock.now() });
    }
    kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [...pods]));
  }
  await cluster.quiet();
  await process.stop();
  const journal = cluster.journal(since);
  return {
    calls: journal.map(({ action }) => action),
    rejectedCalls: journal.filter(({ outcome }) => outcome !== 'OK'),
    kubernetesWrites: kubernetes.writes.length - writes,
    addedAfterMs: waits(added, journal, 'AddVServerGroupBackendServers'),
    removedAfterMs: waits(removed, journal, 'RemoveVServerGroupBackendServers'),
  };
}
