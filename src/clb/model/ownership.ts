import type { LoadBalancer } from './load-balancer.ts';
import { CLUSTER_TAG, defaultLoadBalancerName, isOwnedBy, OWNER_TAG, REUSED_TAG, type Owner } from './naming.ts';

/** The facts about a Service that identify its owned load balancer if the owner tag is missing. */
export interface OwnershipEvidence {
  /** The IP addresses in the Service's status. */
  readonly published: readonly string[];
  /** Whether the status contains a host name or elastic IP addresses instead of the load balancer's own address. */
  readonly isAddressHidden?: boolean;
  /** The id of the load balancer in the binding, or in the label that the Alibaba Cloud Controller Manager writes. */
  readonly recordedId?: string;
  /** Whether the binding records the load balancer as created for the Service. */
  readonly isRecordedAsOwned?: boolean;
}

/**
 * The owner of a load balancer, relative to a Service. `owned`: created for the Service. `foreign`: created for another Service, another cluster or
 * an API server. `unproven`: recorded as owned, but without the owner tag. `userManaged`: any other load balancer.
 */
export type Ownership = 'owned' | 'userManaged' | 'foreign' | 'unproven';

/** Returns whether the status shows the load balancer. If the status hides the address, the recorded id must match instead. */
const isShown = (
  { id, address }: LoadBalancer,
  { published, isAddressHidden = false, recordedId }: OwnershipEvidence,
): boolean => published.includes(address) || (isAddressHidden && recordedId === id);

/**
 * Returns the ownership of a load balancer, so that the controller changes no load balancer of another owner. Without the owner tag and the reuse
 * tag, the default name and the published address prove ownership. Without the cluster tag, the reuse tag overrides the record in the binding.
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
