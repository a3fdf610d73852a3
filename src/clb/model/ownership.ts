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

/** The owner of a load balancer, relative to a Service. */
export type Ownership =
  /** Created for the Service. */
  | 'owned'
  /** None of the other three; usually created by a user. */
  | 'userManaged'
  /** Created for another Service, another cluster or an API server. */
  | 'foreign'
  /** Recorded as owned, but without the owner tag. */
  | 'unproven';

/** Returns whether the status shows the load balancer. If the status hides the address, the recorded id must match instead. */
const isShown = (
  { id, address }: LoadBalancer,
  { published, isAddressHidden = false, recordedId }: OwnershipEvidence,
): boolean => published.includes(address) || (isAddressHidden && recordedId === id);

/** Returns the ownership of a load balancer, so that the controller changes no load balancer of another owner. */
export function ownershipOf(
  { uid }: Pick<Owner, 'uid'>,
  loadBalancer: LoadBalancer,
  evidence: OwnershipEvidence,
): Ownership {
  const { id, name, tags } = loadBalancer;
  if (tags[OWNER_TAG] !== undefined) return isOwnedBy({ uid }, tags) ? 'owned' : 'foreign';
  const byTags = tags[CLUSTER_TAG] === undefined ? 'userManaged' : 'foreign';
  const isMarked = tags[REUSED_TAG] !== undefined;
  // Without the cluster tag, the reuse tag overrides the record in the binding.
  if (isMarked && byTags === 'userManaged') return byTags;
  // The default name and the published address prove ownership without the owner tag.
  if (!isMarked && name === defaultLoadBalancerName(uid) && isShown(loadBalancer, evidence)) return 'owned';
  return evidence.isRecordedAsOwned === true && evidence.recordedId === id ? 'unproven' : byTags;
}

/** Returns whether a load balancer was created for the Service. */
export const isOwnLoadBalancer = (
  owner: Pick<Owner, 'uid'>,
  loadBalancer: LoadBalancer,
  evidence: OwnershipEvidence,
): boolean => ownershipOf(owner, loadBalancer, evidence) === 'owned';
