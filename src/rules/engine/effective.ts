import type { Violation, ServiceSubject } from '../rule.ts';
import { wantsLoadBalancer } from './subject.ts';

type OldObject = NonNullable<ServiceSubject['before']>;

/**
 * Returns whether the controller applies a stored Service. It applies no Service of another controller and none that gives up its load balancer.
 * Fields of such a Service may be the mistake that the update reverts.
 */
export const isCarriedOut = ({ object }: OldObject): boolean => wantsLoadBalancer(object);

/** Turns the violation of an immutable attribute into advice if the stored Service does not prove the attribute's value. */
export function asFarAsPublished(before: OldObject, fault: Violation): Violation {
  if (fault.advice === true || isCarriedOut(before)) return fault;
  const allowed = `${fault.allowed}, unless it had this before the Service gave it up`;
  return { ...fault, allowed, fix: 'leave it if it had, or else write what it had', advice: true };
}
