import { describeAction, type Action } from '../../../clb/model/action.ts';
import { POLICY, QUOTA, USER_MANAGED } from '../../../clb/guards/policy-blocks.ts';
import { DEPENDENCY_BLOCKED } from '../../../clb/guards/missing-groups.ts';
import type { Plan, BlockedAction } from '../../../plan/plan.ts';
import type { Denial } from '../policy/denial.ts';

/** What of a plan is not done, or was not when it ended. */
export type BlockedActions = Pick<Plan<Action>, 'blocked'>;

/** Rules by which something is blocked because of something else, which is said. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['DeletionDeferred', 'Invalid', DEPENDENCY_BLOCKED]);

/** The reasons of blocked parts of a plan that come from policies, or from rules for user-managed load balancers. */
const BLOCKED_BY_POLICY: ReadonlySet<string> = new Set([POLICY, QUOTA, USER_MANAGED]);

/** The rule by which a plan blocks a load balancer that the Service may not use. */
const FOREIGN = 'NotOwned';

/** What goes without saying where a listener is not made. */
const BESIDE: ReadonlySet<string> = new Set([
  'start-listener',
  'delete-listener',
  'create-server-group',
  'delete-server-group',
  'create-domain-extension',
]);

/** More of what is not done is not told: what is wrong is what has to be mended. */
const MOST_NAMED = 5;

const shortly = (action: Action): string =>
  action.kind === 'create-listener'
    ? `create ${action.listener.protocol} listener ${action.listener.port}`
    : describeAction(action);

/** What a policy blocks: what it has against it, and what is not done. */
function policyBlockMessage(reason: string, blocked: readonly BlockedAction<Action>[]): string {
  const actions = blocked.flatMap(({ action }) =>
    action === undefined || BESIDE.has(action.kind) ? [] : shortly(action),
  );
  if (actions.length === 0) return reason;
  const more = actions.length - MOST_NAMED;
  return `${reason}; not done: ${actions.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const causesOf = (blocked: readonly BlockedAction<Action>[]): readonly BlockedAction<Action>[] =>
  blocked.filter(({ rule }) => !CONSEQUENCES.has(rule));

/** Why something is blocked, in one sentence each. */
export const reasonsOf = (blocked: readonly BlockedAction<Action>[]): readonly string[] =>
  [...Map.groupBy(causesOf(blocked), ({ reason }) => reason)].map(([reason, all]) =>
    all.every(({ rule }) => BLOCKED_BY_POLICY.has(rule)) ? policyBlockMessage(reason, all) : reason,
  );

/**
 * Returns all that is not as it should be, a sentence each. A violation that blocks an action is named with the action. That a plan blocks a
 * load balancer is not named beside the rule that denies the load balancer.
 */
export function conditionMessages(shortfall: BlockedActions, refusal: Denial | undefined): readonly string[] {
  const isDenied = refusal?.deniesLoadBalancer === true;
  const blocked = isDenied ? shortfall.blocked.filter(({ rule }) => rule !== FOREIGN) : shortfall.blocked;
  const blocking = new Set(causesOf(blocked).map(({ reason }) => reason));
  return [...(refusal?.reasons ?? []).filter((reason) => !blocking.has(reason)), ...reasonsOf(blocked)];
}

/** Why it is not as it should be, in one word. */
export const conditionReason = ({ blocked }: BlockedActions, refusal: Denial | undefined): string =>
  refusal === undefined ? (blocked.find(({ rule }) => !CONSEQUENCES.has(rule))?.rule ?? 'Blocked') : 'Invalid';

/** Whether the load balancer that was found is not the Service's to be served by: neither its address nor its id is recorded. */
export const isForeignLoadBalancer = ({ blocked }: BlockedActions): boolean =>
  blocked.some(({ rule }) => rule === FOREIGN);

/** Whether people have to mend something, or a policy: a look at the cloud shows nothing new. */
export const isForUsers = ({ blocked }: BlockedActions): boolean =>
  blocked.every(({ rule }) => rule === POLICY || rule === QUOTA || CONSEQUENCES.has(rule));

/** Returns whether only changes of a user-managed load balancer are blocked; `partsToReread` selects what to read again then. */
export const isOfUserManaged = ({ blocked }: BlockedActions): boolean =>
  blocked.every(({ rule }) => BLOCKED_BY_POLICY.has(rule) || CONSEQUENCES.has(rule));
