import type { Action } from '../model/action.ts';
import { diffLoadBalancer } from './load-balancer.ts';
import type { ObservedPart } from '../model/invalidated-parts.ts';
import { isNameOfOtherNamespace, isReservedTag, parseName } from '../model/naming.ts';
import type { Desired, Observed, WantedResources } from '../model/desired-and-observed-state.ts';

const ATTRIBUTES: ReadonlySet<Action['kind']> = new Set([
  'rename',
  'set-delete-protection',
  'set-modification-protection',
  'set-spec',
  'set-instance-charge-type',
  'set-internet-spec',
]);

/** Returns whether an action changes attributes or adds tags, which affects all Services on the load balancer. */
export const changesLoadBalancer = (action: Action): boolean =>
  ATTRIBUTES.has(action.kind) || (action.kind === 'tag' && Object.keys(action.tags).some((key) => !isReservedTag(key)));

/** Returns whether a Service requests other attributes or tags for a reused load balancer. */
export const requestsLoadBalancerChange = (desired: Desired, { loadBalancer }: Observed): boolean =>
  desired.kind === 'present' &&
  desired.use.kind === 'reused' &&
  diffLoadBalancer(desired, loadBalancer).actions.some(changesLoadBalancer);

/** Returns the name of a resource of another namespace. Undefined if no other namespace uses the load balancer. */
export function nameOfOtherNamespace(
  { owner }: Pick<WantedResources, 'owner'>,
  { groupOfOtherNamespace, groups, listeners }: Observed,
): string | undefined {
  const named = [...listeners, ...groups.flatMap(({ backends }) => backends)];
  return (
    groupOfOtherNamespace ?? named.find(({ description }) => isNameOfOtherNamespace(owner, description))?.description
  );
}

/** Returns the parts to read again before a change that affects all Services on the load balancer. */
export const usageParts = ({ groups }: Observed): readonly ObservedPart[] => [
  'load-balancer',
  'listeners',
  'groups',
  ...groups.filter(({ name }) => parseName(name) === undefined).map(({ id }): ObservedPart => `group:${id}`),
];
