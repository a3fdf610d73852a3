import {
  aPicture,
  called,
  withMetadata,
  USER_MANAGED,
  testInvariant,
  stored,
} from '../../support/history/history-builders.ts';
import { reusedLoadBalancer } from '../../support/history/invariants/reused-load-balancer.ts';

const annotation = (suffix: string): string => `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-${suffix}`;
const reusing = (input: Readonly<Record<string, string>> = {}, metadata: object = {}) =>
  stored(undefined, withMetadata({ ...metadata, annotations: { [annotation('id')]: USER_MANAGED.id, ...input } }));
const about = (action: string) => called(action, { target: aPicture(USER_MANAGED) });
const GOING = { deletionTimestamp: '2026-01-01T00:00:00Z' };

/** Other Services and users depend on a user-managed load balancer. */
testInvariant(reusedLoadBalancer, {
  keep: {
    'a load balancer that a Service owns is deleted': [
      stored(undefined, withMetadata()),
      ...called('DeleteLoadBalancer', { target: aPicture() }),
    ],
    'a listener of a reused load balancer is changed': [reusing(), ...about('DeleteLoadBalancerListener')],
    'its bandwidth is requested': [
      reusing({ [annotation('bandwidth')]: '5' }),
      ...about('ModifyLoadBalancerInternetSpec'),
    ],
    'it is tagged': [reusing(), ...about('TagResources')],
  },
  break: {
    'it is deleted': [reusing(), ...about('DeleteLoadBalancer')],
    'it is renamed': [reusing(), ...about('SetLoadBalancerName')],
    'its protection is removed because the Service is deleted': [
      reusing({}, GOING),
      ...about('SetLoadBalancerDeleteProtection'),
    ],
    'an attribute other than the requested is changed': [
      reusing({ [annotation('name')]: 'x' }),
      ...about('ModifyLoadBalancerInstanceSpec'),
    ],
  },
});
