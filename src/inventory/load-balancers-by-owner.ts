import { hasFinalizer, isPublished } from '../clb/model/provisioning-evidence.ts';
import { keyOf, type ObjectKey, type Service } from '../base/kubernetes-objects.ts';
import type { Indexes } from '../base/cache-interfaces.ts';
import type { ClassicLoadBalancer, ClassicLoadBalancerStatus } from './custom-resources.ts';

const BY_SERVICE = 'service';
const BY_LISTENER = 'listener';
const BY_ADDRESS = 'address';

type Shown = Pick<ClassicLoadBalancer, 'status'>;

/** Returns the Services of this cluster with listeners on a user-managed load balancer. */
const listenerServices = ({ status }: Shown): readonly string[] => [
  ...new Set((status?.listeners ?? []).flatMap(({ service = [] }) => service)),
];

/** The indexes of the inventory. Users cannot forge the values, because the inventory comes from the cloud. */
export const OWNER_INDEX = {
  [BY_SERVICE]: ({ status }: Shown) => (status === undefined || status.service === '' ? [] : [status.service]),
  [BY_LISTENER]: listenerServices,
  [BY_ADDRESS]: ({ status }: Shown) => (status === undefined || status.address === '' ? [] : [status.address]),
} satisfies Indexes<ClassicLoadBalancer>;

/** The fields of an inventory object that this file reads. */
export interface InventoryEntry {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string | null | undefined };
  readonly status?: ClassicLoadBalancerStatus;
}

/** The inventory with `OWNER_INDEX`. */
export interface OwnedInventory {
  byIndex(index: string, value: string): readonly InventoryEntry[];
}

/** Returns whether the inventory shows a second owned load balancer of a Service, in addition to `id`. */
export const hasDuplicate = (inventory: OwnedInventory, service: ObjectKey, id: string): boolean =>
  inventory.byIndex(BY_SERVICE, service).some(({ metadata }) => metadata.name !== id);

/** Returns the owned load balancer of a Service. If the inventory shows several, returns only the load balancer with a published address. */
export const ownedBy = (
  inventory: OwnedInventory,
  service: ObjectKey,
  published?: Published,
): ClassicLoadBalancerStatus | undefined => onlyOwnedBy(inventory, service, published)?.status;

type Published = readonly { readonly ip?: string }[];

function onlyOwnedBy(
  inventory: OwnedInventory,
  service: ObjectKey,
  published: Published = [],
): InventoryEntry | undefined {
  const all = inventory.byIndex(BY_SERVICE, service);
  if (all.length <= 1) return all[0];
  return all.find(({ status }) => published.some(({ ip }) => ip === status?.address));
}

/** Returns whether a Service may have an owned load balancer, because it publishes an address or has the finalizer. */
const mayHaveOwned = (service: Service): boolean => isPublished(service) || hasFinalizer(service);

/** Returns the status of the owned load balancer of a Service. */
export const ownedByService = (inventory: OwnedInventory, service: Service): ClassicLoadBalancerStatus | undefined =>
  ownOf(inventory, service)?.status;

/** Returns the inventory object of the owned load balancer of a Service. */
export function ownOf(inventory: OwnedInventory, service: Service): InventoryEntry | undefined {
  if (!mayHaveOwned(service)) return undefined;
  if (isPublished(service)) return onlyOwnedBy(inventory, keyOf(service), service.status?.loadBalancer?.ingress);
  const [one, ...others] = inventory.byIndex(BY_SERVICE, keyOf(service));
  if (one === undefined || others.length > 0) return undefined;
  // An older object may belong to an earlier Service with the same name.
  const isYounger = (one.metadata.creationTimestamp ?? '') >= (service.metadata.creationTimestamp ?? '');
  return isYounger ? one : undefined;
}

/** Returns the load balancers with an address, regardless of their owner. */
export const withAddress = (inventory: OwnedInventory, address: string) => inventory.byIndex(BY_ADDRESS, address);

/** Returns the user-managed load balancers with listeners of a Service. */
export const loadBalancersWithListenersOf = (inventory: OwnedInventory, service: Service) =>
  inventory.byIndex(BY_LISTENER, keyOf(service));

/** Returns the number of listeners of a Service on user-managed load balancers. */
export function listenersOf(inventory: OwnedInventory, service: Service): number {
  const key = keyOf(service);
  return loadBalancersWithListenersOf(inventory, service)
    .flatMap(({ status }) => status?.listeners ?? [])
    .filter((listener) => listener.service === key).length;
}
