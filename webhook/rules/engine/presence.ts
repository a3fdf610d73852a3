import { MARKS } from '../../../src/annotation/marks.ts';
import { isHeld, isPublished } from '../../../src/clb/told.ts';
import type { Facts } from '../../../src/inventory/facts.ts';
import type { Fault, ServiceSubject } from '../rule.ts';
import { unlessStale } from './age.ts';
import { wantsLoadBalancer } from './subject.ts';

/**
 * How sure it is that a Service has a load balancer, which keeps what it was created with. `served`: its status tells the address.
 * `made`: it tells none yet, but one was made for it, as the mirror knows. `begun`: one was asked for, and may be there.
 */
export type Presence = 'served' | 'made' | 'begun' | 'none';

/** The same of the Service as it is stored; none on creation. */
export function presenceOf({ before, parsed }: ServiceSubject, facts: Facts): Presence {
  if (before === undefined || !wantsLoadBalancer(before.object)) return 'none';
  if (isPublished(before.object)) return 'served';
  // As long as nothing is told, a Service goes over to one of people and back, and what it asks of that one is judged as on creation.
  const isOwn = before.parsed.options.id === undefined && parsed.options.id === undefined;
  if (!isOwn || !isHeld(before.object)) return 'none';
  if (facts.madeFor(before.object) !== undefined) return 'made';
  return before.object.metadata.labels?.[MARKS.intent.name] === undefined ? 'none' : 'begun';
}

/** Nobody relies on an address that has not been told. */
const AGAIN = 'undo the change, or delete the Service and create it again';

/** What a load balancer does not take, as sure as it is that there is one. */
export function asSureAs(presence: Presence, facts: Facts, fault: Fault): Fault {
  if (presence === 'served' || fault.advice === true) return fault;
  if (presence === 'made') return unlessStale(facts, { ...fault, fix: AGAIN });
  const fix = `leave it as long as the Service does not say that the load balancer has something else; then ${AGAIN}`;
  return { ...fault, allowed: `${fault.allowed}, if it has been made already`, fix, advice: true };
}
