import type {
  LoadBalancerException,
  LoadBalancerExceptionSpec,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
} from '../../src/policy/custom-resources.ts';

const API = 'portcullis.io/v1alpha1';

/** Returns a policy as the API server stores it. */
export const aPolicy = (name: string, spec: LoadBalancerPolicySpec, resourceVersion = '1'): LoadBalancerPolicy => ({
  apiVersion: API,
  kind: 'LoadBalancerPolicy',
  metadata: { name, uid: `uid-of-${name}`, resourceVersion, generation: 1 },
  spec,
});

/** Returns an exception for Service `shop/web` until 2027. */
export const anException = (
  name: string,
  spec: Partial<LoadBalancerExceptionSpec> & Pick<LoadBalancerExceptionSpec, 'rule'>,
  resourceVersion = '1',
): LoadBalancerException => ({
  apiVersion: API,
  kind: 'LoadBalancerException',
  metadata: { name, uid: `uid-of-${name}`, resourceVersion, generation: 1 },
  spec: {
    ...(spec.selector === undefined ? { object: { namespace: 'shop', name: 'web' } } : {}),
    owner: 'team-shop',
    reason: 'until the new gateway is there',
    expires: '2027-01-01T00:00:00Z',
    ...spec,
  },
});
