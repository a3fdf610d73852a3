/** Why something that would have been done is not. */
export interface BlockedAction<Action> {
  /** Absent where the wish cannot even be put as an action, such as changing what the cloud cannot change. */
  readonly action?: Action;
  /** The invariant or rule behind it, for logs and tests: `PortUnavailable`, `NotOwned`, … */
  readonly rule: string;
  /** A sentence for the person who owns the object: what is the case, and what to do. */
  readonly reason: string;
}

/** What is to be done, in order, and what is not done although it was wished. */
export interface Plan<Action> {
  readonly actions: readonly Action[];
  readonly blocked: readonly BlockedAction<Action>[];
}

export const NOTHING: Plan<never> = { actions: [], blocked: [] };

/** The plans one after another. */
export const concatPlans = <Action>(plans: readonly Plan<Action>[]): Plan<Action> => ({
  actions: plans.flatMap((plan) => plan.actions),
  blocked: plans.flatMap((plan) => plan.blocked),
});
