import { hasFinalizer, isPublished } from '../clb/model/service-status.ts';
import { keyOf, type ObjectKey, type Service } from '../base/objects.ts';
import type { Indexes } from '../base/store.ts';
import type { ClassicLoadBalancer, ClassicLoadBalancerStatus } from './resource.ts';

const BY_SERVICE = 'service';
const BY_LISTENER = 'listener';
const BY_ADDRESS = 'address';

type Shown = Pick<ClassicLoadBalancer, 'status'>;

/** Returns the Services with listeners on a load balancer in the inventory, if it was not created for the Service alone. */
const listening = ({ status }: Shown): readonly string[] => [
  ...new Set((status?.listeners ?? []).flatMap(({ service = [] }) => service)),
];

/**
 * The index of the inventory by owning Service, by Services with listeners, and by address. The cloud provides this data, and owners of Services
 * cannot write it.
 */
export const OWNER_INDEX = {
  [BY_SERVICE]: ({ status }: Shown) => (status === undefined || status.service === '' ? [] : [status.service]),
  [BY_LISTENER]: listening,
  [BY_ADDRESS]: ({ status }: Shown) => (status === undefined || status.address === '' ? [] : [status.address]),
} satisfies Indexes<ClassicLoadBalancer>;

/** The used part of a load balancer in the inventory. */
export interface InventoryEntry {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string | null | undefined };
  readonly status?: ClassicLoadBalancerStatus;
}

/** The used part of the inventory with `OWNER_INDEX`. */
export interface OwnedInventory {
  byIndex(index: string, value: string): readonly InventoryEntry[];
}

/** Returns whether the inventory shows a second load balancer that was created for a Service. */
export const hasDuplicate = (inventory: OwnedInventory, service: ObjectKey, id: string): boolean =>
  inventory.byIndex(BY_SERVICE, service).some(({ metadata }) => metadata.name !== id);

/**
 * Returns the owned load balancer of a Service in this cluster. If several exist, as before a cleanup, returns only the load balancer with a
 * published address.
 */
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

/** Returns whether a Service may have an owned load balancer: it publishes an address or has the finalizer. */
const mayHaveOne = (service: Service): boolean => isPublished(service) || hasFinalizer(service);

/**
 * Returns the owned load balancer of a Service, if it may have one. Without a published address, the inventory object must be younger than the
 * Service: it may belong to an earlier Service of the same name.
 */
export const ownedByService = (inventory: OwnedInventory, service: Service): ClassicLoadBalancerStatus | undefined =>
  ownOf(inventory, service)?.status;

/** Returns the owned load balancer of a Service with its id; see `ownedByService`. */
export function ownOf(inventory: OwnedInventory, service: Service): InventoryEntry | undefined {
  if (!mayHaveOne(service)) return undefined;
  if (isPublished(service)) return onlyOwnedBy(inventory, keyOf(service), service.status?.loadBalancer?.ingress);
  const [one, ...others] = inventory.byIndex(BY_SERVICE, keyOf(service));
  if (one === undefined || others.length > 0) return undefined;
  const isYounger = (one.metadata.creationTimestamp ?? '') >= (service.metadata.creationTimestamp ?? '');
  return isYounger ? one : undefined;
}

/** Returns the load balancers with an address, of any owner. */
export const withAddress = (inventory: OwnedInventory, address: string) => inventory.byIndex(BY_ADDRESS, address);

/** Returns the load balancers with listeners of a Service, without those created for the Service alone. */
export const listenedTo = (inventory: OwnedInventory, service: Service) =>
  inventory.byIndex(BY_LISTENER, keyOf(service));

/** Returns the number of a Service's listeners on load balancers that were not created for the Service alone. */
export function listenersOf(inventory: OwnedInventory, service: Service): number {
  const key = keyOf(service);
  return listenedTo(inventory, service)
    .flatMap(({ status }) => status?.listeners ?? [])
    .filter((listener) => listener.service === key).length;
}
