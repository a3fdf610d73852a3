import {
  aPicture,
  called,
  withMetadata,
  USER_MANAGED,
  testInvariant,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { reusedLoadBalancer } from '../../../support/invariants/invariants/reused-load-balancer.ts';

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
    'the bandwidth of a reused load balancer changes by annotation': [
      reusing({ [annotation('bandwidth')]: '5' }),
      ...about('ModifyLoadBalancerInternetSpec'),
    ],
    'a reused load balancer is tagged': [reusing(), ...about('TagResources')],
  },
  break: {
    'a reused load balancer is deleted': [reusing(), ...about('DeleteLoadBalancer')],
    'a reused load balancer is renamed without an annotation': [reusing(), ...about('SetLoadBalancerName')],
    'the protection of a reused load balancer is removed for a deleted Service': [
      reusing({}, GOING),
      ...about('SetLoadBalancerDeleteProtection'),
    ],
    'an attribute without an annotation changes': [
      reusing({ [annotation('name')]: 'x' }),
      ...about('ModifyLoadBalancerInstanceSpec'),
    ],
  },
});
