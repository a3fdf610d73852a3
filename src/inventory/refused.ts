import type { Service } from '../objects.ts';

/** The condition by which a Service says whether its load balancer is as it asks: `kubectl wait --for=condition=LoadBalancerReady`. */
export const LOAD_BALANCER_READY = 'LoadBalancerReady';

type Condition = NonNullable<NonNullable<Service['status']>['conditions']>[number];

/** With which reasons the controller makes nothing for a Service that has nothing, and nothing more of what is refused for one that is served. */
const REFUSED: ReadonlySet<string> = new Set(['InvalidObject', 'Policy']);

/** What the controller has said of a Service that rules or policies refuse; absent for any other. */
export function refusalIn({ status }: Service): Condition | undefined {
  return status?.conditions?.find(
    (condition) =>
      condition.type === LOAD_BALANCER_READY && condition.status === 'False' && REFUSED.has(condition.reason),
  );
}
