import type { Plan } from '../../plan/plan.ts';
import type { PlanGuard } from '../../plan/guard.ts';
import { isBackendAction, isRemoval, isReplaced, type Action } from '../model/action.ts';
import { blockPorts } from '../diff/blocked-ports.ts';
import { shareAPort } from '../model/listener.ts';
import { invalidReference, RESOURCE_KINDS } from './invalid-listener-references.ts';
import { POLICY, QUOTA } from './policy-blocks.ts';
import { groupReference, type Desired, type DesiredGroup, type Observed } from '../model/desired-and-observed-state.ts';
import { retainedGroups } from '../diff/retained-groups.ts';

/** Returns whether an action only syncs backends of a desired or retained group. Most guards permit such actions. */
export const isBackendSync = (action: Action, desired: Desired, observed: Observed): boolean => {
  if (desired.kind === 'absent' || !isBackendAction(action) || !('group' in action)) return false;
  const isOf = (group: DesiredGroup): boolean => groupReference(group) === action.group;
  return desired.groups.some(isOf) || retainedGroups(desired, observed).some((serving) => isOf(serving.desired));
};

/** The rules whose blocks end when a user solves the problem. Until then, obsolete listeners and groups stay. */
const TEMPORARY: ReadonlySet<string> = new Set([POLICY, QUOTA, ...RESOURCE_KINDS.map(invalidReference)]);

/** Returns whether a temporarily blocked listener may replace an obsolete listener on another port. */
const lacksListener = ({ blocked }: Plan<Action>, { listeners }: Observed): boolean =>
  blocked.some(
    ({ rule, action }) =>
      TEMPORARY.has(rule) &&
      action?.kind === 'create-listener' &&
      !listeners.some((listener) => shareAPort(listener, action.listener)),
  );

/** The kinds of actions that remove an obsolete listener with its group and backends. */
const REMOVALS: ReadonlySet<Action['kind']> = new Set(['delete-listener', 'delete-server-group', 'remove-backends']);

/** Returns why an obsolete resource stays; undefined if it may be removed. */
function whyDeferred(action: Action, plan: Plan<Action>, observed: Observed): string | undefined {
  if (plan.blocked.some(({ rule }) => rule === 'InvalidPort'))
    return 'a port of the Service is invalid, so the controller does not know which resources are obsolete';
  return REMOVALS.has(action.kind) && lacksListener(plan, observed)
    ? 'a blocked listener of the Service may replace this resource'
    : undefined;
}

/** Blocks removals of resources that the Service may want. Without this guard, an invalid port could close another port. */
export const withDeferredDeletions =
  (desired: Desired, observed: Observed): PlanGuard<Action> =>
  (plan) => {
    const why = (action: Action): string | undefined =>
      isRemoval(action) && !isBackendSync(action, desired, observed) && !isReplaced(action, plan.actions)
        ? whyDeferred(action, plan, observed)
        : undefined;
    return blockPorts('DeletionDeferred', why, observed)(plan);
  };
