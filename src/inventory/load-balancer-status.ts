import { isDeepStrictEqual } from 'node:util';
import type { LoadBalancer } from '../clb/model/load-balancer.ts';
import { CLUSTER_TAG, OWNER_TAG, SYSTEM_TAG_PREFIX, defaultLoadBalancerName, parseName } from '../clb/model/naming.ts';
import { paidBandwidth } from '../clb/model/paid-bandwidth.ts';
import { mayHaveHash } from '../clb/diff/scheduler-change.ts';
import { hasFinalizer } from '../clb/model/service-status.ts';
import { keyOf, objectKey, type ObjectKey, type Service } from '../base/objects.ts';
import type { ReadListener } from './port.ts';
import type {
  ClassicLoadBalancer,
  ClassicLoadBalancerStatus,
  ListenerStatus,
  TaggedOwner,
  TagStatus,
} from './resource.ts';

/** What tells whose a load balancer is. */
export interface Belongings {
  readonly clusterId: string;
  /** Named by `--protected-load-balancers`. */
  readonly protectedIds: ReadonlySet<string>;
  /** The Services of this cluster by the name that their own load balancer has by default; see `servicesByDefaultName`. */
  readonly services: ReadonlyMap<string, ObjectKey>;
}

export const servicesByDefaultName = (services: Iterable<Service>): ReadonlyMap<string, ObjectKey> =>
  new Map(
    Iterator.from(services)
      // One of another type is held until what it had is gone.
      .filter((service) => service.spec?.type === 'LoadBalancer' || hasFinalizer(service))
      .map((service) => [defaultLoadBalancerName(service.metadata.uid), keyOf(service)]),
  );

/** The Service of this cluster that a load balancer was made for, by the tag it was born with: a name may be anybody's doing. */
const serviceOf = ({ tags }: LoadBalancer, { services }: Belongings): ObjectKey | undefined =>
  services.get(tags[OWNER_TAG] ?? '');

/**
 * Who made a load balancer, by its tags. One without the cluster's tag was made before there was such a tag: it is ours when a
 * Service of ours is named by it, else another cluster's.
 */
export function ownerOf(loadBalancer: LoadBalancer, belongings: Belongings): TaggedOwner {
  const { id, tags } = loadBalancer;
  const [madeBy, cluster] = [tags[OWNER_TAG], tags[CLUSTER_TAG]];
  if (belongings.protectedIds.has(id)) return 'api-server';
  if (madeBy === undefined) return cluster === undefined ? 'user' : 'api-server';
  if (cluster === undefined)
    return serviceOf(loadBalancer, belongings) === undefined ? 'other-cluster' : 'this-cluster';
  return cluster === belongings.clusterId ? 'this-cluster' : 'other-cluster';
}

/** Returns whether Services may reuse a load balancer. The inventory reads the listeners of these alone. */
export const isReusable = (loadBalancer: LoadBalancer, belongings: Belongings): boolean =>
  ownerOf(loadBalancer, belongings) === 'user';

/** In the order of their keys; what the cloud has given by itself is left out. */
const ownTags = ({ tags }: LoadBalancer): readonly TagStatus[] =>
  Object.entries(tags)
    .filter(([key]) => !key.startsWith(SYSTEM_TAG_PREFIX))
    .map(([key, value]) => ({ key, value }))
    .sort((left, right) => (left.key < right.key ? -1 : 1));

/**
 * A listener, with the Service of this cluster that made it, by the name that all of its listeners bear: that one alone may have it again,
 * and is told of a scheduler that stands in its way.
 */
function listenerStatus(
  { port, protocol, description, scheduler }: ReadListener,
  { clusterId }: Belongings,
): ListenerStatus {
  const name = parseName(description);
  if (name?.clusterId !== clusterId) return { port, protocol };
  const isTold = scheduler !== undefined && mayHaveHash(protocol);
  const service = objectKey(name.service, name.namespace);
  return { port, protocol, service, ...(isTold ? { scheduler } : {}) };
}

/** A load balancer as it is mirrored. `listeners` in any order. */
export function loadBalancerStatus(
  loadBalancer: LoadBalancer,
  listeners: readonly ReadListener[],
  belongings: Belongings,
): ClassicLoadBalancerStatus {
  const owner = ownerOf(loadBalancer, belongings);
  return {
    address: loadBalancer.address,
    addressType: loadBalancer.addressType,
    ipVersion: loadBalancer.ipVersion ?? 'ipv4',
    vpcId: loadBalancer.addressType === 'internet' ? '' : (loadBalancer.vpcId ?? ''),
    resourceGroupId: loadBalancer.resourceGroupId ?? '',
    bandwidth: paidBandwidth(loadBalancer),
    owner,
    service: owner === 'this-cluster' ? (serviceOf(loadBalancer, belongings) ?? '') : '',
    listeners: listeners
      .map((listener) => listenerStatus(listener, belongings))
      .sort((a, b) => a.port - b.port || a.protocol.localeCompare(b.protocol)),
    ...(owner === 'user' ? { tags: ownTags(loadBalancer) } : {}),
  };
}

/** One write that brings the mirror nearer to the cloud. */
export type InventoryWrite =
  | { readonly kind: 'create'; readonly name: string; readonly status: ClassicLoadBalancerStatus }
  | { readonly kind: 'patch'; readonly name: string; readonly status: ClassicLoadBalancerStatus }
  | { readonly kind: 'delete'; readonly name: string; readonly uid: string };

/**
 * What to write so that `existing` shows `region`; what is equal costs nothing. `region` must be complete: what is not in it
 * is deleted from the mirror.
 */
export function inventoryWrites(
  region: ReadonlyMap<string, ClassicLoadBalancerStatus>,
  existing: Iterable<ClassicLoadBalancer>,
): readonly InventoryWrite[] {
  const there = new Map(Iterator.from(existing).map((object) => [object.metadata.name, object]));
  const writes: InventoryWrite[] = [];
  for (const [name, status] of region) {
    const object = there.get(name);
    if (object === undefined) writes.push({ kind: 'create', name, status });
    else if (!shows(object.status, status)) writes.push({ kind: 'patch', name, status });
  }
  for (const [name, { metadata }] of there) {
    if (!region.has(name)) writes.push({ kind: 'delete', name, uid: metadata.uid });
  }
  return writes;
}

/** Whether every field is as it should be; fields of a newer version are none of ours. No bandwidth is said by silence too. */
const shows = (found: ClassicLoadBalancerStatus | undefined, wanted: ClassicLoadBalancerStatus): boolean =>
  found !== undefined &&
  Object.entries(wanted).every(([field, value]) =>
    isDeepStrictEqual(Reflect.get({ bandwidth: 0, ...found }, field), value),
  );
