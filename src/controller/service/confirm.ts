import { resolve } from '../../clb/resolve.ts';
import type { Result } from '../../reconcile/verdict.ts';
import { locatedBefore } from './backends/interfaces.ts';
import { lookAfterPods, NONE_MISSING } from './backends/pods.ts';
import type { Case } from './case.ts';
import { blockedChange } from './telling/blocked-change.ts';
import { untilAudit } from './telling/conclude.ts';
import { shownBy, type Standing } from './telling/condition.ts';
import { commit } from './telling/record.ts';
import { causesIn, leftOut, lostBackends, reportWrong, standingOf } from './telling/standing.ts';
import type { ServiceDeps, Turn } from './turn.ts';

/** The condition of a Service whose load balancer is up to date, and what is wrong besides its backends. */
interface Confirmed {
  readonly standing: Standing;
  readonly causes: readonly string[];
}

/** The reasons of a condition that reports on backends and on nothing else. */
const ABOUT_BACKENDS: ReadonlySet<string> = new Set(['EnsuredLoadBalancer', 'InvalidBackend']);

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
  const trouble = { change: blockedChange(service, entry), reasons, word };
  const causes = causesIn(trouble);
  const located = locatedBefore(desired, entry.addresses);
  const groups = located === undefined ? desired : resolve(desired, located);
  const standing = standingOf(trouble, leftOut(groups, NONE_MISSING, lostBackends(service, hadInstance)));
  if (located !== undefined || causes.length > 0) return { standing, causes };
  // The digest is equal, so the skipped backends are the same as well.
  const shown = shownBy(service);
  return shown !== undefined && ABOUT_BACKENDS.has(shown.reason) ? { standing: shown, causes } : undefined;
}

/** Reports on a Service whose load balancer is up to date. */
export async function confirm(
  subject: Case,
  { standing, causes }: Confirmed,
  turn: Turn,
  deps: ServiceDeps,
): Promise<Result> {
  const { service, judged, wish } = subject;
  reportWrong(service, standing, causes, deps.events);
  await commit(subject, { service, isComplete: true, standing }, turn, deps);
  deps.judge.confirm(judged);
  const pods = { service, slices: wish.slices, missing: NONE_MISSING };
  return lookAfterPods(pods, untilAudit(turn, deps), turn, deps);
}
