import { hasFinalizer, isPublished } from '../clb/model/service-status.ts';
import { keyOf, type ObjectKey, type Service } from '../base/objects.ts';
import type { Indexes } from '../base/store.ts';
import type { ClassicLoadBalancer, ClassicLoadBalancerStatus } from './resource.ts';

const BY_SERVICE = 'service';
const BY_LISTENER = 'listener';
const BY_ADDRESS = 'address';

type Shown = Pick<ClassicLoadBalancer, 'status'>;

/** The Services that have listeners on a mirrored load balancer, which were not made for it alone. */
const listening = ({ status }: Shown): readonly string[] => [
  ...new Set((status?.listeners ?? []).flatMap(({ service = [] }) => service)),
];

/**
 * Mirrored load balancers by the Service that they were made for, by those that have listeners there, and by address: the cloud says so,
 * and no owner of a Service writes it.
 */
export const OWNER_INDEX = {
  [BY_SERVICE]: ({ status }: Shown) => (status === undefined || status.service === '' ? [] : [status.service]),
  [BY_LISTENER]: listening,
  [BY_ADDRESS]: ({ status }: Shown) => (status === undefined || status.address === '' ? [] : [status.address]),
} satisfies Indexes<ClassicLoadBalancer>;

/** A load balancer in the mirror; as much of it as is looked at. */
export interface InventoryEntry {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string | null | undefined };
  readonly status?: ClassicLoadBalancerStatus;
}

/** The mirror, by `OWNER_INDEX`; as much of it as is looked at. */
export interface OwnedInventory {
  byIndex(index: string, value: string): readonly InventoryEntry[];
}

/** Whether the mirror shows that another load balancer than this one was made for a Service. */
export const hasDuplicate = (mirror: OwnedInventory, service: ObjectKey, id: string): boolean =>
  mirror.byIndex(BY_SERVICE, service).some(({ metadata }) => metadata.name !== id);

/**
 * The load balancer of this cluster that was made for a Service, as it is mirrored. Of several, as while one that
 * was left behind is yet to go, the one with an address that is `published`, or else none: which it is cannot be told.
 */
export const ownedBy = (
  mirror: OwnedInventory,
  service: ObjectKey,
  published?: Published,
): ClassicLoadBalancerStatus | undefined => onlyOwnedBy(mirror, service, published)?.status;

type Published = readonly { readonly ip?: string }[];

function onlyOwnedBy(
  mirror: OwnedInventory,
  service: ObjectKey,
  published: Published = [],
): InventoryEntry | undefined {
  const all = mirror.byIndex(BY_SERVICE, service);
  if (all.length <= 1) return all[0];
  return all.find(({ status }) => published.some(({ ip }) => ip === status?.address));
}

/** Whether a Service may have a load balancer that was made for it: it tells an address, or is held for what may be there. */
const mayHaveOne = (service: Service): boolean => isPublished(service) || hasFinalizer(service);

/**
 * The load balancer that was made for a Service, if it may have one. Of one that tells no address the mirror must be the younger, or it is
 * that of another Service that had the name before.
 */
export const ownedByService = (mirror: OwnedInventory, service: Service): ClassicLoadBalancerStatus | undefined =>
  ownOf(mirror, service)?.status;

/** Returns the same load balancer with its id. */
export function ownOf(mirror: OwnedInventory, service: Service): InventoryEntry | undefined {
  if (!mayHaveOne(service)) return undefined;
  if (isPublished(service)) return onlyOwnedBy(mirror, keyOf(service), service.status?.loadBalancer?.ingress);
  const [one, ...others] = mirror.byIndex(BY_SERVICE, keyOf(service));
  if (one === undefined || others.length > 0) return undefined;
  const isYounger = (one.metadata.creationTimestamp ?? '') >= (service.metadata.creationTimestamp ?? '');
  return isYounger ? one : undefined;
}

/** The load balancers with an address, of any owner. */
export const withAddress = (mirror: OwnedInventory, address: string) => mirror.byIndex(BY_ADDRESS, address);

/** The load balancers that were not made for a Service alone and on which the mirror shows listeners of it. */
export const listenedTo = (mirror: OwnedInventory, service: Service) => mirror.byIndex(BY_LISTENER, keyOf(service));

/** How many listeners of a Service the mirror shows on load balancers that were not made for it alone. */
export function listenersOf(mirror: OwnedInventory, service: Service): number {
  const key = keyOf(service);
  return listenedTo(mirror, service)
    .flatMap(({ status }) => status?.listeners ?? [])
    .filter((listener) => listener.service === key).length;
}
