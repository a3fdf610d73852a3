import { resolve } from '../../clb/resolve.ts';
import type { Result } from '../../reconcile/verdict.ts';
import { locatedBefore } from './backends/interfaces.ts';
import { findPods, lookAfterPods, NONE_MISSING } from './backends/pods.ts';
import { isAsBefore, type Case } from './case.ts';
import { permittedTelling } from './telling/address.ts';
import { blockedChange } from './telling/blocked-change.ts';
import { untilAudit } from './telling/conclude.ts';
import { shownBy, type Standing } from './telling/condition.ts';
import { findElastic } from './telling/elastic.ts';
import { commit, isTold, lacksAddress } from './telling/record.ts';
import {
  causesIn,
  leftOut,
  lostBackends,
  reportWrong,
  standingOf,
  type Reported,
  type Trouble,
} from './telling/standing.ts';
import type { ServiceDeps, Turn } from './turn.ts';

/** The condition of a Service whose load balancer is up to date, and what is wrong besides its backends. */
interface Confirmed extends Reported {
  readonly standing: Standing;
}

/** Returns what is wrong with a Service whose load balancer is up to date. */
function troubleOf(subject: Case, { entry }: Turn, judge: ServiceDeps['judge']): Trouble {
  const { judged, parsed } = subject;
  const { reasons = [], word = '' } = judge.refusal(judged, parsed, false) ?? {};
  return { change: blockedChange(subject, entry), reasons, word, ineffective: judge.ineffective(judged, parsed) };
}

/**
 * Returns the condition of a Service whose load balancer is up to date. An invalid value requests nothing, but still violates a rule.
 * Undefined if the status is outdated, or if only a lookup shows which pods are outside the VPC: this process has looked up none, and the
 * condition reports something else.
 */
export function standingOfConfirmed(
  subject: Case,
  turn: Turn,
  { judge, hadInstance }: ServiceDeps,
): Confirmed | undefined {
  const { service, desired } = subject;
  const { entry } = turn;
  if (lacksAddress(subject, turn) || !isTold(subject, turn)) return undefined;
  const trouble = troubleOf(subject, turn, judge);
  const { ineffective } = trouble;
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
  const { service, slices } = subject;
  reportWrong(service, standing, reported, deps.events);
  await commit(subject, { service, isComplete: true, standing }, turn, deps);
  const pods = { service, slices, missing: NONE_MISSING };
  return lookAfterPods(pods, untilAudit(turn, deps), turn, deps);
}

/**
 * Publishes a synced load balancer whose status is not up to date. Does not sync again: lists may not show yet what an earlier process has
 * created. Undefined if not all that the Service asks to publish is known and permitted.
 */
export async function republish(subject: Case, turn: Turn, deps: ServiceDeps): Promise<Result | undefined> {
  const { service, desired, slices } = subject;
  if (!isAsBefore(subject) || lacksAddress(subject, turn)) return undefined;
  await findElastic(service, turn, deps);
  const found = await findPods({ service, desired, slices }, turn, deps);
  if (found.failure !== undefined) throw found.failure;
  const located = resolve(desired, found);
  const { observed } = turn.entry.knowledge;
  if (permittedTelling(subject, turn.objectionsTo(located, observed), observed).withheld.length > 0) return undefined;
  const trouble = troubleOf(subject, turn, deps.judge);
  const left = leftOut(located, found.missing, lostBackends(service, deps.hadInstance));
  const { ineffective } = trouble;
  return confirm(subject, { standing: standingOf(trouble, left), causes: causesIn(trouble), ineffective }, turn, deps);
}
