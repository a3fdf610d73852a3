import { NO_OBJECTIONS, type Objections } from '../../../clb/objection.ts';
import type { Desired, Observed } from '../../../clb/state.ts';
import type { Case } from '../case.ts';
import type { Outcome, ServiceDeps, Turn } from '../turn.ts';
import { seen } from './seen.ts';

/** What policies have against a Service, given what is there; nothing against its going. */
export function objectionsTo(
  { judged, parsed, hints: saying }: Case,
  desired: Desired,
  observed: Observed,
  { judge, protectedIds }: Pick<ServiceDeps, 'judge' | 'protectedIds'>,
): Objections {
  if (desired.kind === 'absent') return NO_OBJECTIONS;
  const sight = { saying, protectedIds };
  return judge.objections(judged, parsed, seen(desired, observed, sight));
}

/** Says what there is of a Service, now that all of it was carried out but for what was withheld: for whatever reason, that is had by nobody. */
export function countWhatIs(
  { service, desired }: Pick<Case, 'service' | 'desired'>,
  { objections, withheld }: Pick<Outcome, 'objections' | 'withheld'>,
  { entry, inputs }: Pick<Turn, 'entry' | 'inputs'>,
  { judge, protectedIds }: Pick<ServiceDeps, 'judge' | 'protectedIds'>,
): void {
  const there = seen(desired, entry.knowledge.observed, { saying: inputs.hints, protectedIds });
  judge.conclude(service, there, objections.all.length > 0 || withheld.length > 0);
}
