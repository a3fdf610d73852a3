import { adopting } from '../../clb/desired.ts';
import { NO_OBJECTIONS } from '../../clb/objection.ts';
import { observe, type Knowledge, type Reading } from '../../clb/observe.ts';
import type { RefusedBackends } from '../../clb/refused-backends.ts';
import { resolve, type Located } from '../../clb/resolve.ts';
import type { Observed, Present } from '../../clb/state.ts';
import { asServed } from '../../clb/still-serving.ts';
import type { Service } from '../../objects.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Action } from '../../clb/action.ts';
import { act } from './act.ts';
import type { Case } from './case.ts';
import { knowOnly } from './converge.ts';
import { planFor, type PlanningDeps } from './planning.ts';
import type { Shortfall } from './telling/complaints.ts';
import { failureBeside } from './telling/standing.ts';
import type { ServiceDeps, Turn } from './turn.ts';

/** What a backend-only sync is planned with. */
interface PlanContext {
  readonly known: Knowledge;
  readonly reading: Reading;
  /** Backends that the cloud has not taken, and that are not tried again yet. */
  readonly refused: RefusedBackends;
  readonly heirs: ServiceDeps['heirs'];
}

interface BackendSync {
  readonly desired: Present;
  readonly observed: Observed;
  readonly plan: Plan<Action>;
}

/** Plans that the backends which a Service has follow the endpoints, and nothing else. */
export async function planBackends(
  { service, slices, desired: wanted }: Case,
  found: Located,
  { known, reading, refused, heirs }: PlanContext,
  deps: PlanningDeps,
): Promise<BackendSync> {
  const asked = adopting(resolve(wanted, found));
  const { observed } = await observe(asked, known, reading);
  const desired = asServed(asked, observed);
  const judged = { isRefused: true, objections: NO_OBJECTIONS, refused, heirs: heirs(service, desired) };
  const planned = { service, saying: reading.hints, slices, desired, observed, ...judged };
  const { plan } = await planFor(planned, deps, reading.context);
  return { desired, observed, plan };
}

/**
 * Syncs the backends of a denied Service with the load balancer that serves it. Returns the Service as the last write left it. A failure also
 * says what else is not done.
 */
export async function syncBackendsOnly(
  subject: Case,
  { found, withheld }: Shortfall & { readonly found: Located },
  turn: Turn,
  deps: ServiceDeps,
): Promise<Service> {
  const { entry, signal, lane, namespace } = turn;
  const { service, hints } = subject;
  knowOnly(subject.desired, turn);
  const learn = (known: Knowledge): void => {
    entry.knowledge = known;
  };
  const reading = { hints, api: deps.clb, context: { signal, lane, namespace }, learn };
  const context = { known: entry.knowledge, reading, refused: new Set(entry.refused.keys()), heirs: deps.heirs };
  try {
    const { desired, plan } = await planBackends(subject, found, context, deps);
    if (plan.actions.length === 0) return service;
    return await act({ service, desired, actions: plan.actions, done: [] }, turn, deps);
  } catch (error) {
    throw failureBeside(withheld, error);
  }
}
