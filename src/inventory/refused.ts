import type { Service } from '../objects.ts';

/** The condition by which a Service says whether its load balancer is as it asks: `kubectl wait --for=condition=LoadBalancerReady`. */
export const LOAD_BALANCER_READY = 'LoadBalancerReady';

type Condition = NonNullable<NonNullable<Service['status']>['conditions']>[number];

/** With which reasons the controller makes nothing for a Service that has nothing. */
const REFUSED: ReadonlySet<string> = new Set(['InvalidObject', 'Policy']);

/** What the controller has said of a Service for which it makes nothing, because rules or policies refuse it; absent for any other. */
export function refusalIn({ status }: Service): Condition | undefined {
  if ((status?.loadBalancer?.ingress ?? []).length > 0) return undefined;
  return status?.conditions?.find(
    (condition) =>
      condition.type === LOAD_BALANCER_READY && condition.status === 'False' && REFUSED.has(condition.reason),
  );
}
