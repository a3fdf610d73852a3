import { operationsOf } from '../operation-factory.ts';
import { CloudError } from '../error.ts';
import type { OperationContext } from '../operation.ts';
import { integer, list, objects, required, text, type Arguments, type Parameter } from '../parameter.ts';
import { stateAt } from '../transition.ts';
import type { ListenerRow, LoadBalancerRow, ProtocolValue } from './table-rows.ts';
import type { SimulatedRegion } from '../simulated-region.ts';
import type { SimulatedTags } from '../tag-store.ts';

/*
 * The parameters, rates and look-ups that several operations of SLB share.
 */

export const REGION_ID = text('RegionId');
export const LOAD_BALANCER_ID = required(text('LoadBalancerId'));
export const LISTENER_PORT = required(integer('ListenerPort', [1, 65_535], { code: 'InvalidParam.ListenerPort' }));
export const RESOURCE_GROUP_ID = text('ResourceGroupId');
export const TAG = objects('Tag', 20, [text('Key'), text('Value')], { code: 'SizeLimitExceeded.Tag' });
export const PAGE_NUMBER = integer('PageNumber', [1, 1_000_000]);
export const pageSize = (max: number): Parameter => integer('PageSize', [1, max]);
export const RESOURCE_IDS = required(list('ResourceId', 20));
export const PROTOCOLS: readonly ProtocolValue[] = ['tcp', 'udp', 'http', 'https'];

/** Functions that define reading and writing operations of SLB, with the default rate limits of SLB. */
export const { read, write } = operationsOf({
  reads: { calls: 3_000, seconds: 60 },
  writes: { calls: 90, seconds: 60 },
});

export const noLoadBalancer = (): CloudError =>
  new CloudError('InvalidLoadBalancerId.NotFound', 'The specified LoadBalancerId does not exist.');

/** Returns the load balancer that a call names. Throws `InvalidLoadBalancerId.NotFound` if the load balancer does not exist. */
export function theLoadBalancer(args: Arguments, { world }: Pick<OperationContext, 'world'>): LoadBalancerRow {
  const found = world.loadBalancers.get(args.text('LoadBalancerId'));
  if (found === undefined) throw noLoadBalancer();
  return found;
}

/** Returns the load balancer that a call changes. Throws if the load balancer does not exist or is locked. */
export function theChangeable(args: Arguments, context: Pick<OperationContext, 'world'>): LoadBalancerRow {
  const found = theLoadBalancer(args, context);
  if (found.status === 'locked') {
    throw new CloudError('ActionNotAllowed', 'The load balancer is locked; the operation is not allowed.');
  }
  return found;
}

/** Returns the id of the load balancer that a write locks. */
export const loadBalancerSubject = (args: Arguments): string => args.text('LoadBalancerId');
/** Returns the id of the load balancer that a write to a server group locks. */
export const groupSubject = (args: Arguments, world: SimulatedRegion): string | undefined =>
  world.serverGroups.get(args.text('VServerGroupId'))?.loadBalancerId;

/** Returns the listeners that exist at `now`. Removes listeners whose deletion has ended. */
export function listenersOf(balancer: LoadBalancerRow, now: number): readonly ListenerRow[] {
  for (const [key, listener] of balancer.listeners) {
    if (stateAt(listener.status, now) === 'gone') balancer.listeners.delete(key);
  }
  return [...balancer.listeners.values()].sort((left, right) => left.port - right.port);
}

/** Returns tags in the form of SLB responses. */
export const tagList = (tags: SimulatedTags): { readonly Tag: readonly object[] } => ({
  Tag: Object.entries(tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
});
