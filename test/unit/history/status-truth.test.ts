import type { Service } from '../../../src/objects.ts';
import { aPicture, held, judges, stored } from '../../support/history/build.ts';
import { statusTruth } from '../../support/history/invariants/status-truth.ts';

const at = (ip: string): Service => ({ ...held(), status: { loadBalancer: { ingress: [{ ip }] } } });
const published = (over: Parameters<typeof stored>[2]) => stored(held(), at('47.0.0.1'), { by: 'controller', ...over });

judges(statusTruth, {
  keep: {
    'it is a load balancer’s': [published({ loadBalancers: [aPicture()] })],
    'it is an elastic one': [published({ elasticAddresses: ['47.0.0.1'] })],
    'it was published before': [stored(at('47.0.0.1'), at('47.0.0.1'), { by: 'controller' })],
    'somebody else publishes it': [published({ by: 'others' })],
  },
  break: { 'nobody has it': [published({ loadBalancers: [aPicture({ address: '47.0.0.2' })] })] },
});
