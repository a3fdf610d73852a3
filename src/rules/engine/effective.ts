import type { Violation, ServiceSubject } from '../rule.ts';
import { wantsLoadBalancer } from './subject.ts';

type OldObject = NonNullable<ServiceSubject['before']>;

/**
 * Returns whether the controller applies a stored Service. It applies no Service of another controller and none that gives up its load balancer.
 * Fields of such a Service may be the mistake that the update reverts.
 */
export const isReconciled = ({ object }: OldObject): boolean => wantsLoadBalancer(object);

/** Turns the violation of an immutable attribute into advice if the stored Service does not prove the attribute's value. */
export function asFarAsPublished(before: OldObject, violation: Violation): Violation {
  if (violation.advice === true || isReconciled(before)) return violation;
  const detail = `${violation.detail}, unless the load balancer had this value before`;
  return { ...violation, detail, remedy: 'keep the value that the load balancer had', advice: true };
}
