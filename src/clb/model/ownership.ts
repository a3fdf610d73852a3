import type { LoadBalancer } from './load-balancer.ts';
import { CLUSTER_TAG, defaultLoadBalancerName, isOwnedBy, OWNER_TAG, REUSED_TAG, type Owner } from './naming.ts';

/** What a Service says by which its own load balancer is known where no tag tells. */
export interface OwnershipEvidence {
  /** The IP addresses in its status. */
  readonly published: readonly string[];
  /** Whether its status says where it is to be reached by no address of a load balancer: by a host name, or by elastic addresses. */
  readonly isAddressHidden?: boolean;
  /** The id of the load balancer in the binding, or in the label of the existing controller. */
  readonly recordedId?: string;
  /** Whether the binding records that load balancer as created for the Service. */
  readonly isRecordedAsOwned?: boolean;
}

/**
 * Whose a load balancer is, from the view of one Service. `owned`: it was created for the Service. `foreign`: it was created for another Service,
 * another cluster or an API server. `unproven`: the binding records it as created for the Service, and it lost the proof. `userManaged`: any other.
 */
export type Ownership = 'owned' | 'userManaged' | 'foreign' | 'unproven';

/**
 * Decides whose a load balancer is. The owner tag proves it. Without that tag, the default name and the published address together do: users can
 * set a name or a label, but only a controller writes the status. A load balancer that was preserved is not the Service's again.
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

/** Whether a load balancer was created for the Service. */
export const isOwnLoadBalancer = (
  owner: Pick<Owner, 'uid'>,
  loadBalancer: LoadBalancer,
  saying: OwnershipEvidence,
): boolean => ownershipOf(owner, loadBalancer, saying) === 'owned';
