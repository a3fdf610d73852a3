import { isDeepStrictEqual } from 'node:util';
import type { LoadBalancer } from '../clb/model/load-balancer.ts';
import { CLUSTER_TAG, OWNER_TAG, SYSTEM_TAG_PREFIX, defaultLoadBalancerName, parseName } from '../clb/model/naming.ts';
import { paidBandwidth } from '../clb/model/paid-bandwidth.ts';
import { mayHaveHash } from '../clb/diff/scheduler-change.ts';
import { hasFinalizer } from '../clb/model/provisioning-evidence.ts';
import { PrunedFields } from '../base/crd-pruned-fields.ts';
import { keyOf, objectKey, type ObjectKey, type Service } from '../base/kubernetes-objects.ts';
import type { ReadListener } from './cloud-list-api.ts';
import type {
  ClassicLoadBalancer,
  ClassicLoadBalancerStatus,
  ListenerStatus,
  TaggedOwner,
  TagStatus,
} from './custom-resources.ts';

/** The facts that determine the owner of a load balancer. */
export interface Belongings {
  readonly clusterId: string;
  /** The ids in the flag `--protected-load-balancers`. */
  readonly protectedIds: ReadonlySet<string>;
  /** The Services of this cluster by the default name of their owned load balancer; see `servicesByDefaultName`. */
  readonly services: ReadonlyMap<string, ObjectKey>;
}

/** Returns the Services that may own a load balancer, by the default name of the load balancer. */
export const servicesByDefaultName = (services: Iterable<Service>): ReadonlyMap<string, ObjectKey> =>
  new Map(
    Iterator.from(services)
      // A Service whose type has changed keeps its finalizer until cleanup is complete.
      .filter((service) => service.spec?.type === 'LoadBalancer' || hasFinalizer(service))
      .map((service) => [defaultLoadBalancerName(service.metadata.uid), keyOf(service)]),
  );

/** Returns the Service that owns a load balancer, by its owner tag. Names prove nothing, because any user can set them. */
const serviceOf = ({ tags }: LoadBalancer, { services }: Belongings): ObjectKey | undefined =>
  services.get(tags[OWNER_TAG] ?? '');

/** Returns the owner of a load balancer by the protected ids and the tags. */
export function ownerOf(loadBalancer: LoadBalancer, belongings: Belongings): TaggedOwner {
  const { id, tags } = loadBalancer;
  const [ownerTag, cluster] = [tags[OWNER_TAG], tags[CLUSTER_TAG]];
  if (belongings.protectedIds.has(id)) return 'api-server';
  if (ownerTag === undefined) return cluster === undefined ? 'user' : 'api-server';
  // Without a cluster tag, only an existing Service in the owner tag proves this cluster.
  if (cluster === undefined)
    return serviceOf(loadBalancer, belongings) === undefined ? 'other-cluster' : 'this-cluster';
  return cluster === belongings.clusterId ? 'this-cluster' : 'other-cluster';
}

/** Returns whether Services may reuse a load balancer. The inventory reads listeners only of reusable load balancers. */
export const isReusable = (loadBalancer: LoadBalancer, belongings: Belongings): boolean =>
  ownerOf(loadBalancer, belongings) === 'user';

/** Returns the tags sorted by key, without the system tags of the cloud. */
const ownTags = ({ tags }: LoadBalancer): readonly TagStatus[] =>
  Object.entries(tags)
    .filter(([key]) => !key.startsWith(SYSTEM_TAG_PREFIX))
    .map(([key, value]) => ({ key, value }))
    .sort((left, right) => (left.key < right.key ? -1 : 1));

/** Returns the status of a listener. The description names the cluster and the Service that created the listener. */
function listenerStatus(
  { port, protocol, description, scheduler }: ReadListener,
  { clusterId }: Belongings,
): ListenerStatus {
  const name = parseName(description);
  if (name?.clusterId !== clusterId) return { port, protocol };
  const isSchedulerKnown = scheduler !== undefined && mayHaveHash(protocol);
  const service = objectKey(name.service, name.namespace);
  return { port, protocol, service, ...(isSchedulerKnown ? { scheduler } : {}) };
}

/** Returns the fields of a status that show its listeners. */
export const listenerFields = (
  listeners: readonly ListenerStatus[],
): Required<Pick<ClassicLoadBalancerStatus, 'listeners' | 'ports'>> => ({
  listeners,
  ports: listeners.map(({ protocol, port }) => `${protocol}/${port}`).join(','),
});

/** Returns the status of a load balancer for its `ClassicLoadBalancer` object. Every minute, the inventory controller writes the changed statuses. */
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
    ...listenerFields(
      listeners
        .map((listener) => listenerStatus(listener, belongings))
        .sort((a, b) => a.port - b.port || a.protocol.localeCompare(b.protocol)),
    ),
    ...(owner === 'user' ? { tags: ownTags(loadBalancer) } : {}),
  };
}

/** A write of a `ClassicLoadBalancer` object. */
export type InventoryWrite =
  | { readonly kind: 'create'; readonly name: string; readonly status: ClassicLoadBalancerStatus }
  | { readonly kind: 'patch'; readonly name: string; readonly status: ClassicLoadBalancerStatus }
  | { readonly kind: 'delete'; readonly name: string; readonly uid: string };

/** Returns the writes for the inventory. `region` must be complete, because the objects of all other load balancers are deleted. */
export function inventoryWrites(
  region: ReadonlyMap<string, ClassicLoadBalancerStatus>,
  existing: Iterable<ClassicLoadBalancer>,
  pruned = new PrunedFields(),
): readonly InventoryWrite[] {
  const existingByName = new Map(Iterator.from(existing).map((object) => [object.metadata.name, object]));
  const writes: InventoryWrite[] = [];
  for (const [name, status] of region) {
    const object = existingByName.get(name);
    if (object === undefined) writes.push({ kind: 'create', name, status });
    else if (!shows(object.status, pruned.without(status))) writes.push({ kind: 'patch', name, status });
  }
  for (const [name, { metadata }] of existingByName) {
    if (!region.has(name)) writes.push({ kind: 'delete', name, uid: metadata.uid });
  }
  return writes;
}

/** The values of the fields that an older version did not write. */
const OLDER = { bandwidth: 0, ports: '' };

/** Returns whether a stored status has all wanted values. Ignores unknown fields. */
const shows = (found: ClassicLoadBalancerStatus | undefined, wanted: Partial<ClassicLoadBalancerStatus>): boolean =>
  found !== undefined &&
  Object.entries(wanted).every(([field, value]) =>
    isDeepStrictEqual(Reflect.get({ ...OLDER, ...found }, field), value),
  );
