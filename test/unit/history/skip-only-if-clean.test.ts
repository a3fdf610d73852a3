import { aPicture, BEGUN, called, held, judges, STARTED, stored } from '../../support/history/build.ts';
import { skipOnlyIfClean } from '../../support/history/invariants/skip-only-if-clean.ts';
import { DIGEST, FINALIZER } from '../../support/history/ownership.ts';

const clean = held({ finalizers: [FINALIZER], labels: { [DIGEST]: 'd' } });
const commit = stored(held(BEGUN), clean, { by: 'controller', loadBalancers: [aPicture()] });
const read = (id: string, outcome = 'OK') =>
  called('DescribeLoadBalancerAttribute', { outcome, parameters: { LoadBalancerId: id } });

judges(skipOnlyIfClean, {
  keep: {
    'its load balancer was read': [STARTED, ...read('lb-1'), commit],
    'somebody else takes the mark off': [STARTED, { ...commit, by: 'others' }],
    'it was clean': [STARTED, stored(clean, clean, { by: 'controller' })],
  },
  break: {
    'nothing was asked': [STARTED, commit],
    'the read failed': [STARTED, ...read('lb-1', 'InternalError'), commit],
    'another one was read': [STARTED, ...read('lb-2'), commit],
    'it was a process before that asked': [STARTED, ...read('lb-1'), STARTED, commit],
  },
});
