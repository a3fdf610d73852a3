import { resettableOptions, type ResettableOptions } from '../../../clb/desired/resettable-options.ts';
import { buildDesired, protectedAgain, useOf, type DesiredInputs } from '../../../clb/desired/build.ts';
import { digestOf } from '../../../clb/desired/digest.ts';
import type { CallLane } from '../../../plan/call-context.ts';
import { OWN, type LoadBalancerRef } from '../../../clb/model/load-balancer-ref.ts';
import type { Observed, WantedResources } from '../../../clb/model/desired-and-observed-state.ts';
import type { ClusterSettings } from '../../../clb/model/cluster-settings.ts';
import { hasFinalizer } from '../../../clb/model/provisioning-evidence.ts';
import { wantsElastic } from '../../../inventory/published-addresses.ts';
import { lacksElastic } from '../status/elastic-ips.ts';
import { evaluatedAs, type EvaluatedInputs, type ServiceInputs } from '../inputs.ts';
import {
  hasRecord,
  isCleaningUp,
  isRecordedAsOwned,
  resettableIn,
  type BindingRecord,
} from '../state/binding-record.ts';
import { withoutLoadBalancerReasons, type ServiceEvaluation } from '../evaluation/rule-evaluation.ts';
import type { PolicyEvaluator } from '../evaluation/evaluator.ts';
import { hasBeenServed } from '../state/service-metadata.ts';
import { dueInMs } from '../state/service-state.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** Milliseconds to wait for the first EndpointSlice of a new Service, because filling empty groups takes further calls. */
export const FIRST_SLICE_MS = 2_000;

/** Returns whether the Service still requests every recorded resettable option. */
const requestsRecordedOptions = (record: BindingRecord, requestedResettable: ResettableOptions): boolean =>
  [...resettableIn(record)].every((name) => requestedResettable.has(name));

/** The inputs of a sync: the stored data and the desired state. `parsed` has the annotations of `evaluatedService`. */
export interface SyncInputs extends ServiceInputs, EvaluatedInputs {
  readonly ref: LoadBalancerRef;
  readonly desired: WantedResources;
  /** The digest of the desired state, without the defaults of removed options. */
  readonly digest: string;
  /** The resettable options that the Service requests. */
  readonly requestedResettable: ResettableOptions;
  readonly desiredInputs: DesiredInputs;
}

/** Returns the inputs of a sync with the load balancer `ref`. */
export function gatherInputs(inputs: ServiceInputs, ref: LoadBalancerRef, settings: ClusterSettings): SyncInputs {
  const { service, record, slices, nodes, awaiting } = inputs;
  const evaluatedInputs = evaluatedAs(inputs, ref);
  const { options } = evaluatedInputs.parsed;
  const desiredInputs = { service, options, slices, nodes, awaiting, settings };
  const requestedResettable = resettableOptions(options, useOf(options));
  const plain = buildDesired(desiredInputs);
  const wanted = requestsRecordedOptions(record, requestedResettable)
    ? plain
    : buildDesired({ ...desiredInputs, applied: resettableIn(record) });
  const digest = digestOf(plain, ...(wantsElastic(options) ? ['eip'] : []));
  const isChanged = record.syncedDigest !== undefined && record.syncedDigest !== digest;
  const desired = { ...(isCleaningUp(record) ? protectedAgain(wanted) : wanted), isChanged };
  return { ...inputs, ...evaluatedInputs, service, ref, desired, digest, requestedResettable, desiredInputs };
}

/** Evaluates the rules for a Service. Ignores violations about a load balancer that was created for the Service. */
export function evaluateSubject(
  { evaluatedService, parsed, record, ref }: SyncInputs,
  isNew: boolean,
  evaluator: Pick<PolicyEvaluator, 'evaluate'>,
): ServiceEvaluation {
  const found = evaluator.evaluate(evaluatedService, parsed, isNew);
  const isOwn = ref !== OWN && isRecordedAsOwned(record, ref);
  return isOwn && found.denial !== undefined ? { ...found, denial: withoutLoadBalancerReasons(found.denial) } : found;
}

/**
 * Returns whether the owned load balancer has its desired protections, which an interrupted cleanup may have removed. A sync notices all other
 * removed resources.
 */
export function isResuming({ desired }: SyncInputs, { loadBalancer }: Observed): boolean {
  if (desired.use.kind === 'reused' || loadBalancer === undefined) return false;
  const { deleteProtection, modificationProtection } = desired.attributes;
  return (
    (deleteProtection ?? loadBalancer.deleteProtection) === loadBalancer.deleteProtection &&
    (modificationProtection ?? loadBalancer.modificationProtection) === loadBalancer.modificationProtection
  );
}

/** Returns whether the record shows a complete sync of the desired state, and contains the usage. */
export const isAsBefore = ({ record, digest }: SyncInputs): boolean =>
  record.operation === undefined && record.syncedDigest === digest && record.admittedUsage !== undefined;

/** Returns whether the record and the state in memory show that the load balancer is up to date. */
export const isConfirmed = (subject: SyncInputs, { entry }: ReconcileContext, { clock }: ServiceDeps): boolean =>
  hasFinalizer(subject.service) &&
  isAsBefore(subject) &&
  !entry.isBlocked &&
  !entry.isAuditing &&
  requestsRecordedOptions(subject.record, subject.requestedResettable) &&
  !lacksElastic(subject.parsed.options, entry) &&
  dueInMs(entry, clock.monotonic()) > 0;

/** Returns whether a Service may have a load balancer, by its status, finalizer and record. `seen` is a load balancer that other evidence shows. */
export const mayHaveOne = ({ service, record }: SyncInputs, seen?: object): boolean =>
  hasBeenServed(service, record) || hasFinalizer(service) || hasRecord(record) || seen !== undefined;

/** Returns whether a Service never had a load balancer, as far as its status, finalizer, record and cached state show. */
export const isNewService = (subject: SyncInputs, { entry }: Pick<ReconcileContext, 'entry'>): boolean =>
  !mayHaveOne(subject, entry.knowledge.observed.loadBalancer);

/** Returns the milliseconds for which a new Service waits for its first EndpointSlice; 0 if no wait is needed. */
export function firstSliceDueInMs(subject: SyncInputs, { entry }: ReconcileContext, { clock }: ServiceDeps): number {
  const lacksSlices = subject.slices.length === 0 && subject.service.spec?.selector !== undefined;
  const needsSlices = subject.desired.groups.some(({ backends }) => backends.length === 0);
  if (hasBeenServed(subject.service, subject.record) || !lacksSlices || !needsSlices) return 0;
  return Math.max(0, entry.firstSeenMs + FIRST_SLICE_MS - clock.monotonic());
}

/** Returns the lane of a reconcile, which is the priority of its cloud calls. */
export function laneOf(subject: SyncInputs, context: ReconcileContext, { clock }: ServiceDeps): CallLane {
  if (!hasBeenServed(subject.service, subject.record)) return 'create';
  const isAudit = subject.record.syncedDigest === subject.digest && dueInMs(context.entry, clock.monotonic()) <= 0;
  return isAudit ? 'audit' : 'change';
}
