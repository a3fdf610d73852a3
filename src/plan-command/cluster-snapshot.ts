import { BINDING_INDEX, INDEX, POD_INDEX } from '../controller/kubernetes-interface.ts';
import { hasReason } from '../base/errors.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../inventory/binding.ts';
import {
  CLASSIC_LOAD_BALANCERS,
  CLOUD_INVENTORIES,
  type ClassicLoadBalancer,
  type CloudInventory,
} from '../inventory/custom-resources.ts';
import { OWNER_INDEX } from '../inventory/load-balancers-by-owner.ts';
import { REUSE_INDEX } from '../inventory/reuse-index.ts';
import {
  LOAD_BALANCER_EXCEPTIONS,
  LOAD_BALANCER_POLICIES,
  type LoadBalancerException,
  type LoadBalancerPolicy,
} from '../policy/custom-resources.ts';
import { endpointsAsSlices } from '../kubernetes/endpoints-as-slices.ts';
import { Cache } from '../kubernetes/cache.ts';
import type { ClusterReader } from '../kubernetes/cluster-reader.ts';
import type { Logger } from '../base/log.ts';
import {
  ENDPOINT_SLICES,
  ENDPOINTS,
  NAMESPACES,
  NODES,
  objectKey,
  PODS,
  SERVICES,
  SERVICE_NAME_LABEL,
  type Endpoints,
  type EndpointSlice,
  type KubernetesObject,
  type Namespace,
  type Node,
  type Pod,
  type Resource,
  type Service,
} from '../base/kubernetes-objects.ts';
import type { Indexes, Watched } from '../base/cache-interfaces.ts';

/** The objects of a cluster, read once, in the caches that the code of the controller needs. */
export interface ClusterSnapshot {
  readonly services: Cache<Service>;
  readonly endpointSlices: Watched<EndpointSlice>;
  readonly nodes: Cache<Node>;
  readonly pods: Cache<Pod>;
  readonly classicLoadBalancers: Cache<ClassicLoadBalancer>;
  readonly bindings: Cache<LoadBalancerBinding>;
  readonly cloudInventories: Cache<CloudInventory>;
  readonly policies: Cache<LoadBalancerPolicy>;
  readonly exceptions: Cache<LoadBalancerException>;
  readonly namespaces: Cache<Namespace>;
}

const SLICE_INDEX: Indexes<EndpointSlice> = {
  [INDEX.slicesByService]: ({ metadata }) => {
    const service = metadata.labels?.[SERVICE_NAME_LABEL];
    return service === undefined ? [] : [objectKey(service, metadata.namespace)];
  },
};

/** Reads all objects that affect a plan. Rejects if a read fails, because incomplete data makes a plan wrong. */
export async function snapshotOf(
  reader: ClusterReader,
  source: 'slices' | 'endpoints',
  log: Logger,
  signal: AbortSignal,
): Promise<ClusterSnapshot> {
  async function read<Kind extends KubernetesObject>(
    resource: Resource<Kind>,
    indexes?: Indexes<Kind>,
    isOptional = false,
  ) {
    const cache = new Cache<Kind>(log, indexes);
    try {
      for (const object of await reader.list(resource, {}, signal)) cache.put(object);
      cache.markSynced();
    } catch (error) {
      // Without the CRD, the cache stays unsynced, because rules must not treat an absent load balancer as deleted.
      if (!isOptional || !hasReason(error, 'NotFound')) throw error;
    }
    return cache;
  }
  const own = Promise.all([
    read<ClassicLoadBalancer>(CLASSIC_LOAD_BALANCERS, OWNER_INDEX, true),
    read<LoadBalancerBinding>(LOAD_BALANCER_BINDINGS, BINDING_INDEX, true),
    read<CloudInventory>(CLOUD_INVENTORIES, undefined, true),
    read<LoadBalancerPolicy>(LOAD_BALANCER_POLICIES, undefined, true),
    read<LoadBalancerException>(LOAD_BALANCER_EXCEPTIONS, undefined, true),
  ]);
  const [services, endpointSlices, nodes, pods, namespaces, ours] = await Promise.all([
    read<Service>(SERVICES, REUSE_INDEX),
    source === 'slices'
      ? read<EndpointSlice>(ENDPOINT_SLICES, SLICE_INDEX)
      : read<Endpoints>(ENDPOINTS).then(endpointsAsSlices),
    read<Node>(NODES),
    read<Pod>(PODS, POD_INDEX),
    read<Namespace>(NAMESPACES),
    own,
  ]);
  const [classicLoadBalancers, bindings, cloudInventories, policies, exceptions] = ours;
  // A cluster without the CRDs of policies has no policies, so the empty caches are complete.
  for (const cache of [policies, exceptions]) cache.markSynced();
  return {
    services,
    endpointSlices,
    nodes,
    pods,
    namespaces,
    classicLoadBalancers,
    bindings,
    cloudInventories,
    policies,
    exceptions,
  };
}
