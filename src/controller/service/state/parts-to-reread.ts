import type { Action } from '../../../clb/model/action.ts';
import { ALL_PARTS, type ObservedPart } from '../../../clb/model/invalidated-parts.ts';
import { blockedGroups, groupsInPlan } from '../../../clb/guards/foreign-groups.ts';
import { USER_MANAGED } from '../../../clb/guards/policy-blocks.ts';
import type { ObservedCache } from '../../../clb/observe/observe.ts';
import { changesLoadBalancer, usageParts } from '../../../clb/diff/shared-changes.ts';
import type { Desired, Observed } from '../../../clb/model/desired-and-observed-state.ts';
import type { Plan } from '../../../plan/plan.ts';
import { INDEX } from '../../kubernetes-interface.ts';
import { claimsOn } from '../sync/plan.ts';
import type { ServiceDeps } from '../context.ts';

/** One round of a sync: a read of the cloud, and the plan from the result. */
export interface Round {
  readonly desired: Desired;
  /** The cached state at the start of the round. */
  readonly before: ObservedCache;
  readonly observed: Observed;
  readonly plan: Plan<Action>;
}

/** The caches that show which Services share a load balancer or a server group. */
type Sources = Pick<ServiceDeps, 'additions'> & { readonly caches: Pick<ServiceDeps['caches'], 'services'> };

/** Returns whether resources in the cloud block a change of a reused load balancer. */
function isBlockedByCloud({ desired, plan }: Round, { caches: { services } }: Sources): boolean {
  const { owner, use } = desired;
  if (use.kind === 'owned' || !plan.blocked.some(({ rule }) => rule === USER_MANAGED)) return false;
  const naming = services.byIndex(INDEX.servicesByLoadBalancer, use.id);
  // Without Services of other namespaces, only resources in the cloud can block the change.
  return naming.every(({ metadata }) => metadata.namespace === owner.namespace);
}

/** Returns the groups of a plan to which other namespaces may have added backends since the last read. */
function contestedGroups({ desired, observed, plan }: Round, { caches, additions }: Sources): readonly string[] {
  const { namespace } = desired.owner;
  const claims = claimsOn(desired.use, caches);
  return groupsInPlan(plan, desired, observed).filter(
    (id) => additions.hasOthers(id, namespace) || claims(id).some((claim) => claim.namespace !== namespace),
  );
}

export const partOf = (group: string): ObservedPart => `group:${group}`;

/** Returns the parts that other clients can have changed since the last read, by the reason to read them again. */
export function partsToReread(
  round: Round,
  sources: Sources,
): Readonly<Record<'beforeChange' | 'becauseBlocked', readonly ObservedPart[]>> {
  const { before, observed, plan } = round;
  const isRead = ALL_PARTS.every((part) => before.invalidated.has(part));
  const parts = isRead ? [] : usageParts(observed);
  const contested = contestedGroups(round, sources);
  return {
    beforeChange: [...(plan.actions.some(changesLoadBalancer) ? parts : []), ...contested.map(partOf)],
    becauseBlocked: [
      ...(isBlockedByCloud(round, sources) ? parts : []),
      ...(isRead ? [] : blockedGroups(plan.blocked).map(partOf)),
    ],
  };
}
