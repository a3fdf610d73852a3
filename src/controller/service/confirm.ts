import { podBackends } from '../../clb/resolve.ts';
import type { Result } from '../../reconcile/verdict.ts';
import { lookAfterPods, NONE_MISSING } from './backends/pods.ts';
import type { Case } from './case.ts';
import { blockedChange } from './telling/blocked-change.ts';
import { untilAudit } from './telling/conclude.ts';
import { shownSkips } from './telling/condition.ts';
import { commit } from './telling/record.ts';
import { causesIn, leftOut, reportWrong, standingOf } from './telling/standing.ts';
import type { ServiceDeps, Turn } from './turn.ts';

/** Reports on a Service whose load balancer is up to date. An invalid value requests nothing, but still violates a rule. */
export async function confirm(subject: Case, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service, judged, parsed, desired, wish } = subject;
  const { reasons = [], word = '' } = deps.judge.refusal(judged, parsed, false) ?? {};
  const change = blockedChange(subject.service, turn.entry);
  const trouble = { change, reasons, word };
  const found = standingOf(trouble, leftOut(desired, NONE_MISSING, deps.hadInstance));
  // The digest is equal, so the skipped backends are the same as well.
  const shown = found.status === 'True' && podBackends(desired).length > 0 ? shownSkips(service) : undefined;
  const standing = shown ?? found;
  reportWrong(service, standing, causesIn(trouble), deps.events);
  await commit(subject, { service, isComplete: true, standing }, turn, deps);
  deps.judge.confirm(judged);
  const pods = { service, slices: wish.slices, missing: NONE_MISSING };
  return lookAfterPods(pods, untilAudit(turn, deps), turn, deps);
}
