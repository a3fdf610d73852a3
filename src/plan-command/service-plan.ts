import type { Action } from '../clb/model/action.ts';
import { withAdoptedNames } from '../clb/desired/build.ts';
import type { NetworkApi } from '../clb/model/network-api.ts';
import { EMPTY_CACHE, observe, type Reading } from '../clb/observe/observe.ts';
import type { ClbApi } from '../clb/model/clb-api.ts';
import type { CallContext } from '../plan/call-context.ts';
import { resolve, type Located } from '../clb/desired/pod-interfaces.ts';
import type { ClusterSettings } from '../clb/model/cluster-settings.ts';
import type { Desired } from '../clb/model/desired-and-observed-state.ts';
import { partToSync } from '../clb/diff/retained-groups.ts';
import type { Clock } from '../base/clock.ts';
import { evaluateSubject, mayHaveOne, gatherInputs, type SyncInputs } from '../controller/service/sync/sync-inputs.ts';
import { policyBlocksOf } from '../controller/service/evaluation/policy-blocks.ts';
import { withListenerLimit } from '../controller/service/evaluation/enforced-listener-quota.ts';
import { readInputs, withRecord } from '../controller/service/inputs.ts';
import { findBound, type Bound } from '../controller/service/adopt/find-bound.ts';
import { blockedChange } from '../controller/service/status/load-balancer-change-message.ts';
import { publishedAddresses } from '../controller/service/status/ingress.ts';
import type { ServiceState } from '../controller/service/state/service-state.ts';
import { NOT_FOUND, whyNotFound } from '../clb/guards/guards.ts';
import { backendClaimsOf } from '../controller/service/backends/claims-of-other-services.ts';
import { locate, type VpcRanges } from '../controller/service/backends/eni-lookup.ts';
import type { PolicyEvaluator } from '../controller/service/evaluation/evaluator.ts';
import { cleanupTargetsOf } from '../controller/service/cleanup/cleanup-targets.ts';
import { recordsIn } from '../controller/service/state/binding-store.ts';
import type { NodeSelector } from '../controller/service/backends/cached-node-selection.ts';
import { planFor } from '../controller/service/sync/plan.ts';
import type { KubernetesCaches } from '../controller/kubernetes-interface.ts';
import { managementOf } from '../controller/service/management.ts';
import type { Service } from '../base/kubernetes-objects.ts';
import { concatPlans, NOTHING, type Plan } from '../plan/plan.ts';
import { lostAddresses, type LoadBalancerPlan, type LostAddress } from './load-balancer-plan.ts';

/** The dependencies of a plan. No dependency can write. */
export interface PlanDeps {
  readonly caches: Pick<KubernetesCaches, 'services' | 'endpointSlices' | 'pods' | 'classicLoadBalancers' | 'bindings'>;
  readonly selectNodes: NodeSelector;
  readonly evaluator: PolicyEvaluator;
  readonly settings: ClusterSettings;
  readonly protectedIds: ReadonlySet<string>;
  readonly clb: ClbApi;
  readonly network: NetworkApi;
  readonly isNear: VpcRanges;
  readonly clock: Clock;
}

/** The plan for one Service, from which `plan`, `graph` and `--dry-run` build their output. */
export interface ServicePlan {
  /** The messages of the violations that deny the Service. */
  readonly denied: readonly string[];
  /** The plans for the load balancers of the Service. */
  readonly parts: readonly LoadBalancerPlan[];
  /** The actions of all `parts`, and blocked actions that concern the Service as a whole. */
  readonly plan: Plan<Action>;
  /** The addresses that the Service loses. */
  readonly lostAddresses: readonly LostAddress[];
}

/** Returns the empty plan of a Service that the webhook would deny. */
export const deniedPlan = (denied: readonly string[]): ServicePlan => ({
  denied,
  parts: [],
  plan: NOTHING,
  lostAddresses: [],
});

const servicePlan = (
  service: Service,
  denied: readonly string[],
  parts: readonly LoadBalancerPlan[],
  more: Plan<Action> = NOTHING,
): ServicePlan => ({
  denied,
  parts,
  plan: concatPlans([...parts.map(({ plan }) => plan), more]),
  lostAddresses: lostAddresses(parts, publishedAddresses(service)),
});

/** The state that the search for the bound load balancer reads and fills. */
type Searched = Pick<ServiceState, 'bound' | 'knowledge' | 'record' | 'pendingOperations'>;

/** The inputs of a plan for a Service. */
interface ServicePlanInputs {
  readonly subject: SyncInputs;
  readonly isDenied: boolean;
  readonly isUnsafe: boolean;
  readonly context: CallContext;
}

const readingOf = ({ subject: { hints }, context }: ServicePlanInputs, { clb: api }: PlanDeps): Reading => ({
  hints,
  api,
  context,
  onObserved: () => undefined,
});

/** Reads one load balancer and returns its plan. */
async function planAt(desired: Desired, planInputs: ServicePlanInputs, deps: PlanDeps): Promise<LoadBalancerPlan> {
  const { subject, isDenied, isUnsafe, context } = planInputs;
  const { service, slices } = subject;
  const reading = readingOf(planInputs, deps);
  const { observed } = await observe(desired, EMPTY_CACHE, reading);
  const constraints = { syncsOnlyBackends: isDenied, policyBlocks: policyBlocksOf(subject, desired, observed, deps) };
  const synced = partToSync(desired, observed, isUnsafe);
  const backendClaims = backendClaimsOf(service, synced, { ...deps, bindings: recordsIn(deps.caches.bindings) });
  const planned = {
    service,
    slices,
    evidence: reading.hints,
    desired: synced,
    observed,
    ...constraints,
    backendClaims,
  };
  const { plan, failure } = await planFor(planned, deps, context);
  if (failure !== undefined) throw failure;
  return { desired: synced, observed, plan };
}

/** Returns the plans for the cleanup of a Service. */
async function planCleanup(planInputs: ServicePlanInputs, deps: PlanDeps): Promise<readonly LoadBalancerPlan[]> {
  const parts: LoadBalancerPlan[] = [];
  const seen = new Set<string>();
  for (const target of cleanupTargetsOf(planInputs.subject, {}, deps)) {
    if (target.use.kind === 'reused' && seen.has(target.use.id)) continue;
    const part = await planAt(target, planInputs, deps);
    if (part.observed.loadBalancer !== undefined) seen.add(part.observed.loadBalancer.id);
    parts.push(part);
  }
  return parts;
}

async function locatePods(
  { subject, context }: ServicePlanInputs,
  { network, isNear, clock, settings }: PlanDeps,
): Promise<Located> {
  const found = await locate(subject.desired, new Map(), { vpcId: settings.vpcId, network, isNear, clock, context });
  if (found.failure !== undefined) throw found.failure;
  return found;
}

/** Returns the plan for the sync of a Service. */
async function planSync(planInputs: ServicePlanInputs, deps: PlanDeps): Promise<LoadBalancerPlan> {
  const { subject } = planInputs;
  const found = await locatePods(planInputs, deps);
  const desired = withListenerLimit(
    withAdoptedNames(resolve(subject.desired, found)),
    subject.evaluatedService,
    deps.evaluator,
  );
  return planAt(desired, planInputs, deps);
}

const blocked = (rule: string, reason: string): Plan<Action> => ({ actions: [], blocked: [{ rule, reason }] });

/** Returns the plan of a full sync or cleanup, as the controller would apply the plan. */
export async function planService(service: Service, deps: PlanDeps, signal: AbortSignal): Promise<ServicePlan> {
  const record = recordsIn(deps.caches.bindings).recordOf(service);
  const management = managementOf(service, record);
  if (management === 'none' || management === 'other-controller') return servicePlan(service, [], []);
  const context: CallContext = { signal, lane: 'audit', namespace: '' };
  const entry: Searched = { record, knowledge: EMPTY_CACHE, pendingOperations: new Map() };
  const inputs = readInputs(service, record, deps);
  const { requested } = inputs;
  const requestedInputs = gatherInputs(inputs, requested, deps.settings);
  if (management === 'cleanup') {
    const cleanup = { subject: requestedInputs, isDenied: false, isUnsafe: false, context };
    return servicePlan(service, [], await planCleanup(cleanup, deps));
  }
  const isNew = !mayHaveOne(requestedInputs);
  const bound: Bound = isNew ? { ref: requested, isGone: false } : await findBound(inputs, { ...context, entry }, deps);
  if (bound.isGone) return servicePlan(service, [], [], blocked(NOT_FOUND, whyNotFound(publishedAddresses(service))));
  const adopted = bound.corrected ?? record;
  const subject = gatherInputs(withRecord(inputs, adopted), bound.ref, deps.settings);
  const planInputs: ServicePlanInputs = { subject, isDenied: false, isUnsafe: false, context };
  const change = blockedChange(inputs, { ...entry, record: adopted });
  const blockedMove = change === undefined ? NOTHING : blocked(change.reason, change.message);
  const { denial } = evaluateSubject(subject, isNew, deps.evaluator);
  const isDenied = denial !== undefined;
  const parts =
    isDenied && (denial.hidesBackends || entry.bound === undefined)
      ? []
      : [await planSync({ ...planInputs, isDenied, isUnsafe: denial?.isUnsafe === true }, deps)];
  return servicePlan(service, denial?.reasons ?? [], parts, blockedMove);
}
