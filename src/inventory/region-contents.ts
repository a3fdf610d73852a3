import type { Clock } from '../base/clock.ts';
import { objectKey, type ObjectKey } from '../base/objects.ts';
import type { LoadBalancerBinding } from './binding.ts';

/** Milliseconds for which a list may lack a new load balancer. Lists lag by up to half a minute, and a pass takes as long. */
const UNLISTED_MS = 60_000;

/** Compares the load balancers of this process and of bindings with complete lists of the region. */
export interface RegionContents {
  created(id: string): void;
  deleted(id: string): void;
  /** Returns whether a complete list may lack a load balancer that this process created. */
  mayBeUnlisted(id: string): boolean;
  /** Calls the handlers for each binding whose load balancer is missing in a complete list, once until it is listed again. */
  compare(listed: ReadonlyMap<string, unknown>, bindings: Iterable<LoadBalancerBinding>): void;
  onMissing(handler: (service: ObjectKey) => void): void;
}

export function createRegionContents(clock: Pick<Clock, 'monotonic'>): RegionContents {
  /** The times of creations by id, the earliest first. */
  const createdAtMs = new Map<string, number>();
  const handlers: ((service: ObjectKey) => void)[] = [];
  let missing: ReadonlySet<string> = new Set();
  const isRecent = (atMs: number | undefined): boolean => atMs !== undefined && clock.monotonic() - atMs < UNLISTED_MS;
  const mayBeUnlisted = (id: string): boolean => isRecent(createdAtMs.get(id));
  return {
    created: (id) => {
      for (const [other, atMs] of createdAtMs) {
        if (isRecent(atMs)) break;
        createdAtMs.delete(other);
      }
      createdAtMs.set(id, clock.monotonic());
    },
    deleted: (id) => void createdAtMs.delete(id),
    mayBeUnlisted,
    compare: (listed, bindings) => {
      const before = missing;
      const lost = [...bindings].filter(({ spec: { loadBalancer } }) => {
        const { id } = loadBalancer ?? {};
        return id !== undefined && !listed.has(id) && !mayBeUnlisted(id);
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
