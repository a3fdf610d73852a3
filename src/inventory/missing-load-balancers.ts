import type { Clock } from '../base/clock.ts';
import { objectKey, type ObjectKey } from '../base/kubernetes-objects.ts';
import type { LoadBalancerBinding } from './binding.ts';

/** The time for which lists can lack a change: up to 30 s of lag and 30 s of reading. */
const OUTDATED_MS = 60_000;

/** The comparison of region lists with bindings, which detects deleted load balancers before the next full read of the Service. */
export interface RegionContents {
  /** Records that this process created a load balancer or changed its inventory status. */
  changed(id: string): void;
  deleted(id: string): void;
  /** Returns whether a list can lack a recent change of the load balancer by this process. */
  mayBeOutdated(id: string): boolean;
  /** Calls the handlers once for each binding whose load balancer is missing in `listed`, a complete list of the region. */
  compare(listed: ReadonlyMap<string, unknown>, bindings: Iterable<LoadBalancerBinding>): void;
  onMissing(handler: (service: ObjectKey) => void): void;
}

/** Creates the comparison when a process starts to lead. */
export function createRegionContents(clock: Pick<Clock, 'monotonic'>): RegionContents {
  /** The times of changes by load balancer id, the earliest first. */
  const changedAtMs = new Map<string, number>();
  const handlers: ((service: ObjectKey) => void)[] = [];
  let missing: ReadonlySet<string> = new Set();
  const isRecent = (atMs: number | undefined): boolean => atMs !== undefined && clock.monotonic() - atMs < OUTDATED_MS;
  const mayBeOutdated = (id: string): boolean => isRecent(changedAtMs.get(id));
  return {
    changed: (id) => {
      for (const [other, atMs] of changedAtMs) {
        if (isRecent(atMs)) break;
        changedAtMs.delete(other);
      }
      changedAtMs.delete(id);
      changedAtMs.set(id, clock.monotonic());
    },
    deleted: (id) => void changedAtMs.delete(id),
    mayBeOutdated,
    compare: (listed, bindings) => {
      const before = missing;
      const lost = [...bindings].filter(({ spec: { loadBalancer } }) => {
        const { id } = loadBalancer ?? {};
        return id !== undefined && !listed.has(id) && !mayBeOutdated(id);
      });
      missing = new Set(lost.map(({ metadata }) => metadata.name));
      for (const { metadata, spec } of lost) {
        if (before.has(metadata.name)) continue;
        for (const handler of handlers) handler(objectKey(spec.service.name, spec.service.namespace));
      }
    },
    onMissing: (handler) => void handlers.push(handler),
  };
}
