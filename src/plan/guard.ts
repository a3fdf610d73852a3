import type { Plan, BlockedAction } from './plan.ts';

/** A function that takes unsafe actions out of a plan, and records a rule and a reason for each. A guard never adds actions. */
export type PlanGuard<Action> = (plan: Plan<Action>) => Plan<Action>;

/** Returns a guard that blocks every action for which `reasonOf` returns a reason. */
export const blockWhere =
  <Action>(rule: string, reasonOf: (action: Action) => string | undefined): PlanGuard<Action> =>
  (plan) => {
    const actions: Action[] = [];
    const blocked: BlockedAction<Action>[] = [...plan.blocked];
    for (const action of plan.actions) {
      const reason = reasonOf(action);
      if (reason === undefined) actions.push(action);
      else blocked.push({ action, rule, reason });
    }
    return { actions, blocked };
  };

/** Applies guards to a plan in sequence, before the plan is executed or printed. Each guard gets the actions that earlier guards left. */
export const applyGuards = <Action>(plan: Plan<Action>, guards: readonly PlanGuard<Action>[]): Plan<Action> =>
  guards.reduce((left, guard) => guard(left), plan);
