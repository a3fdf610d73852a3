import type { Action } from '../../clb/action.ts';
import { ALL_PARTS, type Part } from '../../clb/effect.ts';
import { blockedGroups, contestedGroups } from '../../clb/group-owner.ts';
import { USER_MANAGED } from '../../clb/objection.ts';
import type { Knowledge } from '../../clb/observe.ts';
import { changesLoadBalancer, usageParts } from '../../clb/shared-load-balancer.ts';
import type { Desired, Observed } from '../../clb/state.ts';
import type { Plan } from '../../plan/plan.ts';
import { INDEX, type KubernetesCaches } from '../port.ts';
import { claimsOn } from './planning.ts';

/** What a round has read and planned. `before`: what was known when it began. */
interface Round {
  readonly desired: Desired;
  readonly before: Knowledge;
  readonly observed: Observed;
  readonly plan: Plan<Action>;
}

/** Returns whether a change is blocked because of something in the cloud that may be gone: no Service of the cluster explains it. */
function isBlockedByCloud({ desired, plan }: Round, { services }: Pick<KubernetesCaches, 'services'>): boolean {
  const { owner, use } = desired;
  if (use.kind === 'owned' || !plan.withheld.some(({ rule }) => rule === USER_MANAGED)) return false;
  const naming = services.byIndex(INDEX.servicesByLoadBalancer, use.id);
  return naming.every(({ metadata }) => metadata.namespace === owner.namespace);
}

const partOf = (group: string): Part => `group:${group}`;

/**
 * Returns what to read before it is decided whether a Service changes the attributes of a user-managed load balancer, or adds to its groups. Nothing if the round has
 * just read everything: what is remembered from an earlier turn shows neither new users nor those that are gone.
 */
export function partsToReread(
  round: Round,
  caches: Pick<KubernetesCaches, 'services'>,
): Readonly<Record<'beforeChange' | 'becauseBlocked', readonly Part[]>> {
  const { desired, before, observed, plan } = round;
  const isRead = ALL_PARTS.every((part) => before.doubts.has(part));
  const parts = isRead ? [] : usageParts(observed);
  const contested = contestedGroups(plan, desired, observed, claimsOn(desired.use, caches));
  return {
    beforeChange: [...(plan.actions.some(changesLoadBalancer) ? parts : []), ...contested.map(partOf)],
    becauseBlocked: [
      ...(isBlockedByCloud(round, caches) ? parts : []),
      ...(isRead ? [] : blockedGroups(plan.withheld).map(partOf)),
    ],
  };
}
