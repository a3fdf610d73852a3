import type { Plan } from '../../plan/plan.ts';
import type { PlanGuard } from '../../plan/guard.ts';
import { isBackendAction, isRemoval, isReplaced, type Action } from '../model/action.ts';
import { blockPorts } from '../diff/blocked-ports.ts';
import { shareAPort } from '../model/listener.ts';
import { invalidReference, RESOURCE_KINDS } from '../desired/listener-resources.ts';
import { POLICY, QUOTA } from './policy-blocks.ts';
import { groupReference, type Desired, type DesiredGroup, type Observed } from '../model/state.ts';
import { retainedGroups } from '../diff/retained-groups.ts';

/** Whether an action does no more than follow the endpoints of a port that is wanted. */
export const isBackendSync = (action: Action, desired: Desired, observed: Observed): boolean => {
  if (desired.kind === 'absent' || !isBackendAction(action) || !('group' in action)) return false;
  const isOf = (group: DesiredGroup): boolean => groupReference(group) === action.group;
  return desired.groups.some(isOf) || retainedGroups(desired, observed).some((serving) => isOf(serving.desired));
};

/** Rules that block a listener for something that people may yet change: what it was to follow serves until then. */
const PASSING: ReadonlySet<string> = new Set([POLICY, QUOTA, ...RESOURCE_KINDS.map(invalidReference)]);

/** Whether a further listener is left out of the plan, in the place of which others may be. One that waits for a port is waited for by others. */
const lacksListener = ({ blocked }: Plan<Action>, { listeners }: Observed): boolean =>
  blocked.some(
    ({ rule, action }) =>
      PASSING.has(rule) &&
      action?.kind === 'create-listener' &&
      !listeners.some((listener) => shareAPort(listener, action.listener)),
  );

/** What a listener that is given up takes with it. */
const IN_PLACE: ReadonlySet<Action['kind']> = new Set(['delete-listener', 'delete-server-group', 'remove-backends']);

/** Why what is given up stays nevertheless; absent where it may go. */
function whyDeferred(action: Action, plan: Plan<Action>, observed: Observed): string | undefined {
  if (plan.blocked.some(({ rule }) => rule === 'InvalidPort'))
    return 'a port of the Service cannot be carried out, so it is not known what is no longer wanted';
  return IN_PLACE.has(action.kind) && lacksListener(plan, observed)
    ? 'a listener of the Service is blocked, in the place of which this one may be'
    : undefined;
}

/**
 * Nothing that may be wanted is taken away, nor done that cannot be before it goes. A listener that another takes the place of is
 * known not to be wanted.
 */
export const withDeferredDeletions =
  (desired: Desired, observed: Observed): PlanGuard<Action> =>
  (plan) => {
    const why = (action: Action): string | undefined =>
      isRemoval(action) && !isBackendSync(action, desired, observed) && !isReplaced(action, plan.actions)
        ? whyDeferred(action, plan, observed)
        : undefined;
    return blockPorts('DeletionDeferred', why, observed)(plan);
  };
