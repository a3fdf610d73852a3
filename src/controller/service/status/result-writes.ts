import { isDeepStrictEqual } from 'node:util';
import type { Options } from '../../../annotation/catalogue.ts';
import { OWN } from '../../../clb/model/load-balancer-ref.ts';
import type { ObservedCache } from '../../../clb/observe/observe.ts';
import { isServed } from '../../../clb/observe/service-resources.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import { isResuming, type SyncInputs } from '../sync/sync-inputs.ts';
import { usageAfter } from '../evaluation/usage-to-record.ts';
import { conditionPatch, type ReadinessState } from './condition-patch.ts';
import { hasFinalizer, isPublished } from '../../../clb/model/provisioning-evidence.ts';
import { wantsElastic } from '../../../inventory/published-addresses.ts';
import { elasticAddresses, findElastic } from './elastic-ips.ts';
import { boundIn, ended, hasRecord, reached, type BindingRecord } from '../state/binding-record.ts';
import { isDefinitionMissing } from '../state/binding-store.ts';
import { labelChanges } from '../state/service-metadata.ts';
import { addFinalizerTo, storeRecord, writeStatus } from '../state/service-writes.ts';
import { desiredIngress, publishedIngress, sameIngress, type Ingress } from './ingress.ts';
import type { BareReconcileContext, ServiceDeps, ReconcileContext } from '../context.ts';
import { pendingMs } from '../state/pending-operations.ts';

/** Returns the ingress to publish. Keeps the published ingress while the address of the load balancer is unknown. */
function ingressOf(
  { service }: Pick<SyncInputs, 'service'>,
  options: Options,
  { entry }: ReconcileContext,
): readonly Ingress[] {
  // The response to a creation may lack the address.
  const { address = '' } = entry.knowledge.observed.loadBalancer ?? {};
  const published = publishedIngress(service);
  if (address === '') return options.hostname === undefined ? published : desiredIngress(options, []);
  if (!wantsElastic(options)) return desiredIngress(options, [address]);
  const elastic = elasticAddresses(entry) ?? 'unknown';
  if (elastic === 'unknown') return published.length > 0 ? published : desiredIngress(options, [address]);
  return desiredIngress(options, elastic.length > 0 ? elastic : [address]);
}

/** Returns whether the published ingress matches the request of the Service and the observed state. */
export const isStatusUpToDate = (subject: SyncInputs, context: ReconcileContext): boolean =>
  sameIngress(ingressOf(subject, subject.parsed.options, context), publishedIngress(subject.service));

/** Returns whether the address to publish is unknown until the load balancer is read. */
export const lacksAddress = (subject: SyncInputs, context: ReconcileContext): boolean =>
  context.entry.knowledge.observed.loadBalancer === undefined &&
  subject.parsed.options.hostname === undefined &&
  !publishedIngress(subject.service).some(({ ip }) => ip !== undefined);

/** The result of a reconcile, for the binding and the status. */
export interface ReconcileOutcome {
  /** The Service after the last write. */
  readonly service: Service;
  readonly isComplete: boolean;
  readonly readiness: ReadinessState;
  /** The options that decide the published address, without those that policies block; the options of the Service if undefined. */
  readonly options?: Options;
  /** True if a failure interrupted the reconcile, so that the recorded usage stays: a retry continues the change. */
  readonly isInterrupted?: boolean;
}

/** Returns the record with its operation ended if no cloud call is pending. The record is never stored for this change alone. */
const endedBy = (record: BindingRecord, { entry }: Pick<ReconcileContext, 'entry'>): BindingRecord =>
  entry.pendingOperations.size === 0 ? ended(record) : record;

/** Returns the result of a reconcile in the form of the record. */
function resultOf(
  subject: SyncInputs,
  { isComplete, isInterrupted = false }: ReconcileOutcome,
  context: ReconcileContext,
  deps: Pick<ServiceDeps, 'caches' | 'clock'>,
) {
  const { entry } = context;
  const isKept = isInterrupted && entry.record.admittedUsage !== undefined;
  const { loadBalancer } = entry.knowledge.observed;
  const use = subject.ref === OWN ? ('owned' as const) : ('reused' as const);
  const address = loadBalancer?.address ?? '';
  return {
    ...(loadBalancer === undefined
      ? {}
      : { loadBalancer: { id: loadBalancer.id, use, ...(address === '' ? {} : { address }) } }),
    ...(isComplete ? { digest: subject.digest, hasPendingCall: pendingMs(entry, deps.clock) > 0 } : {}),
    isResumed: entry.pendingOperations.size === 0 && isResuming(subject, entry.knowledge.observed),
    resettable: subject.requestedResettable,
    preserve: subject.parsed.options.preserveLbOnDelete === true,
    usage: isKept ? undefined : usageAfter(subject, entry.knowledge, context, deps),
  };
}

/** A function that writes the status, to be called after the binding is stored. */
export type StatusWrite = () => Promise<unknown>;

export const NO_WRITE: StatusWrite = () => Promise.resolve();

/** Stores the binding first, so that every published load balancer has a record, and returns the function that writes the status. */
export async function commit(
  subject: SyncInputs,
  result: ReconcileOutcome,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<StatusWrite> {
  const { service, isComplete, readiness, options = subject.parsed.options } = result;
  const { entry } = context;
  const record = reached(entry.record, resultOf(subject, result, context, deps));
  const changes = labelChanges(service, boundIn(record), isComplete);
  const ingress = ingressOf(subject, options, context);
  const isIngressPublished = sameIngress(ingress, publishedIngress(service));
  const condition = conditionPatch(service, readiness, deps.clock.now());
  const isStatusChanged = !isIngressPublished || condition !== undefined || Object.keys(changes.labels).length > 0;
  const isChanged = record !== entry.record || isStatusChanged;
  await storeRecord(service, isChanged ? endedBy(record, context) : record, context, deps);
  return () =>
    writeStatus(service, { ...changes, ingress: isIngressPublished ? undefined : ingress, condition }, context, deps);
}

/** A result, and whether the Service must not use the load balancer that was found. */
type Recorded = ReconcileOutcome & { readonly isForeign?: boolean };

/** Records the result of a sync; publishes an address only if the load balancer serves the Service and is not foreign. */
export async function recordResult(
  subject: SyncInputs,
  { isForeign = false, ...outcome }: Recorded,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<StatusWrite> {
  const { service } = outcome;
  const { observed } = context.entry.knowledge;
  const isReachable = outcome.isComplete || isServed(subject.desired, observed);
  if (!isForeign && observed.loadBalancer !== undefined && isReachable) {
    await findElastic(subject.service, context, deps);
    const withFinalizer = await addFinalizerTo(service, context, deps);
    return commit(subject, { ...outcome, service: withFinalizer }, context, deps);
  }
  await recordUsage(subject, context.entry.knowledge, context, deps);
  return outcome.readiness.status === 'False' ? writeCondition(service, outcome.readiness, context, deps) : NO_WRITE;
}

/** Stores a record that no later cloud call depends on. Stores nothing if the CustomResourceDefinition of bindings is not installed. */
async function storeIfDefined(
  service: Service,
  record: BindingRecord,
  context: Pick<BareReconcileContext, 'entry' | 'signal'>,
  deps: Pick<ServiceDeps, 'writer' | 'bindings'>,
): Promise<void> {
  await storeRecord(service, record, context, deps).catch((error: unknown) => {
    if (!isDefinitionMissing(error)) throw error;
  });
}

/** Stores only the usage in the binding, if the usage changed. Does nothing for a new Service, which never had cloud resources. */
export async function recordUsage(
  subject: SyncInputs,
  known: ObservedCache,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<void> {
  const { entry } = context;
  const usage = usageAfter(subject, known, context, deps);
  const isNew = !hasFinalizer(subject.service) && !isPublished(subject.service) && !hasRecord(entry.record);
  if (usage === undefined || isNew) return;
  if (isDeepStrictEqual(usage, entry.record.admittedUsage)) return;
  await storeIfDefined(subject.service, endedBy({ ...entry.record, admittedUsage: usage }, context), context, deps);
}

/** Stores the binding if the condition of the Service changes, and returns the function that writes only the condition. */
export async function writeCondition(
  service: Service,
  readiness: ReadinessState,
  context: Pick<BareReconcileContext, 'entry' | 'signal'>,
  deps: Pick<ServiceDeps, 'writer' | 'bindings' | 'clock'>,
): Promise<StatusWrite> {
  const condition = conditionPatch(service, readiness, deps.clock.now());
  if (condition === undefined) return NO_WRITE;
  await storeIfDefined(service, endedBy(context.entry.record, context), context, deps);
  return () => writeStatus(service, { condition }, context, deps);
}
