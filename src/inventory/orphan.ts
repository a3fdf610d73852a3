import type { LoadBalancer } from '../clb/model/load-balancer.ts';
import { defaultLoadBalancerName, isDefaultName, OWNER_TAG, parseName, REUSED_TAG } from '../clb/model/naming.ts';
import { listenerKey } from '../clb/model/desired-and-observed-state.ts';
import type { VServerGroup } from '../clb/model/server-group.ts';
import { NO_CLUSTER_ID } from '../base/default-cluster-id.ts';
import { keyOf, objectKey, type ObjectKey, type Service } from '../base/kubernetes-objects.ts';
import type { LoadBalancerBinding } from './binding.ts';
import type { ReadListener } from './cloud-list-api.ts';
import type {
  ClassicLoadBalancer,
  ClassicLoadBalancerStatus,
  ListenerProtocol,
  TaggedOwner,
} from './custom-resources.ts';

/**
 * A resource or binding whose Service no longer exists, and that no cleanup will remove. `portcullis status` and `portcullis plan --orphans` show
 * orphans.
 */
export type Orphan =
  | { readonly kind: 'load-balancer'; readonly id: string }
  | {
      readonly kind: 'listener';
      readonly loadBalancer: string;
      readonly port: number;
      readonly protocol: ListenerProtocol;
      readonly service: ObjectKey;
    }
  | {
      readonly kind: 'server-group';
      readonly loadBalancer: string;
      readonly id: string;
      readonly name: string;
      readonly service: ObjectKey;
    }
  /** A binding that the controller never cleans up: another cluster recorded the binding, or the binding is `orphaned`. */
  | {
      readonly kind: 'binding';
      readonly uid: string;
      readonly service: ObjectKey;
      readonly of: 'other-cluster' | 'other-controller';
      readonly loadBalancer?: string;
    };

/** The load balancers of the region and their parts. `groups` is undefined if server groups were not read. */
export interface Region {
  readonly loadBalancers: readonly (Pick<LoadBalancer, 'id' | 'tags'> & { readonly owner: TaggedOwner })[];
  readonly listeners: ReadonlyMap<string, readonly ReadListener[]>;
  readonly groups?: ReadonlyMap<string, readonly VServerGroup[]>;
}

/** The objects of this cluster. Callers must read the region first, because a load balancer that is created in between would look like an orphan. */
export interface ClusterRecords {
  readonly clusterId: string;
  /** The UID of the namespace `kube-system`, which identifies the cluster. */
  readonly clusterUid: string;
  readonly services: Iterable<Service>;
  readonly bindings: Iterable<LoadBalancerBinding>;
}

/** Returns whether the controller cleans up a binding after its Service was deleted. */
const isCleanedUp = ({ spec }: LoadBalancerBinding, clusterUid: string): boolean =>
  spec.clusterUID === clusterUid && spec.orphaned !== true;

/** Returns whether orphans can be detected. Clusters without an id share the default id, so their load balancers look alike. */
export const canDetectOrphans = (clusterId: string): boolean => clusterId !== NO_CLUSTER_ID && clusterId !== '';

/** The Services that exist or that are being cleaned up, and their load balancers. Resources of other Services are orphans. */
interface Claims {
  readonly clusterId: string;
  readonly ownNames: ReadonlySet<string>;
  readonly services: ReadonlySet<ObjectKey>;
  readonly loadBalancers: ReadonlySet<string>;
  readonly unclaimedBindings: readonly LoadBalancerBinding[];
}

function claimsOf({ clusterId, clusterUid, services, bindings }: ClusterRecords): Claims {
  const uids = new Set<string>();
  const keys = new Set<ObjectKey>();
  for (const service of services) {
    uids.add(service.metadata.uid);
    keys.add(keyOf(service));
  }
  const stored = [...bindings];
  const claims = (binding: LoadBalancerBinding): boolean =>
    uids.has(binding.metadata.name) || isCleanedUp(binding, clusterUid);
  const claiming = stored.filter(claims);
  return {
    clusterId,
    ownNames: new Set([...uids, ...claiming.map(({ metadata }) => metadata.name)].map(defaultLoadBalancerName)),
    services: new Set([...keys, ...claiming.map(serviceOf)]),
    loadBalancers: new Set(claiming.flatMap(({ spec }) => spec.loadBalancer?.id ?? [])),
    unclaimedBindings: stored.filter((binding) => !claims(binding)),
  };
}

const serviceOf = ({ spec: { service } }: LoadBalancerBinding): ObjectKey => objectKey(service.name, service.namespace);

/** Returns whether a load balancer was created for a Service of this cluster that no longer exists. */
function isOrphaned({ id, tags, owner }: Region['loadBalancers'][number], claims: Claims): boolean {
  const ownName = tags[OWNER_TAG] ?? '';
  return (
    owner === 'this-cluster' && isDefaultName(ownName) && !claims.ownNames.has(ownName) && !claims.loadBalancers.has(id)
  );
}

/** Returns the Service in a name, if the name belongs to this cluster and the Service no longer exists. */
function goneServiceIn(name: string, { clusterId, services }: Claims): ObjectKey | undefined {
  const parts = parseName(name);
  if (parts?.clusterId !== clusterId) return undefined;
  const service = objectKey(parts.service, parts.namespace);
  return services.has(service) ? undefined : service;
}

/**
 * Returns the orphans on a user-managed load balancer. Ignores preserved load balancers, which have no reuse tag and keep their listeners on purpose.
 */
function orphansOn({ id, tags, owner }: Region['loadBalancers'][number], region: Region, claims: Claims): Orphan[] {
  if (owner !== 'user' || tags[REUSED_TAG] === undefined) return [];
  const listeners = (region.listeners.get(id) ?? []).flatMap(({ port, protocol, description }): Orphan[] => {
    const service = goneServiceIn(description, claims);
    return service === undefined ? [] : [{ kind: 'listener', loadBalancer: id, port, protocol, service }];
  });
  const groups = (region.groups?.get(id) ?? []).flatMap((group): Orphan[] => {
    const service = goneServiceIn(group.name, claims);
    return service === undefined ? [] : [{ kind: 'server-group', loadBalancer: id, ...group, service }];
  });
  return [...listeners, ...groups];
}

/** Returns the orphans in the region. Callers must report only orphans that they find twice, because lists of the cloud lag. */
export function findOrphans(region: Region, records: ClusterRecords): readonly Orphan[] {
  if (!canDetectOrphans(records.clusterId)) return [];
  const claims = claimsOf(records);
  const inCloud = region.loadBalancers.flatMap((loadBalancer): Orphan[] =>
    isOrphaned(loadBalancer, claims)
      ? [{ kind: 'load-balancer', id: loadBalancer.id }]
      : orphansOn(loadBalancer, region, claims),
  );
  const bindings = claims.unclaimedBindings.map((binding): Orphan => {
    const { id } = binding.spec.loadBalancer ?? {};
    const of = binding.spec.clusterUID === records.clusterUid ? 'other-controller' : 'other-cluster';
    const common = { kind: 'binding', uid: binding.metadata.name, service: serviceOf(binding), of } as const;
    return id === undefined ? common : { ...common, loadBalancer: id };
  });
  return [...inCloud, ...bindings];
}

/** Returns a key for an orphan, so that later searches recognize the orphan. */
export function orphanKey(orphan: Orphan): string {
  switch (orphan.kind) {
    case 'load-balancer':
    case 'server-group':
      return `${orphan.kind} ${orphan.id}`;
    case 'listener':
      return `listener ${orphan.loadBalancer} ${listenerKey(orphan)} ${orphan.service}`;
    case 'binding':
      return `binding ${orphan.uid}`;
  }
}

type Shown = Pick<ClassicLoadBalancer, 'status'> & { readonly metadata: { readonly name: string } };

/** Returns the keys of the orphans that the inventory already shows. */
export function orphansShown({ metadata: { name }, status }: Shown): readonly string[] {
  if (status?.owner === 'orphan') return [orphanKey({ kind: 'load-balancer', id: name })];
  return (status?.listeners ?? []).flatMap(({ port, protocol, service, orphan }) =>
    orphan === true && service !== undefined
      ? [orphanKey({ kind: 'listener', loadBalancer: name, port, protocol, service: service as ObjectKey })]
      : [],
  );
}

/** Marks a load balancer and its listeners as orphans in a status, if `orphans` contains their keys. */
export function withOrphans(
  id: string,
  status: ClassicLoadBalancerStatus,
  orphans: ReadonlySet<string>,
): ClassicLoadBalancerStatus {
  if (orphans.has(orphanKey({ kind: 'load-balancer', id }))) return { ...status, owner: 'orphan' };
  const listeners = status.listeners.map((listener) => {
    const service = listener.service as ObjectKey | undefined;
    const isOrphan =
      service !== undefined && orphans.has(orphanKey({ ...listener, kind: 'listener', loadBalancer: id, service }));
    return isOrphan ? { ...listener, orphan: true as const } : listener;
  });
  return { ...status, listeners };
}
