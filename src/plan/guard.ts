import type { Plan, BlockedAction } from './plan.ts';

/** A rule over plans: may take actions out, and says which and why; never adds one. */
export type PlanGuard<Action> = (plan: Plan<Action>) => Plan<Action>;

/** The policy that takes out every action for which `verdict` gives a reason. */
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

/** The policies one after another. */
export const applyPolicies = <Action>(plan: Plan<Action>, policies: readonly PlanGuard<Action>[]): Plan<Action> =>
  policies.reduce((left, policy) => policy(left), plan);
