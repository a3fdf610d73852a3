import { isPublished } from '../../clb/model/provisioning-evidence.ts';
import { hasReason, traitsOf } from '../../base/errors.ts';
import { reconcileLogger, type Logger } from '../../base/log.ts';
import { namespaceOf, type ObjectKey, type Service } from '../../base/kubernetes-objects.ts';
import type { Reconciler } from '../../reconcile/manager.ts';
import type { ReconcileResult } from '../../reconcile/requeue-decision.ts';
import { unshownMs } from './sync/creation-intent.ts';
import { ensure } from './sync/ensure-load-balancer.ts';
import type { Clock } from '../../base/clock.ts';
import { cleanFailed, handedOver, syncFailed, emit, writeFailed, type ServiceEvent } from './status/events.ts';
import { readInputs } from './inputs.ts';
import { isRead, type ServiceState } from './state/service-state.ts';
import type { Verb } from '../metrics.ts';
import { cleanUpService } from './cleanup/cleanup.ts';
import { isToCleanUp, vanishedService } from './cleanup/vanished-services.ts';
import { wantsNoLoadBalancer, managementOf } from './management.ts';
import { isConditionUpToDate } from './status/condition-patch.ts';
import { writeCondition } from './status/result-writes.ts';
import { ServiceWriteError } from './state/service-writes.ts';
import { causeOf, causesOf, readinessStateAfter } from './status/service-condition.ts';
import type { BareReconcileContext, ServiceDeps } from './context.ts';

/** Milliseconds after which a failure that usually passes by itself is reported. */
export const PERSISTENT_MS = 2 * 60_000;

function verbOf(service: Service, isEnded: boolean): Verb {
  if (isEnded) return 'Deletion';
  return isPublished(service) ? 'Update' : 'Creation';
}

/** Returns whether a failure is not reported now: failures of this kind usually pass by themselves. */
function isTransient(error: unknown, entry: ServiceState, clock: Clock): boolean {
  const { reported } = traitsOf(error);
  if (reported === 'at-once') return false;
  entry.hinderedSinceMs ??= clock.monotonic();
  return reported === 'never' || clock.monotonic() - entry.hinderedSinceMs < PERSISTENT_MS;
}

/** Returns the events of a failure. If the condition already shows the causes (`isShown`), returns only the first cause. */
function eventsOf(service: Service, error: unknown, isShown: boolean): readonly ServiceEvent[] {
  if (error instanceof ServiceWriteError) return error.steps.map((step) => writeFailed(step, causeOf(error)));
  const events = (wantsNoLoadBalancer(service) ? cleanFailed : syncFailed)(causesOf(error));
  return isShown ? events.slice(0, 1) : events;
}

/** Reports a failure by events and in the condition. `before` is the Service at the start of the reconcile. */
async function reportFailure(
  before: Service,
  service: Service,
  error: unknown,
  context: Pick<BareReconcileContext, 'entry' | 'isVanished' | 'signal' | 'log'>,
  deps: ServiceDeps,
): Promise<void> {
  if (isTransient(error, context.entry, deps.clock)) return;
  const readiness = readinessStateAfter(error);
  // An earlier step of the reconcile can have changed the condition of `service`.
  for (const event of eventsOf(service, error, isConditionUpToDate(before, readiness)))
    emit(deps.events, service, event);
  if (context.isVanished) return;
  try {
    const writeStatus = await writeCondition(service, readiness, context, deps);
    await writeStatus();
  } catch (failure) {
    // The error of the reconcile matters more than this error.
    context.log().debug({ err: failure }, 'failed to write the condition');
  }
}

/** Returns the milliseconds since the creation or deletion of the Service, or since the start of the reconcile for an update. */
function waited(service: Service, verb: Verb, sinceMs: number, { clock }: ServiceDeps): number {
  const { creationTimestamp, deletionTimestamp } = service.metadata;
  const from = verb === 'Creation' ? creationTimestamp : verb === 'Deletion' ? deletionTimestamp : undefined;
  return from === undefined ? clock.monotonic() - sinceMs : Math.max(0, clock.now() - Date.parse(from));
}

interface Subject {
  readonly key: ObjectKey;
  readonly service: Service;
  readonly reconcileNumber: number;
  readonly signal: AbortSignal;
}

/** Syncs or cleans up one Service, and reports the result. */
async function syncOrCleanUp(
  { key, service, reconcileNumber, signal }: Subject,
  isVanished: boolean,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const began = deps.clock.monotonic();
  const entry = deps.states.entry(key, service, deps.bindings.recordOf(service), began);
  const log = (): Logger => reconcileLogger(deps.log, 'service', key, String(reconcileNumber));
  const isEnded = managementOf(service, entry.record) === 'cleanup';
  const verb = verbOf(service, isEnded);
  // Lists show a created load balancer only after a delay, during which a retry of a cleanup must visit all targets again.
  const mayHaveUnshownCreation = unshownMs(service, entry, deps) > 0;
  let actions = 0;
  const count = (): void => {
    actions += 1;
  };
  try {
    if (!isVanished) await deps.bindings.claim(service, signal);
    const context = { entry, isVanished, namespace: namespaceOf(key), signal, log, count };
    const inputs = readInputs(service, entry.record, deps);
    const result = await (isEnded ? cleanUpService : ensure)(inputs, context, deps);
    delete entry.hinderedSinceMs;
    delete entry.cleanedTargets;
    if (actions > 0) {
      deps.metrics.succeeded(verb, waited(service, verb, began, deps));
      log().info({ verb, actions, durationMs: Math.round(deps.clock.monotonic() - began) }, 'reconciled');
    }
    return result;
  } catch (error) {
    if (mayHaveUnshownCreation || !hasReason(error, 'Throttled')) delete entry.cleanedTargets;
    if (!signal.aborted) {
      deps.metrics.failed(verb);
      const latest = isVanished ? service : deps.states.latest(key, service);
      await reportFailure(service, latest, error, { entry, isVanished, signal, log }, deps);
    }
    throw error;
  } finally {
    if (isRead(entry, began)) deps.leadership.confirm(entry.uid);
    deps.ledger.release(service);
    deps.states.rest(key);
  }
}

/** Cleans up after vanished Services of this name, because the controller would otherwise take their listeners for listeners of a new Service. */
async function cleanUpPredecessors(
  { key, reconcileNumber, signal }: Omit<Subject, 'service'>,
  successor: Service | undefined,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  for (const binding of deps.bindings.ofPredecessors(key, successor?.metadata.uid)) {
    if (!(await isToCleanUp(binding, successor, signal, deps))) continue;
    const result = await syncOrCleanUp({ key, service: vanishedService(binding), reconcileNumber, signal }, true, deps);
    if (result !== 'done') return result;
  }
  return 'done';
}

async function reconcile(
  key: ObjectKey,
  reconcileNumber: number,
  signal: AbortSignal,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const cached = deps.caches.services.get(key);
  const cleaned = await cleanUpPredecessors({ key, reconcileNumber, signal }, cached, deps);
  if (cleaned !== 'done') return cleaned;
  const service = cached === undefined ? undefined : deps.states.latest(key, cached);
  const management = service === undefined ? 'none' : managementOf(service, deps.bindings.recordOf(service));
  if (service === undefined || management === 'none') {
    deps.states.forget(key);
    if (service !== undefined) deps.leadership.confirm(service.metadata.uid);
    return 'done';
  }
  if (management === 'other-controller') {
    emit(deps.events, service, handedOver());
    return 'done';
  }
  return syncOrCleanUp({ key, service, reconcileNumber, signal }, false, deps);
}

/** Returns the function that reconciles one Service. Runs for each key of the work queue, and decides between sync, cleanup and no work. */
export function serviceReconciler(deps: ServiceDeps): Reconciler {
  let reconcileNumber = 0;
  return (key, signal) => reconcile(key as ObjectKey, (reconcileNumber += 1), signal, deps);
}
