import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import {
  aPicture,
  withMetadata,
  USER_MANAGED,
  testInvariant,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { publishedAddressValid } from '../../../support/invariants/invariants/published-address-valid.ts';

const ADDRESS = '47.0.0.1';
const at = (ip: string, metadata: object = {}): Service => ({
  ...withMetadata(metadata),
  status: { loadBalancer: { ingress: [{ ip }] } },
});
const naming = at(ADDRESS, {
  annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id': USER_MANAGED.id },
});
const published = (over: Parameters<typeof stored>[2]) =>
  stored(withMetadata(), at(ADDRESS), { by: 'controller', ...over });

/** Clients use the published address at once, so it must lead to the Service. */
testInvariant(publishedAddressValid, {
  keep: {
    'the address belongs to the owned load balancer': [published({ loadBalancers: [aPicture()] })],
    'the address is elastic': [published({ elasticAddresses: [ADDRESS] })],
    'the address belongs to the load balancer that the Service names': [
      stored(withMetadata(), naming, { by: 'controller', loadBalancers: [aPicture(USER_MANAGED)] }),
    ],
    'the address was published before': [stored(at(ADDRESS), at(ADDRESS), { by: 'controller' })],
    'a user publishes the address': [published({ by: 'others' })],
  },
  break: {
    'the address belongs to no load balancer': [published({ loadBalancers: [aPicture({ address: '47.0.0.2' })] })],
    'the address belongs to a foreign load balancer': [published({ loadBalancers: [aPicture(USER_MANAGED)] })],
  },
});
