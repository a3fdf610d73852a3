import type { Violation, ServiceSubject } from '../rule.ts';
import { wantsLoadBalancer } from './subject.ts';

type OldObject = NonNullable<ServiceSubject['before']>;

/**
 * Whether a stored Service tells what its load balancer was given. What one asks for that gives its load balancer up, or is another
 * controller's, is carried out by nobody: it may be the very mistake that is being taken back.
 */
export const isCarriedOut = ({ object }: OldObject): boolean => wantsLoadBalancer(object);

/** What a load balancer does not take that was given something else, as far as the stored Service tells what that was. */
export function asFarAsPublished(before: OldObject, fault: Violation): Violation {
  if (fault.advice === true || isCarriedOut(before)) return fault;
  const allowed = `${fault.allowed}, unless it had this before the Service gave it up`;
  return { ...fault, allowed, fix: 'leave it if it had, or else write what it had', advice: true };
}
