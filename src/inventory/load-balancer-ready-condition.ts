import type { Service } from '../base/kubernetes-objects.ts';
import { GROUP_OWNER } from './custom-resources.ts';

/** The type of the condition that shows whether a Service is synced. Users wait with `kubectl wait --for=condition=LoadBalancerReady`. */
export const LOAD_BALANCER_READY = 'LoadBalancerReady';

type Condition = NonNullable<NonNullable<Service['status']>['conditions']>[number];

/**
 * Returns the condition of a Service whose server group another namespace uses. `oldestClaim` ranks such Services last, so an empty group stays with
 * its namespace.
 */
export const groupBlockIn = ({ status }: Service): Condition | undefined =>
  status?.conditions?.find(
    ({ type, status: value, reason }) => type === LOAD_BALANCER_READY && value === 'False' && reason === GROUP_OWNER,
  );
