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

/** Returns whether the status shows the load balancer: by the address, or by something else while its id is recorded. */
const isShown = (
  { id, address }: LoadBalancer,
  { published, isAddressHidden = false, recordedId }: OwnershipEvidence,
): boolean => published.includes(address) || (isAddressHidden && recordedId === id);

/**
 * Returns the ownership of a load balancer. The owner tag proves it. Without the tag, the default name and the published address prove it: users set
 * names and labels, but only a controller writes the status. The reuse tag proves more than a binding, which a user may have edited.
 */
export function ownershipOf(
  { uid }: Pick<Owner, 'uid'>,
  loadBalancer: LoadBalancer,
  evidence: OwnershipEvidence,
): Ownership {
  const { id, name, tags } = loadBalancer;
  if (tags[OWNER_TAG] !== undefined) return isOwnedBy({ uid }, tags) ? 'owned' : 'foreign';
  const byTags = tags[CLUSTER_TAG] === undefined ? 'userManaged' : 'foreign';
  const isMarked = tags[REUSED_TAG] !== undefined;
  if (isMarked && byTags === 'userManaged') return byTags;
  if (!isMarked && name === defaultLoadBalancerName(uid) && isShown(loadBalancer, evidence)) return 'owned';
  return evidence.isRecordedAsOwned === true && evidence.recordedId === id ? 'unproven' : byTags;
}

/** Returns whether a load balancer was created for the Service. */
export const isOwnLoadBalancer = (
  owner: Pick<Owner, 'uid'>,
  loadBalancer: LoadBalancer,
  evidence: OwnershipEvidence,
): boolean => ownershipOf(owner, loadBalancer, evidence) === 'owned';
