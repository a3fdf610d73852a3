import { describeAction, type Action } from '../../../clb/model/action.ts';
import { POLICY, QUOTA, USER_MANAGED } from '../../../clb/guards/policy-blocks.ts';
import { UNMADE } from '../../../clb/guards/missing-groups.ts';
import type { Plan, BlockedAction } from '../../../plan/plan.ts';
import type { Denial } from '../policy/denial.ts';

/** What of a plan is not done, or was not when it ended. */
export type Shortfall = Pick<Plan<Action>, 'withheld'>;

/** Rules by which something is withheld because of something else, which is said. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['DeletionDeferred', 'Invalid', UNMADE]);

/** The reasons of blocked parts of a plan that come from policies, or from rules for user-managed load balancers. */
const OBJECTED: ReadonlySet<string> = new Set([POLICY, QUOTA, USER_MANAGED]);

/** The rule by which a plan blocks a load balancer that the Service may not use. */
const ANOTHERS = 'NotOwned';

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

/** What a policy withholds: what it has against it, and what is not done. */
function objection(reason: string, withheld: readonly BlockedAction<Action>[]): string {
  const actions = withheld.flatMap(({ action }) =>
    action === undefined || BESIDE.has(action.kind) ? [] : shortly(action),
  );
  if (actions.length === 0) return reason;
  const more = actions.length - MOST_NAMED;
  return `${reason}; not done: ${actions.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const causesOf = (withheld: readonly BlockedAction<Action>[]): readonly BlockedAction<Action>[] =>
  withheld.filter(({ rule }) => !CONSEQUENCES.has(rule));

/** Why something is withheld, in one sentence each. */
export const reasonsOf = (withheld: readonly BlockedAction<Action>[]): readonly string[] =>
  [...Map.groupBy(causesOf(withheld), ({ reason }) => reason)].map(([reason, all]) =>
    all.every(({ rule }) => OBJECTED.has(rule)) ? objection(reason, all) : reason,
  );

/**
 * Returns all that is not as it should be, a sentence each. A violation that blocks an action is named with the action. That a plan blocks a
 * load balancer is not named beside the rule that denies the load balancer.
 */
export function complaints(shortfall: Shortfall, refusal: Denial | undefined): readonly string[] {
  const isDenied = refusal?.deniesLoadBalancer === true;
  const withheld = isDenied ? shortfall.withheld.filter(({ rule }) => rule !== ANOTHERS) : shortfall.withheld;
  const blocking = new Set(causesOf(withheld).map(({ reason }) => reason));
  return [...(refusal?.reasons ?? []).filter((reason) => !blocking.has(reason)), ...reasonsOf(withheld)];
}

/** Why it is not as it should be, in one word. */
export const wordOf = ({ withheld }: Shortfall, refusal: Denial | undefined): string =>
  refusal === undefined ? (withheld.find(({ rule }) => !CONSEQUENCES.has(rule))?.rule ?? 'Withheld') : 'Invalid';

/** Whether the load balancer that was found is not the Service's to be served by: neither its address nor its id is recorded. */
export const isAnothers = ({ withheld }: Shortfall): boolean => withheld.some(({ rule }) => rule === ANOTHERS);

/** Whether people have to mend something, or a policy: a look at the cloud shows nothing new. */
export const isForPeople = ({ withheld }: Shortfall): boolean =>
  withheld.every(({ rule }) => rule === POLICY || rule === QUOTA || CONSEQUENCES.has(rule));

/** Returns whether only changes of a user-managed load balancer are blocked; `partsToReread` selects what to read again then. */
export const isOfUserManaged = ({ withheld }: Shortfall): boolean =>
  withheld.every(({ rule }) => OBJECTED.has(rule) || CONSEQUENCES.has(rule));
