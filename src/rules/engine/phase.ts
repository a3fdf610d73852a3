import { parseAnnotations } from '../../annotation/parse.ts';
import { hasFinalizer, isPublished, recordedIdOf } from '../../clb/model/service-status.ts';
import type { Facts } from '../../inventory/facts.ts';
import { keyOf, type Service } from '../../base/objects.ts';
import type { Violation, ServiceSubject } from '../rule.ts';
import { unlessStale } from './age.ts';
import { MARK_LABELS } from './controller-metadata.ts';
import { becomesManaged, wantsLoadBalancer } from './subject.ts';

/**
 * The certainty that a Service has a load balancer with fixed attributes. `served`: the status has its address. `made`: the inventory has it.
 * `leaving`: the same, and the Service gives it up. `begun`: it may exist.
 */
export type ProvisioningPhase = 'served' | 'made' | 'leaving' | 'begun' | 'none';

type Before = NonNullable<ServiceSubject['before']>;

/**
 * Returns whether the controller manages the load balancer of a stored Service. Until cleanup ends, the finalizer marks a Service that no longer
 * wants one. A published address then needs the label or the inventory as proof.
 */
export function wasManaged(before: Before, facts: Facts): boolean {
  const { object } = before;
  if (wantsLoadBalancer(object)) return true;
  if (!hasFinalizer(object)) return false;
  return !isPublished(object) || recordedIdOf(object) !== undefined || isKnown(before, facts);
}

/** Returns whether the inventory has an owned load balancer of a stored Service, or its listener on the reused load balancer. */
function isKnown({ object, parsed: { options } }: Before, facts: Facts): boolean {
  if (facts.ownedBy(object) !== undefined) return true;
  const reused = options.id === undefined ? undefined : facts.loadBalancer(options.id);
  return reused?.listeners.some(({ service }) => service === keyOf(object)) === true;
}

/** Returns whether a stored Service may have resources in the cloud: by its status, its labels or the inventory. Without a fresh inventory it may. */
function mayHaveAny(before: Before, facts: Facts): boolean {
  if (!wasManaged(before, facts)) return false;
  const { metadata } = before.object;
  const isRecorded = isPublished(before.object) || MARK_LABELS.some((label) => label in (metadata.labels ?? {}));
  return isRecorded || facts.freshness().kind !== 'fresh' || isKnown(before, facts);
}

/**
 * Returns whether a Service gets the defaults of new Services: it becomes managed and has no earlier resources. A default would otherwise change an
 * existing load balancer.
 */
export const isNewlyManaged = (object: Service, stored: Service | undefined, facts: Facts): boolean =>
  becomesManaged(object, stored) &&
  (stored === undefined ||
    !mayHaveAny({ object: stored, parsed: parseAnnotations(stored.metadata.annotations) }, facts));

/** Returns whether a Service may keep its earlier resources: it stays managed, or it still has the finalizer. */
export const staysManaged = (object: Service, stored: Service): boolean =>
  hasFinalizer(stored) || (wantsLoadBalancer(stored) && wantsLoadBalancer(object));

/** Returns the phase of the stored Service; `none` on creation. */
export function provisioningPhaseOf({ before, parsed }: ServiceSubject, facts: Facts): ProvisioningPhase {
  if (before === undefined || !wasManaged(before, facts)) return 'none';
  if (isPublished(before.object)) return 'served';
  // Without a published address, a Service may switch to a user-managed load balancer and back. Rules evaluate it as on creation.
  const isOwn = before.parsed.options.id === undefined && parsed.options.id === undefined;
  if (!isOwn || !hasFinalizer(before.object)) return 'none';
  if (facts.ownedBy(before.object) !== undefined) return wantsLoadBalancer(before.object) ? 'made' : 'leaving';
  return 'begun';
}

/** The remedy before an address is published: no user relies on the load balancer yet. */
const RECREATE = 'undo the change, or delete the Service and create it again';

/** The remedy during cleanup: a new load balancer can follow. */
const AFTER_CLEANUP =
  'undo the change, or wait until the load balancer is deleted and the finalizer of the Service is removed';

/** Weakens the violation of an immutable attribute according to the phase. */
export function asSureAs(phase: ProvisioningPhase, facts: Facts, violation: Violation): Violation {
  if (phase === 'served' || violation.advice === true) return violation;
  if (phase === 'made') return unlessStale(facts, { ...violation, remedy: RECREATE });
  if (phase === 'leaving') return unlessStale(facts, { ...violation, remedy: AFTER_CLEANUP });
  const detail = `${violation.detail}, if the load balancer exists already`;
  return {
    ...violation,
    detail,
    remedy: `if a condition of the Service reports a difference, ${RECREATE}`,
    advice: true,
  };
}
