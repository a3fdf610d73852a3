import type { LoadBalancerBinding } from '../../inventory/binding.ts';
import { findOrphans, orphanKey, orphansShown, type Orphan, type Region } from '../../inventory/orphan.ts';
import type { ClassicLoadBalancer } from '../../inventory/custom-resources.ts';
import { NAMESPACES, objectKey, type Service } from '../../base/kubernetes-objects.ts';
import type { Watched } from '../../base/cache-interfaces.ts';
import type { KubernetesWriter } from '../kubernetes-interface.ts';

export interface OrphanWatchParts {
  readonly writer: Pick<KubernetesWriter, 'get'>;
  readonly services: Watched<Service>;
  readonly bindings: Watched<LoadBalancerBinding>;
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly cluster: { readonly clusterId: string };
}

/** The search for orphans. Reports an orphan only if two successive complete passes find the orphan, because a single list can be outdated. */
export interface OrphanWatch {
  /** Returns the orphans that the last complete pass also found, or that the inventory shows. Empty while a cache is incomplete. */
  orphansIn(region: Region, signal: AbortSignal): Promise<readonly Orphan[]>;
  /** Saves the orphans of this pass for comparison with the next pass. Called after a complete pass. */
  completed(): void;
}

/** Creates the search for orphans, which the inventory controller calls in each pass. */
export function createOrphanWatch(parts: OrphanWatchParts): OrphanWatch {
  const { writer, services, bindings, classicLoadBalancers, cluster } = parts;
  let clusterUid: string | undefined;
  let last: readonly Orphan[] = [];
  let seenBefore: ReadonlySet<string> = new Set();
  return {
    orphansIn: async (region, signal) => {
      clusterUid ??= (await writer.get(NAMESPACES, objectKey('kube-system'), signal)).metadata.uid;
      const records = { ...cluster, clusterUid, services: services.values(), bindings: bindings.values() };
      last = services.hasSynced() && bindings.hasSynced() ? findOrphans(region, records) : [];
      const shown = Iterator.from(classicLoadBalancers.values()).flatMap(orphansShown);
      const before = new Set([...seenBefore, ...shown]);
      return last.filter((orphan) => before.has(orphanKey(orphan)));
    },
    completed: () => {
      seenBefore = new Set(last.map(orphanKey));
    },
  };
}
