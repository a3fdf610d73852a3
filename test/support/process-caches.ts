import { BINDING_INDEX, INDEX, NODE_INDEX, POD_INDEX } from '../../src/controller/kubernetes-interface.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBinding } from '../../src/inventory/binding.ts';
import {
  CLASSIC_LOAD_BALANCERS,
  CLOUD_INVENTORIES,
  type ClassicLoadBalancer,
  type CloudInventory,
} from '../../src/inventory/custom-resources.ts';
import { OWNER_INDEX } from '../../src/inventory/load-balancers-by-owner.ts';
import { REUSE_INDEX } from '../../src/inventory/reuse-index.ts';
import { trimNode } from '../../src/kubernetes/trim-objects.ts';
import { trimService } from '../../src/kubernetes/trim-service.ts';
import {
  ENDPOINT_SLICES,
  NODES,
  objectKey,
  PODS,
  SERVICES,
  type EndpointSlice,
  type KubernetesObject,
  type Node,
  type Pod,
  type Resource,
  type Service,
} from '../../src/base/kubernetes-objects.ts';
import { watchedDouble, type WatchedDouble } from './watched-cache.ts';

const TRIMS: Readonly<Record<string, (object: KubernetesObject) => KubernetesObject>> = {
  [SERVICES.plural]: (object) => trimService(object as Service),
  [NODES.plural]: trimNode,
};

/** The caches of one process of `KubernetesDouble`. They receive every change at once and in order until the process ends. */
export class Follower {
  readonly services = watchedDouble<Service>([], REUSE_INDEX);
  readonly endpointSlices = watchedDouble<EndpointSlice>([], {
    [INDEX.slicesByService]: ({ metadata }) => [
      objectKey(metadata.labels?.['kubernetes.io/service-name'] ?? '', metadata.namespace),
    ],
  });
  readonly nodes = watchedDouble<Node>([], NODE_INDEX);
  readonly pods = watchedDouble<Pod>([], POD_INDEX);
  readonly classicLoadBalancers = watchedDouble<ClassicLoadBalancer>([], OWNER_INDEX);
  readonly bindings = watchedDouble<LoadBalancerBinding>([], BINDING_INDEX);
  readonly cloudInventories = watchedDouble<CloudInventory>();

  /** Stores the parts of Services and Nodes that the caches of a process keep. */
  put(plural: string, object: KubernetesObject): void {
    const trim = TRIMS[plural];
    this.cacheOf(plural)?.put(trim === undefined ? object : trim(object));
  }

  cacheOf(plural: string): WatchedDouble<KubernetesObject> | undefined {
    const caches: readonly (readonly [Resource, unknown])[] = [
      [SERVICES, this.services],
      [ENDPOINT_SLICES, this.endpointSlices],
      [NODES, this.nodes],
      [PODS, this.pods],
      [CLASSIC_LOAD_BALANCERS, this.classicLoadBalancers],
      [LOAD_BALANCER_BINDINGS, this.bindings],
      [CLOUD_INVENTORIES, this.cloudInventories],
    ];
    return caches.find(([resource]) => resource.plural === plural)?.[1] as WatchedDouble<KubernetesObject> | undefined;
  }
}
