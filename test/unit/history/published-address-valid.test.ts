import type { Service } from '../../../src/base/objects.ts';
import { aPicture, held, HERS, judges, stored } from '../../support/history/build.ts';
import { publishedAddressValid } from '../../support/history/invariants/published-address-valid.ts';

const ADDRESS = '47.0.0.1';
const at = (ip: string, metadata: object = {}): Service => ({
  ...held(metadata),
  status: { loadBalancer: { ingress: [{ ip }] } },
});
const naming = at(ADDRESS, { annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id': HERS.id } });
const published = (over: Parameters<typeof stored>[2]) => stored(held(), at(ADDRESS), { by: 'controller', ...over });

judges(publishedAddressValid, {
  keep: {
    'it is a load balancer’s': [published({ loadBalancers: [aPicture()] })],
    'it is an elastic one': [published({ elasticAddresses: [ADDRESS] })],
    'it is that of a load balancer that it names': [
      stored(held(), naming, { by: 'controller', loadBalancers: [aPicture(HERS)] }),
    ],
    'it was published before': [stored(at(ADDRESS), at(ADDRESS), { by: 'controller' })],
    'somebody else publishes it': [published({ by: 'others' })],
  },
  break: {
    'nobody has it': [published({ loadBalancers: [aPicture({ address: '47.0.0.2' })] })],
    'somebody else’s load balancer has it': [published({ loadBalancers: [aPicture(HERS)] })],
  },
});
