import { parseAnnotations } from '../../annotation/parse.ts';
import { hasFinalizer, isPublished, recordedIdOf } from '../../clb/model/service-status.ts';
import type { Facts } from '../../inventory/facts.ts';
import { keyOf, type Service } from '../../base/objects.ts';
import type { Violation, ServiceSubject } from '../rule.ts';
import { unlessStale } from './age.ts';
import { MARK_LABELS } from './controller-metadata.ts';
import { becomesOurs, wantsLoadBalancer } from './subject.ts';

/**
 * How sure it is that a Service has a load balancer, which keeps what it was created with. `served`: its status tells the address.
 * `made`: it tells none yet, but one was made for it, as the mirror knows. `leaving`: the same, and it is being given up. `begun`: one was
 * asked for, and may be there.
 */
export type ProvisioningPhase = 'served' | 'made' | 'leaving' | 'begun' | 'none';

type Before = NonNullable<ServiceSubject['before']>;

/**
 * Whether the load balancer that a stored Service has is ours. One that wants none any more, or another controller's, is held until what
 * it had is gone; an address that it tells is ours as far as label and mirror say so.
 */
export function isOurs(before: Before, facts: Facts): boolean {
  const { object } = before;
  if (wantsLoadBalancer(object)) return true;
  if (!hasFinalizer(object)) return false;
  return !isPublished(object) || recordedIdOf(object) !== undefined || isKnown(before, facts);
}

/** Whether the mirror knows of something that a stored Service has: a load balancer that was made for it, or a listener on one of people. */
function isKnown({ object, parsed: { options } }: Before, facts: Facts): boolean {
  if (facts.ownedBy(object) !== undefined) return true;
  const reused = options.id === undefined ? undefined : facts.loadBalancer(options.id);
  return reused?.listeners.some(({ service }) => service === keyOf(object)) === true;
}

/** Whether a stored Service may have something of ours in the cloud: by its status, by what is remembered on it, or as far as a mirror of now knows. */
function mayHaveAny(before: Before, facts: Facts): boolean {
  if (!isOurs(before, facts)) return false;
  const { metadata } = before.object;
  const isTold = isPublished(before.object) || MARK_LABELS.some((label) => label in (metadata.labels ?? {}));
  return isTold || facts.freshness().kind !== 'fresh' || isKnown(before, facts);
}

/**
 * Whether a Service is to be given what new ones are: it becomes ours, and has nothing of ours that it may keep, as one has that was another's
 * or of another type by mistake. What a default said would be asked of a load balancer that is there.
 */
export const startsAnew = (object: Service, stored: Service | undefined, facts: Facts): boolean =>
  becomesOurs(object, stored) &&
  (stored === undefined ||
    !mayHaveAny({ object: stored, parsed: parseAnnotations(stored.metadata.annotations) }, facts));

/** Whether a Service may have what it was given before: it is ours and stays it, or something of it may be in the cloud. */
export const goesOn = (object: Service, stored: Service): boolean =>
  hasFinalizer(stored) || (wantsLoadBalancer(stored) && wantsLoadBalancer(object));

/** How sure that is of the Service as it is stored; `none` on creation. */
export function provisioningPhaseOf({ before, parsed }: ServiceSubject, facts: Facts): ProvisioningPhase {
  if (before === undefined || !isOurs(before, facts)) return 'none';
  if (isPublished(before.object)) return 'served';
  // As long as nothing is told, a Service goes over to one of people and back, and what it asks of that one is judged as on creation.
  const isOwn = before.parsed.options.id === undefined && parsed.options.id === undefined;
  if (!isOwn || !hasFinalizer(before.object)) return 'none';
  if (facts.ownedBy(before.object) !== undefined) return wantsLoadBalancer(before.object) ? 'made' : 'leaving';
  return 'begun';
}

/** Nobody relies on an address that has not been told. */
const AGAIN = 'undo the change, or delete the Service and create it again';

/** Another can be made once it is gone. */
const GONE =
  'write that, or wait until the load balancer is gone, and with it its address and the finalizer of the Service';

/** What a load balancer does not take, as sure as it is that there is one. */
export function asSureAs(presence: ProvisioningPhase, facts: Facts, fault: Violation): Violation {
  if (presence === 'served' || fault.advice === true) return fault;
  if (presence === 'made') return unlessStale(facts, { ...fault, fix: AGAIN });
  if (presence === 'leaving') return unlessStale(facts, { ...fault, fix: GONE });
  const fix = `leave it as long as the Service does not say that the load balancer has something else; then ${AGAIN}`;
  return { ...fault, allowed: `${fault.allowed}, if it has been made already`, fix, advice: true };
}
