import { blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { findGroup, type Observed } from '../model/state.ts';

/** The rule of what is blocked because the group that it is about is not made. */
export const DEPENDENCY_BLOCKED = 'DependencyBlocked';

/**
 * Takes out what would follow into a group whose creation is taken out. A new group with more backends than one call takes is one wish in
 * several actions.
 */
export const withoutMissingGroups =
  (observed: Observed): PlanGuard<Action> =>
  (plan) => {
    const made = new Set(
      plan.actions.flatMap((action) => (action.kind === 'create-server-group' ? [action.group] : [])),
    );
    return blockWhere<Action>(DEPENDENCY_BLOCKED, (action) =>
      action.kind === 'add-backends' && !made.has(action.group) && findGroup(observed, action.group) === undefined
        ? `server group ${action.group} is not made`
        : undefined,
    )(plan);
  };
