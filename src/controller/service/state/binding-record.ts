import { isDeepStrictEqual } from 'node:util';
import { omit } from '../../../base/pick.ts';
import { RESETTABLE, NO_OPTIONS, type ResettableOptions } from '../../../clb/desired/resettable-options.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import { OWN, type LoadBalancerRef } from '../../../clb/model/load-balancer-ref.ts';
import type {
  AdmittedUsage,
  BindingOperation,
  RecordedLoadBalancer,
  LoadBalancerBinding,
  LoadBalancerBindingSpec,
} from '../../../inventory/binding.ts';

/** The controller's record of one Service: the part of a binding that a reconcile reads and changes. */
export type BindingRecord = Omit<LoadBalancerBindingSpec, 'service' | 'clusterUID' | 'orphaned'>;

/** The record of a Service without a binding. */
export const NO_RECORD: BindingRecord = {};

/** The record of a Service whose cleanup found nothing to change. */
export const CLEANED_UP: BindingRecord = { operation: { type: 'Cleanup', state: 'Ended' } };

export const recordIn = (binding: LoadBalancerBinding | undefined): BindingRecord =>
  binding === undefined ? NO_RECORD : omit(binding.spec, 'service', 'clusterUID', 'orphaned');

export const hasRecord = (record: BindingRecord): boolean => Object.keys(record).length > 0;

/** Returns whether a cleanup of the Service has started. */
export const isCleaningUp = ({ operation }: BindingRecord): boolean => operation?.type === 'Cleanup';

/** Returns whether a call of the operation may still take effect. */
export const isInProgress = ({ operation }: BindingRecord): boolean => operation?.state === 'InProgress';

/** Returns the id of the recorded load balancer. */
export const boundIn = ({ loadBalancer }: BindingRecord): LoadBalancerId | undefined =>
  loadBalancer?.id as LoadBalancerId | undefined;

/** Returns whether the record decides which load balancer to look for, instead of the labels. */
export const replacesLabels = (record: BindingRecord): boolean =>
  hasRecord(record) && (!isCleaningUp(record) || boundIn(record) !== undefined);

/** Returns whether the record shows that a load balancer was created for the Service. */
export const isRecordedAsOwned = ({ loadBalancer }: BindingRecord, id: string): boolean =>
  loadBalancer?.use === 'owned' && loadBalancer.id === id;

export const boundRefIn = ({ loadBalancer }: BindingRecord): LoadBalancerRef | undefined =>
  loadBalancer?.use === 'owned' ? OWN : (loadBalancer?.id as LoadBalancerId | undefined);

/** Returns the recorded resettable options. Skips options that only another version of the controller knows. */
export const resettableIn = ({ resettableOptions = [] }: BindingRecord): ResettableOptions =>
  new Set(RESETTABLE.filter((name) => resettableOptions.includes(name)));

/** A change of the cloud that is about to start. */
export interface Start {
  readonly isCleanup?: boolean;
  /** The intent of a creation, which identifies the creation across retries and restarts. */
  readonly intent?: string;
  /** The resettable options that the change may apply. */
  readonly resettable?: ResettableOptions;
  /** The user-managed load balancer that is about to change. */
  readonly reused?: LoadBalancerId;
  /** True if cleanup keeps the load balancer. */
  readonly preserve?: boolean;
  /** The usage that the change may reach; undefined keeps the recorded usage. */
  readonly usage?: AdmittedUsage | undefined;
}

const operationTypeOf = (isCleanup: boolean, intent: string | undefined): BindingOperation['type'] => {
  if (isCleanup) return 'Cleanup';
  return intent === undefined ? 'Sync' : 'Create';
};

const operationOf = (type: BindingOperation['type'], intent: string | undefined): BindingOperation => ({
  type,
  ...(intent === undefined ? {} : { clientToken: intent }),
  state: 'InProgress',
});

/** The options that the binding keeps after users remove their annotations. */
interface RequestedOptions {
  readonly resettable: ResettableOptions;
  readonly preserve: boolean;
}

const withRequested = (record: BindingRecord, { resettable, preserve }: RequestedOptions): BindingRecord => ({
  ...omit(record, 'resettableOptions', 'preserveOnDelete'),
  ...(resettable.size === 0 ? {} : { resettableOptions: RESETTABLE.filter((name) => resettable.has(name)) }),
  ...(preserve ? { preserveOnDelete: true } : {}),
});

const withUsage = (usage: AdmittedUsage | undefined): Pick<BindingRecord, 'admittedUsage'> =>
  usage === undefined ? {} : { admittedUsage: usage };

/** Returns `before` if both records are equal, because `storeRecord` skips only the identical object. */
const sameOr = (before: BindingRecord, after: BindingRecord): BindingRecord =>
  isDeepStrictEqual(before, after) ? before : after;

/** Returns the record to store before the first call of a change, so that a restarted process knows about the call. */
export function started(record: BindingRecord, start: Start): BindingRecord {
  const { reused } = start;
  const intent = start.intent ?? record.operation?.clientToken;
  const isCleanup = start.isCleanup === true || isCleaningUp(record);
  const bound = boundIn(record);
  // A cleanup may change further load balancers, but the record keeps the load balancer that served the Service.
  const isBinding = reused !== undefined && reused !== bound && !(isCleanup && bound !== undefined);
  const requested = {
    resettable: new Set([...resettableIn(record), ...(start.resettable ?? NO_OPTIONS)]),
    // A cleanup that began to preserve the load balancer continues, because it may have removed the owner tag.
    preserve: start.preserve === true || (isCleaningUp(record) && record.preserveOnDelete === true),
  };
  return sameOr(record, {
    ...withRequested(record, requested),
    ...(isBinding ? { loadBalancer: { id: reused, use: 'reused' } } : {}),
    ...withUsage(start.usage),
    operation: operationOf(operationTypeOf(isCleanup, intent), intent),
  });
}

/** Returns the record after the last pending call of an incomplete sync. */
export const ended = (record: BindingRecord): BindingRecord =>
  record.operation?.state === 'InProgress' ? { ...record, operation: { ...record.operation, state: 'Ended' } } : record;

/** The result of a reconcile, to be recorded. */
export interface RecordedResult {
  /** The digest of the desired state; undefined if the desired state is not applied completely. */
  readonly digest?: string;
  /** True if a call may still take effect. */
  readonly hasPendingCall?: boolean;
  /** True if a sync restored all resources that a cleanup removed, and no call can take effect any more. */
  readonly isResumed?: boolean;
  /** The resettable options in effect. Without a digest, recorded options may also be in effect. */
  readonly resettable?: ResettableOptions;
  readonly loadBalancer?: NonNullable<BindingRecord['loadBalancer']>;
  /** True if cleanup keeps the load balancer. */
  readonly preserve?: boolean;
  /** The usage of existing resources; undefined keeps the recorded usage. */
  readonly usage?: AdmittedUsage | undefined;
}

function operationAfter({ operation }: BindingRecord, result: RecordedResult): BindingOperation | undefined {
  const { digest, hasPendingCall = false, isResumed = false, loadBalancer } = result;
  if (operation === undefined || (digest !== undefined && !hasPendingCall)) return undefined;
  if (isResumed && digest === undefined && operation.type === 'Cleanup') return { type: 'Sync', state: 'Ended' };
  // Keeps the token only until the load balancer is known, because a later creation with the same token would return the same load balancer.
  if (digest === undefined && loadBalancer?.use !== 'owned') return operation;
  const rest = omit(operation, 'clientToken');
  return rest.type === 'Create' ? { ...rest, type: 'Sync' } : rest;
}

/** Returns the load balancer to record. An owned load balancer stays recorded as owned, even if users remove its owner tag. */
const boundTo = (record: BindingRecord, loadBalancer: RecordedLoadBalancer): RecordedLoadBalancer => ({
  ...record.loadBalancer,
  ...loadBalancer,
  ...(isRecordedAsOwned(record, loadBalancer.id) ? { use: 'owned' } : {}),
});

/** Returns the record to store at the end of a reconcile. Returns the given record if nothing changes. */
export function reached(record: BindingRecord, result: RecordedResult): BindingRecord {
  const { digest, resettable = NO_OPTIONS, loadBalancer } = result;
  const earlier = digest === undefined ? resettableIn(record) : NO_OPTIONS;
  const requested = { resettable: new Set([...earlier, ...resettable]), preserve: result.preserve === true };
  const operation = operationAfter(record, result);
  return sameOr(record, {
    ...omit(withRequested(record, requested), 'operation'),
    ...(loadBalancer === undefined ? {} : { loadBalancer: boundTo(record, loadBalancer) }),
    ...(digest === undefined ? {} : { syncedDigest: digest }),
    ...withUsage(result.usage),
    ...(operation === undefined ? {} : { operation }),
  });
}
