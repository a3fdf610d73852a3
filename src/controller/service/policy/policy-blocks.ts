import { NO_OBJECTIONS, type Objections } from '../../../clb/guards/policy-blocks.ts';
import type { Desired, Observed } from '../../../clb/model/state.ts';
import type { Case } from '../sync/sync-inputs.ts';
import type { ServiceDeps } from '../context.ts';
import { seen } from './observed-usage.ts';

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
