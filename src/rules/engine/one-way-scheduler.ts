import { CATALOGUE } from '../../annotation/catalogue.ts';
import { annotationField } from '../../annotation/annotation-field-path.ts';
import { choice } from '../../annotation/allowed-values.ts';
import { inListOf } from '../../clb/model/listener-set.ts';
import { isHash, mayHaveHash } from '../../clb/diff/scheduler-change.ts';
import { listenerKey } from '../../clb/model/desired-and-observed-state.ts';
import type { Facts } from '../../inventory/facts.ts';
import type { ClassicLoadBalancerStatus } from '../../inventory/custom-resources.ts';
import { keyOf } from '../../base/kubernetes-objects.ts';
import type { Violation, ServiceSubject } from '../rule.ts';
import { unlessStale } from './stale-facts.ts';
import { warnUnlessReconciled, isReconciled } from './unproven-immutable-value.ts';
import { requestedListeners, isUnreadable, managesListeners } from './service-listeners.ts';
import { provisioningPhaseOf } from './provisioning-phase.ts';
import { freeReuseOf } from './reused-load-balancer.ts';

/** An existing listener with its scheduler. */
interface ExistingListener {
  readonly port: number;
  readonly scheduler: string;
}

/** Returns the violation of a scheduler change that the cloud cannot make or cannot undo, for the rule `one-way-change`. */
export function onScheduler(subject: ServiceSubject, facts: Facts): Violation | undefined {
  if (!managesListeners(subject)) return undefined;
  return isHash(subject.parsed.options.scheduler) ? hashViolation(subject, facts) : lossOfHash(subject, facts);
}

/** Returns a violation if an existing listener would change to a hash scheduler (sch, tch, qch). */
function hashViolation(subject: ServiceSubject, facts: Facts): Violation | undefined {
  const { before, parsed } = subject;
  const wanted = parsed.options.scheduler ?? '';
  const violationFor = ({ port, scheduler }: ExistingListener): Violation => ({
    field: fieldOf(subject),
    reason: 'Invalid',
    value: wanted,
    detail: `must be ${choice([...new Set([scheduler, 'rr', 'wrr'])])}: the cloud cannot change the scheduler of an existing listener (port ${port}) to ${wanted}`,
    remedy: `${before === undefined ? 'set one of these' : 'undo the change'}, or remove the port and add it again with ${wanted}`,
  });
  const existing = existingListener(subject, facts);
  const violation =
    before === undefined || existing === undefined ? undefined : warnUnlessReconciled(before, violationFor(existing));
  if (violation !== undefined && violation.advice !== true) return violation;
  const leftover = leftoverListener(subject, facts);
  // The violation denies only admission requests. For a stored Service, the controller syncs everything except the scheduler.
  return leftover === undefined
    ? violation
    : unlessStale(facts, { ...violationFor(leftover), on: leftover.on, atApplyOnly: true as const });
}

/** Returns a warning if an existing listener loses a hash scheduler, because the cloud cannot set a hash scheduler again. */
function lossOfHash(subject: ServiceSubject, facts: Facts): Violation | undefined {
  const { before, parsed } = subject;
  const was = before?.parsed.options.scheduler;
  if (before === undefined || !isHash(was) || isUnreadable(parsed, 'scheduler') || !isReconciled(before))
    return undefined;
  const existing = existingListener(subject, facts);
  if (existing === undefined) return undefined;
  return {
    field: fieldOf(subject),
    reason: 'Invalid',
    value: parsed.options.scheduler ?? '',
    detail: `the change cannot be undone: the cloud cannot change the listener on port ${existing.port} back to ${was}`,
    remedy: `keep ${was} if clients must stay with their backends`,
    advice: true,
  };
}

const fieldOf = ({ parsed }: ServiceSubject): string =>
  annotationField(parsed.keys.get('scheduler') ?? CATALOGUE.scheduler.key);

/**
 * Returns a listener of the stored Service whose scheduler would change, in the phases `served` and `leaving`, in which listeners certainly exist.
 */
function existingListener(subject: ServiceSubject, facts: Facts): ExistingListener | undefined {
  const { before, parsed } = subject;
  const phase = provisioningPhaseOf(subject, facts);
  if (phase !== 'served' && phase !== 'leaving') return undefined;
  const was = before?.parsed.options.scheduler;
  // Listeners that the controller did not manage before may have any scheduler.
  if (before === undefined || !managesListeners(before)) return undefined;
  if (parsed.options.scheduler === was) {
    const status = isReconciled(before) ? undefined : facts.ownedBy(before.object);
    return status === undefined ? undefined : otherOn(status, subject);
  }
  const wasRequested = inListOf(requestedListeners(before), listenerKey);
  const kept = requestedListeners(subject).find((listener) => mayHaveHash(listener.protocol) && wasRequested(listener));
  return kept === undefined ? undefined : { port: kept.port, scheduler: was ?? 'rr' };
}

/** Returns a listener of the reused load balancer that belongs to a Service of this name and has another scheduler than requested. */
function leftoverListener(
  subject: ServiceSubject,
  facts: Facts,
): (ExistingListener & { readonly on: string }) | undefined {
  const reuse = freeReuseOf(subject, facts);
  if (reuse === undefined) return undefined;
  const listener = otherOn(reuse.status, subject);
  return listener === undefined ? undefined : { ...listener, on: reuse.id };
}

/** Returns a listener of the inventory that belongs to a Service of this name and has another scheduler than requested. */
function otherOn({ listeners }: ClassicLoadBalancerStatus, subject: ServiceSubject): ExistingListener | undefined {
  const [own, wanted] = [keyOf(subject.object), subject.parsed.options.scheduler];
  const isRequested = inListOf(requestedListeners(subject), listenerKey);
  for (const listener of listeners) {
    const { port, scheduler, service } = listener;
    if (scheduler !== undefined && scheduler !== wanted && service === own && isRequested(listener))
      return { port, scheduler };
  }
  return undefined;
}
