import type { Action } from '../clb/action.ts';
import { adopting } from '../clb/desired.ts';
import type { NetworkApi } from '../clb/network.ts';
import { NOTHING_KNOWN, observe } from '../clb/observe.ts';
import type { ClbApi } from '../clb/port.ts';
import type { CallContext } from '../plan/call.ts';
import { resolve } from '../clb/resolve.ts';
import type { ClusterSettings } from '../clb/settings.ts';
import type { Absent, Desired } from '../clb/state.ts';
import type { Clock } from '../clock.ts';
import { mayHaveOne, open, type Case } from '../controller/service/case.ts';
import { objectionsTo } from '../controller/service/judging/objections.ts';
import { withinQuota } from '../controller/service/judging/within-quota.ts';
import { isAnothers } from '../controller/service/telling/complaints.ts';
import { heirsOf } from '../controller/service/leaving/heirs.ts';
import { locate, type Neighbourhood } from '../controller/service/backends/interfaces.ts';
import type { Judge } from '../controller/service/judging/judge.ts';
import { amongOthers, formersOf, leavingsOf } from '../controller/service/leaving/leavings.ts';
import { hintsOf } from '../controller/service/marks.ts';
import type { NodeSelector } from '../controller/service/backends/node-selector.ts';
import { planFor } from '../controller/service/planning.ts';
import type { KubernetesCaches } from '../controller/port.ts';
import { isGoing, isLeftToOthers } from '../controller/service/triggers.ts';
import type { Service } from '../objects.ts';
import { concatPlans, NOTHING, type Plan } from '../plan/plan.ts';

/** What planning for a Service takes; nothing of it can change anything. */
export interface PreviewDeps {
  readonly caches: Pick<KubernetesCaches, 'services' | 'endpointSlices' | 'pods' | 'classicLoadBalancers'>;
  readonly selectNodes: NodeSelector;
  readonly judge: Judge;
  readonly settings: ClusterSettings;
  readonly protectedIds: ReadonlySet<string>;
  readonly clb: ClbApi;
  readonly network: NetworkApi;
  readonly isNear: Neighbourhood;
  readonly clock: Clock;
}

/** What would be asked of the cloud for one Service. */
export interface Preview {
  /** What the rules have against the Service, in sentences. */
  readonly refused: readonly string[];
  readonly plan: Plan<Action>;
}

/** What a Service that goes leaves; of another, what is to be there, and after it what goes from what it used before. */
async function desiredBy(
  subject: Case,
  isRefused: boolean,
  deps: PreviewDeps,
  context: CallContext,
): Promise<readonly Desired[]> {
  const { service, parsed } = subject;
  const asNow = (left: Absent): Absent => amongOthers(left, service, deps);
  if (isGoing(service)) return leavingsOf(service, parsed.options, deps).map(asNow);
  const formers = isRefused ? [] : formersOf(service, parsed.options, deps).map(asNow);
  const { network, isNear, clock } = deps;
  const lookup = { vpcId: deps.settings.vpcId, network, isNear, clock, context };
  const found = await locate(subject.desired, new Map(), lookup);
  if (found.failure !== undefined) throw found.failure;
  return [withinQuota(adopting(resolve(subject.desired, found)), service, deps.judge), ...formers];
}

/** Reads the cloud for all that is desired of a Service, one after the other, and plans. */
async function planAll(
  subject: Case,
  isRefused: boolean,
  deps: PreviewDeps,
  context: CallContext,
): Promise<Plan<Action>> {
  const { service } = subject;
  const { options } = subject.parsed;
  const reading = { hints: hintsOf(service, options), api: deps.clb, context, learn: () => undefined };
  const plans: Plan<Action>[] = [];
  const seen = new Set<string>();
  for (const desired of await desiredBy(subject, isRefused, deps, context)) {
    if (desired.use.kind === 'reused' && seen.has(desired.use.id)) continue;
    const { observed } = await observe(desired, NOTHING_KNOWN, reading);
    if (observed.loadBalancer !== undefined) seen.add(observed.loadBalancer.id);
    const judged = { isRefused, objections: objectionsTo(subject, desired, observed, deps) };
    const heirs = heirsOf(service, desired, deps);
    const { slices } = subject.wish;
    const planned = { service, slices, options, desired, observed, ...judged, heirs };
    const { plan, failure } = await planFor(planned, deps, context);
    if (failure !== undefined) throw failure;
    plans.push(plan);
    // Nothing is left before what is named now serves the Service.
    if (desired.kind === 'present' && isAnothers(plan)) break;
  }
  return concatPlans(plans);
}

/** Plans for a Service as the controller does when it looks at everything anew. Makes no call that changes anything. */
export async function previewOf(service: Service, deps: PreviewDeps, signal: AbortSignal): Promise<Preview> {
  if (isLeftToOthers(service)) return { refused: [], plan: NOTHING };
  const subject = open(service, deps);
  const isNew = !mayHaveOne(subject, { entry: { knowledge: NOTHING_KNOWN } });
  const refusal = isGoing(service) ? undefined : deps.judge.refusal(service, subject.parsed, isNew);
  const refused = refusal?.reasons ?? [];
  if (refusal !== undefined && (refusal.isUnsafe || isNew)) return { refused, plan: NOTHING };
  return { refused, plan: await planAll(subject, refusal !== undefined, deps, { signal, lane: 'audit' }) };
}
