import type { LoadBalancer } from './load-balancer.ts';
import { defaultLoadBalancerName, isMadeFor, OWNER_TAG, REUSED_TAG, type Owner } from './naming.ts';
import type { Desired } from './state.ts';

/** What a Service says by which its own load balancer is known where no tag tells. */
export interface Saying {
  /** The IP addresses in its status. */
  readonly published: readonly string[];
  /** Whether its status says where it is to be reached by no address of a load balancer: by a host name, or by elastic addresses. */
  readonly isAddressHidden?: boolean;
  /** The id that was recorded on it. */
  readonly recordedId?: string;
}

/**
 * Whether a load balancer is this Service's own. The owner tag tells. One that has none, as from before there were tags, is known by the name
 * and by the address together: anybody may give a name or write a label, but what a Service's status says comes from a controller alone. So
 * one that was kept when the Service let it go is not the Service's again. Where the status tells no such address, the one that was recorded
 * is meant by it.
 */
export function isOwnLoadBalancer(
  { uid }: Pick<Owner, 'uid'>,
  { id, name, tags, address }: LoadBalancer,
  { published, isAddressHidden = false, recordedId }: Saying,
): boolean {
  if (tags[OWNER_TAG] !== undefined) return isMadeFor({ uid }, tags);
  if (name !== defaultLoadBalancerName(uid) || tags[REUSED_TAG] !== undefined) return false;
  return published.includes(address) || (isAddressHidden && recordedId === id);
}

/** Why a load balancer that was taken for the Service's own is not touched; absent where it is its own, or where people have brought it. */
export function notMine(
  { owner, use }: Desired,
  observed: LoadBalancer | undefined,
  saying: Saying,
): string | undefined {
  if (observed === undefined || use.kind === 'reused' || isOwnLoadBalancer(owner, observed, saying)) return undefined;
  return `load balancer ${observed.id} does not carry this Service's tag; it is not touched`;
}
