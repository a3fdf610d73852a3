import type { Plan, BlockedAction } from './plan.ts';

/** A function that takes unsafe actions out of a plan, and adds a rule and a reason for each. A guard never adds actions. */
export type PlanGuard<Action> = (plan: Plan<Action>) => Plan<Action>;

/** Returns a guard that blocks every action for which `verdict` returns a reason. */
export const blockWhere =
  <Action>(rule: string, verdict: (action: Action) => string | undefined): PlanGuard<Action> =>
  (plan) => {
    const actions: Action[] = [];
    const blocked: BlockedAction<Action>[] = [...plan.blocked];
    for (const action of plan.actions) {
      const reason = verdict(action);
      if (reason === undefined) actions.push(action);
      else blocked.push({ action, rule, reason });
    }
    return { actions, blocked };
  };

/** Applies guards to a plan in sequence, before the plan is applied or printed. */
export const applyPolicies = <Action>(plan: Plan<Action>, policies: readonly PlanGuard<Action>[]): Plan<Action> =>
  policies.reduce((left, policy) => policy(left), plan);
