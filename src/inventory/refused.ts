import type { Service } from '../objects.ts';
import { GROUP_OWNER } from './resource.ts';

/** The condition by which a Service says whether its load balancer is as it asks: `kubectl wait --for=condition=LoadBalancerReady`. */
export const LOAD_BALANCER_READY = 'LoadBalancerReady';

type Condition = NonNullable<NonNullable<Service['status']>['conditions']>[number];

/** With which reasons the controller makes nothing for a Service that has nothing, and nothing more of what is refused for one that is served. */
const REFUSED: ReadonlySet<string> = new Set(['InvalidObject', 'Policy']);

/** Returns the condition of a Service if it is false for one of these reasons. */
const failureIn = ({ status }: Service, reasons: ReadonlySet<string>): Condition | undefined =>
  status?.conditions?.find(
    ({ type, status: value, reason }) => type === LOAD_BALANCER_READY && value === 'False' && reasons.has(reason),
  );

/** Returns the condition of a Service that rules or policies deny; `undefined` for any other. */
export const refusalIn = (service: Service): Condition | undefined => failureIn(service, REFUSED);

const BLOCKED: ReadonlySet<string> = new Set([GROUP_OWNER]);

/** Returns the condition of a Service whose server group belongs to another namespace. */
export const groupBlockIn = (service: Service): Condition | undefined => failureIn(service, BLOCKED);
