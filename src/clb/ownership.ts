import type { LoadBalancer } from './load-balancer.ts';
import { defaultLoadBalancerName, isMadeFor, OWNER_TAG, REUSED_TAG, type Owner } from './naming.ts';
import type { Desired } from './state.ts';

/**
 * Whether a load balancer is this Service's own. The owner tag tells. One that has none, as from before there were tags, is known by the name
 * and by the address together: anybody may give a name or write a label, but what a Service's status says comes from a controller alone. So
 * one that was kept when the Service let it go is not the Service's again.
 */
export function isOwnLoadBalancer(
  { uid }: Pick<Owner, 'uid'>,
  { name, tags, address }: LoadBalancer,
  published: readonly string[],
): boolean {
  if (tags[OWNER_TAG] !== undefined) return isMadeFor({ uid }, tags);
  return name === defaultLoadBalancerName(uid) && tags[REUSED_TAG] === undefined && published.includes(address);
}

/** Why a load balancer that was taken for the Service's own is not touched; absent where it is its own, or where people have brought it. */
export function notMine(
  { owner, use }: Desired,
  observed: LoadBalancer | undefined,
  published: readonly string[],
): string | undefined {
  if (observed === undefined || use.kind === 'reused' || isOwnLoadBalancer(owner, observed, published))
    return undefined;
  return `load balancer ${observed.id} does not carry this Service's tag; it is not touched`;
}
