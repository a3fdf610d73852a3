import type { LoadBalancer } from './load-balancer.ts';
import { CLUSTER_TAG, defaultLoadBalancerName, isOwnedBy, OWNER_TAG, REUSED_TAG, type Owner } from './naming.ts';

/** The evidence in a Service that identifies its own load balancer if no tag does. */
export interface OwnershipEvidence {
  /** The IP addresses in the Service's status. */
  readonly published: readonly string[];
  /** Whether the status contains a host name or elastic IP addresses instead of the load balancer's own address. */
  readonly isAddressHidden?: boolean;
  /** The id of the load balancer in the binding, or in the label of the existing controller. */
  readonly recordedId?: string;
  /** Whether the binding records the load balancer as created for the Service. */
  readonly isRecordedAsOwned?: boolean;
}

/**
 * The owner of a load balancer, relative to a Service. `owned`: created for the Service. `foreign`: created for another Service, another cluster or
 * an API server. `unproven`: recorded as owned, without proof. `userManaged`: any other.
 */
export type Ownership = 'owned' | 'userManaged' | 'foreign' | 'unproven';

/**
 * Returns the ownership of a load balancer. The owner tag proves it. Without the tag, the default name and the published address prove it: users set
 * names and labels, but only a controller writes the status. A preserved load balancer is not owned again.
 */
export function ownershipOf(
  { uid }: Pick<Owner, 'uid'>,
  { id, name, tags, address }: LoadBalancer,
  { published, isAddressHidden = false, recordedId, isRecordedAsOwned = false }: OwnershipEvidence,
): Ownership {
  if (tags[OWNER_TAG] !== undefined) return isOwnedBy({ uid }, tags) ? 'owned' : 'foreign';
  const isNamed = name === defaultLoadBalancerName(uid) && tags[REUSED_TAG] === undefined;
  const isShown = published.includes(address) || (isAddressHidden && recordedId === id);
  if (isNamed && isShown) return 'owned';
  if (isRecordedAsOwned && recordedId === id) return 'unproven';
  return tags[CLUSTER_TAG] === undefined ? 'userManaged' : 'foreign';
}

/** Returns whether a load balancer was created for the Service. */
export const isOwnLoadBalancer = (
  owner: Pick<Owner, 'uid'>,
  loadBalancer: LoadBalancer,
  saying: OwnershipEvidence,
): boolean => ownershipOf(owner, loadBalancer, saying) === 'owned';
