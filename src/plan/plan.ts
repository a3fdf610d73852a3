/** An action that a guard keeps out of a plan, with the reason. */
export interface BlockedAction<Action> {
  /** Undefined if no action can express the request, such as a change that the cloud does not support. */
  readonly action?: Action;
  /** The violated invariant or rule, for logs and tests: `PortUnavailable`, `NotOwned`, … */
  readonly rule: string;
  /** The message for the owner of the object: the problem and the remedy. */
  readonly reason: string;
}

/** The actions in the order of their execution, and the blocked actions. */
export interface Plan<Action> {
  readonly actions: readonly Action[];
  readonly blocked: readonly BlockedAction<Action>[];
}

export const NOTHING: Plan<never> = { actions: [], blocked: [] };

/** Concatenates plans. */
export const concatPlans = <Action>(plans: readonly Plan<Action>[]): Plan<Action> => ({
  actions: plans.flatMap((plan) => plan.actions),
  blocked: plans.flatMap((plan) => plan.blocked),
});
