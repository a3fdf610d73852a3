import type { ResettableOptions } from '../../../clb/desired/resettable-options.ts';
import { omit } from '../../../base/pick.ts';
import { PortcullisError, type Reason } from '../../../base/errors.ts';
import { keyOf, SERVICES, type Service } from '../../../base/kubernetes-objects.ts';
import type { ConditionPatch } from '../status/condition-patch.ts';
import type { WriteStep } from '../status/events.ts';
import { isDefinitionMissing, type BindingStore } from './binding-store.ts';
import { boundIn, NO_RECORD, started, type BindingRecord, type Start } from './binding-record.ts';
import { addFinalizer, removeFinalizer } from './service-metadata.ts';
import type { ServiceState } from './service-state.ts';
import type { KubernetesWriter } from '../../kubernetes-interface.ts';
import type { Ingress } from '../status/ingress.ts';

/** The part of a reconcile's context that a write needs. */
interface WriteTarget {
  readonly entry: Pick<ServiceState, 'latest' | 'record'>;
  readonly signal: AbortSignal;
}
interface WritingDeps {
  readonly writer: Pick<KubernetesWriter, 'mergePatch'>;
  readonly bindings: Pick<BindingStore, 'write' | 'remove' | 'recordOf'>;
}

/** Returns the remedy for a forbidden write; empty for other failures. */
const adviceOn = (reason: Reason, resource: string): string =>
  reason === 'Forbidden' ? `; allow the service account of the controller to patch ${resource} in its ClusterRole` : '';

/** A failed write to a Service or its binding. Each step becomes the reason of an event. */
export class ServiceWriteError extends PortcullisError {
  readonly steps: readonly WriteStep[];

  constructor(steps: readonly WriteStep[], resource: string, cause: PortcullisError) {
    const { reason, message, code, requestId, retryAfterMs } = cause;
    super(reason, `${message}${adviceOn(reason, resource)}`, {
      cause,
      ...(code === undefined ? {} : { code }),
      ...(requestId === undefined ? {} : { requestId }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    this.steps = steps;
  }
}

/** A change of a Service and its purpose. */
interface ServicePatch {
  readonly patch: object;
  readonly subresource?: 'status';
  readonly steps: readonly WriteStep[];
}

/** Patches a Service, and stores and returns the response. Rejects with a `ServiceWriteError`. */
async function write(
  service: Service,
  { patch, subresource, steps }: ServicePatch,
  { entry, signal }: WriteTarget,
  { writer }: WritingDeps,
): Promise<Service> {
  const options = { strategic: true, ...(subresource === undefined ? {} : { subresource }) };
  try {
    entry.latest = await writer.mergePatch(SERVICES, keyOf(service), patch, options, signal);
    return entry.latest;
  } catch (error) {
    if (!(error instanceof PortcullisError)) throw error;
    throw new ServiceWriteError(steps, subresource === undefined ? 'services' : 'services/status', error);
  }
}

/** Stores the record of a Service in its binding, if the record changed. */
export async function storeRecord(
  service: Service,
  record: BindingRecord,
  { entry, signal }: WriteTarget,
  { bindings }: WritingDeps,
): Promise<void> {
  if (record === entry.record) return;
  const isOther = boundIn(entry.record) !== undefined && ![undefined, boundIn(entry.record)].includes(boundIn(record));
  try {
    // The API server rejects a patch that replaces the load balancer of a binding, so a first patch removes the old load balancer.
    if (isOther) await bindings.write(service, unbound(entry.record), signal);
    await bindings.write(service, record, signal);
    entry.record = record;
  } catch (error) {
    entry.record = bindings.recordOf(service);
    if (!(error instanceof PortcullisError)) throw error;
    throw new ServiceWriteError(['FailedUpdateBinding'], 'loadbalancerbindings', error);
  }
}

const unbound = (record: BindingRecord): BindingRecord => omit(record, 'loadBalancer', 'syncedDigest');

/** A change of the cloud that is about to start. */
interface OperationStart extends Omit<Start, 'resettable'> {
  /** True if the change only syncs backends. */
  readonly isOfBackends: boolean;
}

/** Stores the record, then the finalizer, before a change. Without both, a restart could leave resources without a cleanup. */
export async function markInProgress(
  service: Service,
  { isOfBackends, ...start }: OperationStart,
  context: WriteTarget & { readonly requestedResettable: ResettableOptions },
  deps: WritingDeps,
): Promise<Service> {
  const record = started(context.entry.record, { ...start, resettable: context.requestedResettable });
  await storeRecord(service, record, context, deps).catch((error: unknown) => {
    // Backends need no record: if no record shows a complete sync, the next process reads all resources of the Service.
    if (!isOfBackends || !isDefinitionMissing(error)) throw error;
  });
  return addFinalizerTo(service, context, deps);
}

/** Adds the finalizer to a Service that lacks it, for example because a user removed it. */
export async function addFinalizerTo(service: Service, context: WriteTarget, deps: WritingDeps): Promise<Service> {
  const patch = addFinalizer(service);
  return patch === undefined ? service : write(service, { patch, steps: ['FailedAddFinalizer'] }, context, deps);
}

/** Removes the finalizer, so that the API server can delete the Service. */
export const removeFinalizerFrom = (service: Service, context: WriteTarget, deps: WritingDeps): Promise<Service> =>
  write(service, { patch: removeFinalizer(service), steps: ['FailedRemoveFinalizer'] }, context, deps);

/** Deletes the binding of a Service without resources. */
export async function forgetRecord(
  { metadata }: Service,
  context: WriteTarget,
  { bindings }: WritingDeps,
): Promise<void> {
  try {
    await bindings.remove(metadata.uid, context.signal);
    context.entry.record = NO_RECORD;
  } catch (error) {
    if (!(error instanceof PortcullisError)) throw error;
    throw new ServiceWriteError(['FailedUpdateBinding'], 'loadbalancerbindings', error);
  }
}

type Labels = Readonly<Record<string, string | null>>;

/** The changes of a Service in one write of its status. */
interface StatusChange {
  readonly labels?: Labels;
  /** Labels that are only written together with other changes. `labels` takes precedence. */
  readonly alongside?: Labels;
  readonly ingress?: readonly Ingress[] | null | undefined;
  readonly condition?: ConditionPatch | undefined;
}

function stepsOf(labels: Labels, status: object): readonly WriteStep[] {
  const values = Object.values(labels);
  const step: WriteStep = values.every((value) => value === null) ? 'FailedRemoveHash' : 'FailedAddHash';
  return [
    ...(values.length === 0 ? [] : [step]),
    ...(Object.keys(status).length === 0 ? [] : (['FailedUpdateStatus'] as const)),
  ];
}

/** Writes labels and status in one write, if anything changes. */
export async function writeStatus(
  service: Service,
  { labels = {}, alongside = {}, ingress, condition }: StatusChange,
  context: WriteTarget,
  deps: WritingDeps,
): Promise<Service> {
  const status = {
    ...(ingress === undefined ? {} : { loadBalancer: { ingress } }),
    ...(condition === undefined ? {} : { conditions: condition }),
  };
  const steps = stepsOf(labels, status);
  if (steps.length === 0) return service;
  const { uid, resourceVersion } = service.metadata;
  // An address is valid only for this version of the Service, so the write must fail if the Service has changed in the meantime.
  const isOfThisState = (ingress ?? []).length > 0;
  const metadata = { uid, labels: { ...alongside, ...labels }, ...(isOfThisState ? { resourceVersion } : {}) };
  const patch = { metadata, ...(Object.keys(status).length === 0 ? {} : { status }) };
  return write(service, { patch, subresource: 'status', steps }, context, deps);
}
