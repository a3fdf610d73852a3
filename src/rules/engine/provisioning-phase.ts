import { parseAnnotations } from '../../annotation/parse.ts';
import { hasFinalizer, isPublished, recordedIdOf } from '../../clb/model/provisioning-evidence.ts';
import type { Facts } from '../../inventory/facts.ts';
import { keyOf, type Service } from '../../base/kubernetes-objects.ts';
import type { Violation, ServiceSubject } from '../rule.ts';
import { unlessStale } from './stale-facts.ts';
import { MARK_LABELS } from './controller-metadata.ts';
import { becomesManaged, wantsLoadBalancer } from './subject.ts';

/** The best evidence that a stored Service has a load balancer. */
export type ProvisioningPhase =
  /** The status has an address. */
  | 'served'
  /** The inventory has the load balancer. */
  | 'made'
  /** The load balancer in the inventory awaits cleanup. */
  | 'leaving'
  /** The Service has only the finalizer. */
  | 'begun'
  /** Rules treat the write as a creation. */
  | 'none';

type Before = NonNullable<ServiceSubject['before']>;

/** Returns whether the controller manages the load balancer of a stored Service. */
export function wasManaged(before: Before, facts: Facts): boolean {
  const { object } = before;
  if (wantsLoadBalancer(object)) return true;
  // The finalizer stays until cleanup ends.
  if (!hasFinalizer(object)) return false;
  // The published address can belong to another controller, so the address alone proves nothing.
  return !isPublished(object) || recordedIdOf(object) !== undefined || isKnown(before, facts);
}

/** Returns whether the inventory has an owned load balancer of a stored Service, or its listener on the reused load balancer. */
function isKnown({ object, parsed: { options } }: Before, facts: Facts): boolean {
  if (facts.ownedBy(object) !== undefined) return true;
  const reused = options.id === undefined ? undefined : facts.loadBalancer(options.id);
  return reused?.listeners.some(({ service }) => service === keyOf(object)) === true;
}

/** Returns whether a stored Service may have resources in the cloud, according to its status, its labels or the inventory. */
function mayHaveAny(before: Before, facts: Facts): boolean {
  if (!wasManaged(before, facts)) return false;
  const { metadata } = before.object;
  const isRecorded = isPublished(before.object) || MARK_LABELS.some((label) => label in (metadata.labels ?? {}));
  // A stale inventory does not prove that no resources exist.
  return isRecorded || facts.freshness().kind !== 'fresh' || isKnown(before, facts);
}

/** Returns whether a Service becomes managed and has no earlier resources. Only such a Service gets policy defaults. */
export const isNewlyManaged = (object: Service, stored: Service | undefined, facts: Facts): boolean =>
  becomesManaged(object, stored) &&
  (stored === undefined ||
    !mayHaveAny({ object: stored, parsed: parseAnnotations(stored.metadata.annotations) }, facts));

/** Returns whether a Service can still have its cloud resources, because it stays managed or has the finalizer. */
export const staysManaged = (object: Service, stored: Service): boolean =>
  hasFinalizer(stored) || (wantsLoadBalancer(stored) && wantsLoadBalancer(object));

/** Returns the phase of the stored Service, for rules on immutable attributes. Returns `none` on creation. */
export function provisioningPhaseOf({ before, parsed }: ServiceSubject, facts: Facts): ProvisioningPhase {
  if (before === undefined || !wasManaged(before, facts)) return 'none';
  if (isPublished(before.object)) return 'served';
  // Without a published address, a Service may switch to a user-managed load balancer and back. Such a switch counts as a creation.
  const isOwn = before.parsed.options.id === undefined && parsed.options.id === undefined;
  if (!isOwn || !hasFinalizer(before.object)) return 'none';
  if (facts.ownedBy(before.object) !== undefined) return wantsLoadBalancer(before.object) ? 'made' : 'leaving';
  return 'begun';
}

/** The remedy before an address is published: no client uses the load balancer yet, so the Service can be created again. */
const RECREATE = 'undo the change, or delete the Service and create it again';

/** The remedy during cleanup, after which the Service can get a new load balancer. */
const AFTER_CLEANUP =
  'undo the change, or wait until the load balancer is deleted and the finalizer of the Service is removed';

/** Adapts a violation of an immutable attribute to the phase. If the existence of the load balancer is uncertain, the violation only warns. */
export function adaptToPhase(phase: ProvisioningPhase, facts: Facts, violation: Violation): Violation {
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
