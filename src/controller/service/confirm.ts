import { resolve } from '../../clb/resolve.ts';
import type { Result } from '../../reconcile/verdict.ts';
import { locatedBefore } from './backends/interfaces.ts';
import { lookAfterPods, NONE_MISSING } from './backends/pods.ts';
import type { Case } from './case.ts';
import { blockedChange } from './telling/blocked-change.ts';
import { untilAudit } from './telling/conclude.ts';
import { shownBy, type Standing } from './telling/condition.ts';
import { commit } from './telling/record.ts';
import { causesIn, leftOut, lostBackends, reportWrong, standingOf, type Reported } from './telling/standing.ts';
import type { ServiceDeps, Turn } from './turn.ts';

/** The condition of a Service whose load balancer is up to date, and what is wrong besides its backends. */
interface Confirmed extends Reported {
  readonly standing: Standing;
}

/**
 * Returns the condition of a Service whose load balancer is up to date. An invalid value requests nothing, but still violates a rule.
 * Undefined if only a lookup shows which pods are outside the VPC: this process has looked up none, and the condition reports something else.
 */
export function standingOfConfirmed(
  { service, judged, parsed, desired }: Case,
  { entry }: Turn,
  { judge, hadInstance }: ServiceDeps,
): Confirmed | undefined {
  const { reasons = [], word = '' } = judge.refusal(judged, parsed, false) ?? {};
  const ineffective = judge.ineffective(judged, parsed);
  const trouble = { change: blockedChange(service, entry), reasons, word, ineffective };
  const causes = causesIn(trouble);
  const located = locatedBefore(desired, entry.addresses);
  const groups = located === undefined ? desired : resolve(desired, located);
  const standing = standingOf(trouble, leftOut(groups, NONE_MISSING, lostBackends(service, hadInstance)));
  if (located !== undefined || causes.length > 0) return { standing, causes, ineffective };
  // The digest is equal, so the skipped backends are the same as well.
  const shown = shownBy(service);
  if (shown?.status === 'True') return { standing: standingOf(trouble, []), causes, ineffective };
  const isSame =
    shown?.reason === 'InvalidBackend' && ineffective.every((violation) => shown.message.includes(violation));
  return isSame ? { standing: shown, causes, ineffective } : undefined;
}

/** Reports on a Service whose load balancer is up to date. */
export async function confirm(
  subject: Case,
  { standing, ...reported }: Confirmed,
  turn: Turn,
  deps: ServiceDeps,
): Promise<Result> {
  const { service, judged, wish } = subject;
  reportWrong(service, standing, reported, deps.events);
  await commit(subject, { service, isComplete: true, standing }, turn, deps);
  deps.judge.confirm(judged);
  const pods = { service, slices: wish.slices, missing: NONE_MISSING };
  return lookAfterPods(pods, untilAudit(turn, deps), turn, deps);
}
