import type { Violation, ServiceSubject } from '../rule.ts';
import { wantsLoadBalancer } from './subject.ts';

type OldObject = NonNullable<ServiceSubject['before']>;

/** Returns whether the controller syncs a stored Service. If false, the stored annotations prove nothing about the load balancer. */
export const isReconciled = ({ object }: OldObject): boolean => wantsLoadBalancer(object);

/** Turns a violation of an immutable attribute into a warning if the stored Service does not prove the value of the attribute. */
export function warnUnlessReconciled(before: OldObject, violation: Violation): Violation {
  if (violation.advice === true || isReconciled(before)) return violation;
  const detail = `${violation.detail}, unless the load balancer had this value before`;
  return { ...violation, detail, remedy: 'keep the value that the load balancer had', advice: true };
}
