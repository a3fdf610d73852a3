import type { Service } from '../base/objects.ts';
import { GROUP_OWNER } from './resource.ts';

/** The condition that shows whether the load balancer of a Service is synced: `kubectl wait --for=condition=LoadBalancerReady`. */
export const LOAD_BALANCER_READY = 'LoadBalancerReady';

type Condition = NonNullable<NonNullable<Service['status']>['conditions']>[number];

/** Returns the condition of a Service whose server group belongs to another namespace. */
export const groupBlockIn = ({ status }: Service): Condition | undefined =>
  status?.conditions?.find(
    ({ type, status: value, reason }) => type === LOAD_BALANCER_READY && value === 'False' && reason === GROUP_OWNER,
  );
