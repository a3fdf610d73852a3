/** An action that a diff or a guard keeps out of a plan, with the reason. */
export interface BlockedAction<Action> {
  /** The action. Undefined if no action exists for the request, such as a change that the cloud does not support. */
  readonly action?: Action;
  /** The name of the violated rule, such as `PortUnavailable`. Logs, `portcullis plan` and `portcullis graph` show the name. */
  readonly rule: string;
  /** The problem and the remedy, for the owner of the object. */
  readonly reason: string;
}

/** The result of a diff of load balancers, Nodes or routes: the actions in the order of their execution, and the blocked actions. */
export interface Plan<Action> {
  readonly actions: readonly Action[];
  readonly blocked: readonly BlockedAction<Action>[];
}

/** A plan without actions. */
export const NOTHING: Plan<never> = { actions: [], blocked: [] };

/** Returns one plan with the actions of several plans in sequence. */
export const concatPlans = <Action>(plans: readonly Plan<Action>[]): Plan<Action> => ({
  actions: plans.flatMap((plan) => plan.actions),
  blocked: plans.flatMap((plan) => plan.blocked),
});
