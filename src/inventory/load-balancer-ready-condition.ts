import type { Service } from '../base/kubernetes-objects.ts';
import { GROUP_OWNER } from './custom-resources.ts';

/** The type of the condition that shows whether a Service is synced. Users wait with `kubectl wait --for=condition=LoadBalancerReady`. */
export const LOAD_BALANCER_READY = 'LoadBalancerReady';

type Condition = NonNullable<NonNullable<Service['status']>['conditions']>[number];

/**
 * Returns the condition that shows that another namespace uses the server group. `group-claims.ts` then marks the claim of the Service as blocked,
 * so that it ranks last.
 */
export const groupBlockIn = ({ status }: Service): Condition | undefined =>
  status?.conditions?.find(
    ({ type, status: value, reason }) => type === LOAD_BALANCER_READY && value === 'False' && reason === GROUP_OWNER,
  );
