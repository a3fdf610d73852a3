import { boundedList, CONDITION_BYTES } from '../../../base/bounded-list-text.ts';
import { bytesIn } from '../../../base/cut-text.ts';
import { describeAction, type Action } from '../../../clb/model/action.ts';
import { POLICY, QUOTA, USER_MANAGED } from '../../../clb/guards/policy-blocks.ts';
import { DEPENDENCY_BLOCKED } from '../../../clb/guards/uncreated-groups.ts';
import type { Plan, BlockedAction } from '../../../plan/plan.ts';
import type { Denial } from '../evaluation/rule-evaluation.ts';

// Other messages in conditions of Services: `src/rules/`, `events.ts` and `load-balancer-change-message.ts`.
// Messages in conditions of Nodes: `src/node/`, `src/controller/node/write.ts` and `src/controller/route/failure-texts.ts`.

/** The prefix of violations that leave a Service ready. */
export const BUT_FOR = 'The load balancer matches the Service, except for values without effect: ';

/** Returns the message of a ready Service, with the violations that have no effect on its load balancer. */
export const readyMessage = (ineffective: readonly string[]): string =>
  ineffective.length === 0
    ? 'The load balancer matches the Service'
    : BUT_FOR + boundedList(ineffective, { bytes: CONDITION_BYTES - bytesIn(BUT_FOR) }).text;

/** The blocked actions of a plan, each with its rule and reason. */
export type BlockedActions = Pick<Plan<Action>, 'blocked'>;

/** Rules that block an action only because of another problem. Messages report only the other problem. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['DeletionDeferred', 'Invalid', DEPENDENCY_BLOCKED]);

/** The rules of blocks that come from policies, quotas or the protection of user-managed load balancers. */
const BLOCKED_BY_POLICY: ReadonlySet<string> = new Set([POLICY, QUOTA, USER_MANAGED]);

/** The rule that blocks all actions of a plan if the Service must not use the load balancer. */
const FOREIGN = 'NotOwned';

/** The actions that a message omits, because they follow from a blocked listener. */
const IMPLIED_ACTIONS: ReadonlySet<string> = new Set([
  'start-listener',
  'delete-listener',
  'create-server-group',
  'delete-server-group',
  'create-domain-extension',
]);

/** The maximum number of blocked actions in a message, because users need the cause, not the complete list. */
const MOST_NAMED = 5;

const shortly = (action: Action): string =>
  action.kind === 'create-listener'
    ? `create ${action.listener.protocol} listener ${action.listener.port}`
    : describeAction(action);

/** Returns the reason of a policy, followed by the actions that the policy blocks. */
function policyBlockMessage(reason: string, blocked: readonly BlockedAction<Action>[]): string {
  const actions = blocked.flatMap(({ action }) =>
    action === undefined || IMPLIED_ACTIONS.has(action.kind) ? [] : shortly(action),
  );
  if (actions.length === 0) return reason;
  const more = actions.length - MOST_NAMED;
  return `${reason}; blocked: ${actions.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const causesOf = (blocked: readonly BlockedAction<Action>[]): readonly BlockedAction<Action>[] =>
  blocked.filter(({ rule }) => !CONSEQUENCES.has(rule));

/** Returns the causes of blocked actions, one sentence each, for errors and the condition. */
export const reasonsOf = (blocked: readonly BlockedAction<Action>[]): readonly string[] =>
  [...Map.groupBy(causesOf(blocked), ({ reason }) => reason)].map(([reason, all]) =>
    all.every(({ rule }) => BLOCKED_BY_POLICY.has(rule)) ? policyBlockMessage(reason, all) : reason,
  );

/** Returns all problems of a Service, one sentence each. A problem of both a rule and a blocked action appears once. */
export function conditionMessages(blockedActions: BlockedActions, denial: Denial | undefined): readonly string[] {
  const isDenied = (denial?.loadBalancerReasons ?? []).length > 0;
  const blocked = isDenied ? blockedActions.blocked.filter(({ rule }) => rule !== FOREIGN) : blockedActions.blocked;
  const blocking = new Set(causesOf(blocked).map(({ reason }) => reason));
  return [...(denial?.reasons ?? []).filter((reason) => !blocking.has(reason)), ...reasonsOf(blocked)];
}

/** Returns the reason of the condition: `Invalid` if rules deny the Service, otherwise the rule of a blocked action. */
export const conditionReason = ({ blocked }: BlockedActions, denial: Denial | undefined): string =>
  denial === undefined ? (blocked.find(({ rule }) => !CONSEQUENCES.has(rule))?.rule ?? 'Blocked') : 'Invalid';

/** Returns whether the load balancer is foreign, so that the controller records neither its address nor its id. */
export const isForeignLoadBalancer = ({ blocked }: BlockedActions): boolean =>
  blocked.some(({ rule }) => rule === FOREIGN);

/** Returns whether only changes in the cluster can end the blocks, such as a changed policy or a lower usage. */
export const needsNoCloudRead = ({ blocked }: BlockedActions): boolean =>
  blocked.every(({ rule }) => rule === POLICY || rule === QUOTA || CONSEQUENCES.has(rule));

/** Returns whether only policies, quotas and the protection of user-managed load balancers block, so that the cached state stays valid. */
export const keepsCachedState = ({ blocked }: BlockedActions): boolean =>
  blocked.every(({ rule }) => BLOCKED_BY_POLICY.has(rule) || CONSEQUENCES.has(rule));
