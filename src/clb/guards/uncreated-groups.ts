import { blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { findGroup, type Observed } from '../model/desired-and-observed-state.ts';

/** The rule of actions that are blocked because their server group is not created. */
export const DEPENDENCY_BLOCKED = 'DependencyBlocked';

/** Blocks additions to a group whose creation is blocked, because `apply` would fail without the group. */
export const withoutMissingGroups =
  (observed: Observed): PlanGuard<Action> =>
  (plan) => {
    const createdGroups = new Set(
      plan.actions.flatMap((action) => (action.kind === 'create-server-group' ? [action.group] : [])),
    );
    return blockWhere<Action>(DEPENDENCY_BLOCKED, (action) =>
      action.kind === 'add-backends' &&
      !createdGroups.has(action.group) &&
      findGroup(observed, action.group) === undefined
        ? `server group ${action.group} is not created`
        : undefined,
    )(plan);
  };
