import { keepsItsCharge } from '../../../clb/defaults.ts';
import { lacksIpv6Gate, usesPods } from '../../../clb/desired.ts';
import { zonesWithoutEffect } from '../../../clb/diff-load-balancer.ts';
import { doubt } from '../../../clb/observe.ts';
import { leavesOut, type Present } from '../../../clb/state.ts';
import type { Result } from '../../../reconcile/verdict.ts';
import type { Case } from '../case.ts';
import { blockedChange } from './blocked-change.ts';
import { complaints, isAnothers, isForPeople, isOfUserManaged, wordOf } from './complaints.ts';
import { lacksElastic } from './elastic.ts';
import { ensured, noBackends, tell } from '../events.ts';
import { dueInMs } from '../memory.ts';
import { isPassed, PACE_MS } from '../pace.ts';
import { noResourcesKnown } from '../resource-lookup.ts';
import { resettableIn } from '../state/binding-record.ts';
import { record as recordReached } from './record.ts';
import type { Refusal } from '../judging/refusal.ts';
import { causesIn, leftOut, lostBackends, reportWrong, skippedIn, standingOf, type Trouble } from './standing.ts';
import type { Standing } from './condition.ts';
import type { Telling } from './address.ts';
import type { Outcome, ServiceDeps, Turn } from '../turn.ts';
import { obstructed } from '../undone.ts';

/** Milliseconds after which what was withheld is tried again, if nothing happens before. */
export const WITHHELD_RETRY_MS = 5 * 60_000;

function tellOutcome(
  { desired, wish, service, record }: Case,
  { done, resolved }: JudgedOutcome,
  { entry }: Turn,
  deps: ServiceDeps,
): void {
  const { loadBalancer } = entry.knowledge.observed;
  if (loadBalancer === undefined) return;
  const keepsCharge = keepsItsCharge(resettableIn(record), wish.options, loadBalancer);
  if (done.length === 0 && record.syncedDigest !== undefined && !keepsCharge) return;
  const bare = resolved.groups.filter((group) => group.backends.length === 0 && !leavesOut(group));
  const { nodes, virtual } = wish.nodes;
  const isNoneChosen = !usesPods(wish) && nodes.length === 0 && virtual.size === 0;
  const missed = isNoneChosen ? (wish.options.backendLabel ?? {}) : {};
  if (bare.length > 0) tell(deps.events, service, noBackends(bare, missed));
  tell(
    deps.events,
    service,
    ensured(loadBalancer.id, {
      zones: zonesWithoutEffect(desired, loadBalancer),
      keepsCharge,
      lacksIpv6Gate: lacksIpv6Gate(wish),
    }),
  );
}

function tellSkipped(
  { service, desired }: Case,
  { events, hadInstance }: Pick<ServiceDeps, 'events' | 'hadInstance'>,
): void {
  for (const event of skippedIn(desired, lostBackends(service, hadInstance))) tell(events, service, event);
}

/** How a turn has ended, and what was to be said of the Service before it. */
export interface JudgedOutcome extends Outcome, Pick<Telling, 'options'> {
  readonly refusal: Refusal | undefined;
  /** The addresses of pods that are to be backends and are left out. */
  readonly missing: ReadonlySet<string>;
  /** The desired state, with the network interfaces of pods. */
  readonly resolved: Present;
}

interface Concluded {
  readonly trouble: Trouble;
  readonly standing: Standing;
  readonly isComplete: boolean;
}

/** Records events for skipped backends and for what is wrong, or else for what was done. */
function report(
  subject: Case,
  outcome: JudgedOutcome,
  { trouble, standing, isComplete }: Concluded,
  turn: Turn,
  deps: ServiceDeps,
): void {
  tellSkipped(subject, deps);
  const isWrong = trouble.reasons.length > 0;
  reportWrong(subject.service, standing, { causes: causesIn(trouble), ineffective: trouble.ineffective }, deps.events);
  if (!isWrong && (isComplete || outcome.done.length > 0)) tellOutcome(subject, outcome, turn, deps);
}

/** Records what was reached, tells people, and says when to look again. */
export async function conclude(subject: Case, outcome: JudgedOutcome, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { refusal, service, missing, options, resolved } = outcome;
  turn.entry.resources = noResourcesKnown();
  delete turn.entry.undone;
  const wrong = complaints(outcome, refusal);
  const isWithheld = outcome.withheld.length > 0;
  turn.entry.isWithheld = isWithheld;
  const isComplete = wrong.length === 0 && !isWithheld && missing.size === 0;
  const change = blockedChange(subject, turn.entry);
  const ineffective = deps.judge.ineffective(subject.judged, subject.parsed);
  const trouble = { change, reasons: wrong, word: wordOf(outcome, refusal), ineffective };
  const standing = standingOf(trouble, leftOut(resolved, missing, lostBackends(service, deps.hadInstance)));
  const isPassing = isComplete && isPassed(turn.entry, outcome.done.length);
  const isDenied = isAnothers(outcome);
  if (!isPassing) await recordReached(subject, { service, isComplete, isDenied, standing, options }, turn, deps);
  report(subject, outcome, { trouble, standing, isComplete }, turn, deps);
  if (isPassing) return { requeueAfterMs: PACE_MS };
  // What people have to mend in the Service is looked at when they have.
  if (!isComplete && isWithheld && refusal === undefined) return later(outcome, turn, deps);
  return lacksElastic(subject.parsed.options, turn.entry)
    ? { requeueAfterMs: WITHHELD_RETRY_MS }
    : untilAudit(turn, deps);
}

/** What stands in the way in the cloud shows only by looking; policies are told of. */
function later(outcome: Outcome, { entry }: Turn, { clock }: ServiceDeps): Result {
  if (isForPeople(outcome)) return { requeueAfterMs: WITHHELD_RETRY_MS };
  if (!isOfUserManaged(outcome)) entry.knowledge = doubt(entry.knowledge, ['load-balancer', 'listeners']);
  obstructed(entry, clock.monotonic() + WITHHELD_RETRY_MS);
  return { requeueAfterMs: WITHHELD_RETRY_MS };
}

export function untilAudit({ entry }: Turn, { clock }: ServiceDeps): Result {
  return { requeueAfterMs: Math.max(1, dueInMs(entry, clock.monotonic())) };
}
