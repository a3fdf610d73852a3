import type { Plan } from '../../plan/plan.ts';
import { applyGuards, blockWhere, type PlanGuard } from '../../plan/guard.ts';
import { describeAction, type Action } from '../model/action.ts';
import { observedAfter } from '../model/observed-after-action.ts';
import type { Backend } from '../model/server-group.ts';
import { backendKey, findGroup, type Observed } from '../model/desired-and-observed-state.ts';
import { isSuccessorNotServing } from '../diff/successor-group-check.ts';

/** Keys (`rejectedKey`) of backends that the cloud rejected and whose retry is not due yet. */
export type RejectedBackends = ReadonlySet<string>;

export const rejectedKey = (group: string, backend: Backend): string => `${group} ${backendKey(backend)}`;

const RULE = 'InvalidBackend';

const hasRejected = (action: Action, rejectedBackends: RejectedBackends): boolean =>
  action.kind === 'add-backends' &&
  action.backends.some((backend) => rejectedBackends.has(rejectedKey(action.group, backend)));

/** Returns the action, with rejected backends in a separate action. */
function partsOf(action: Action, rejectedBackends: RejectedBackends): readonly Action[] {
  if (action.kind !== 'add-backends') return [action];
  const isRejected = (backend: Backend): boolean => rejectedBackends.has(rejectedKey(action.group, backend));
  const parts = [action.backends.filter((each) => !isRejected(each)), action.backends.filter(isRejected)];
  return parts.filter((backends) => backends.length > 0).map((backends) => ({ ...action, backends }));
}

/** Returns why to block a removal of backends whose replacements the cloud rejected; undefined if the removal may be applied. */
function whyKept(action: Action, { actions, blocked }: Plan<Action>, observed: Observed): string | undefined {
  if (action.kind !== 'remove-backends') return undefined;
  const blockedAdditions = blocked.flatMap((other) =>
    other.rule === RULE && other.action?.kind === 'add-backends' ? [other.action] : [],
  );
  if (blockedAdditions.length === 0) return undefined;
  const left = actions.reduce((now, other) => observedAfter(now, other, undefined), observed);
  const isEmptied = findGroup(left, action.group)?.backends.length === 0;
  if (isEmptied && blockedAdditions.some(({ group }) => group === action.group))
    return 'the server group would have no backends';
  return isSuccessorNotServing(action, blockedAdditions, left)
    ? 'the cloud rejected the backends of the group that replaces this group'
    : undefined;
}

/**
 * Blocks additions of rejected backends, and removals that would leave no backends. Without this guard, each sync would repeat the rejected
 * additions.
 */
export const withoutRejected =
  (rejectedBackends: RejectedBackends, observed: Observed): PlanGuard<Action> =>
  (plan) => {
    if (rejectedBackends.size === 0) return plan;
    const split = { ...plan, actions: plan.actions.flatMap((action) => partsOf(action, rejectedBackends)) };
    return applyGuards(split, [
      blockWhere(RULE, (action) =>
        hasRejected(action, rejectedBackends)
          ? `${describeAction(action)}: rejected by the cloud; the controller retries later`
          : undefined,
      ),
      (left) => blockWhere<Action>(RULE, (action) => whyKept(action, left, observed))(left),
    ]);
  };
