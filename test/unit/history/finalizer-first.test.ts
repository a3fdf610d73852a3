import { aPicture, BEGUN, called, held, judges, OWNER, stored } from '../../support/history/build.ts';
import { finalizerFirst } from '../../support/history/invariants/finalizer-first.ts';
import { OWNER_TAG } from '../../support/history/ownership.ts';

const creation = called('CreateLoadBalancer', { parameters: { 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': OWNER } });
const group = called('CreateVServerGroup', {
  target: aPicture(),
  parameters: { VServerGroupName: 'k8s/30080/web/shop/c1' },
});
const listener = called('CreateLoadBalancerTCPListener', {
  target: aPicture(),
  parameters: { Description: 'k8s/80/web/shop/c1' },
});
const plain = stored(undefined, held());
const begun = stored(held(), held(BEGUN), { by: 'controller' });

judges(finalizerFirst, {
  keep: {
    'all is created after it': [plain, begun, ...creation, ...group, ...listener],
    'somebody takes it off meanwhile': [plain, begun, stored(held(BEGUN), held()), ...group],
    'a person creates something': [plain, ...called('CreateLoadBalancer', { userAgent: 'test' })],
  },
  break: {
    'a load balancer is created before it': [plain, ...creation, begun],
    'a group is created before it': [plain, ...group, begun],
    'a listener is created before it': [plain, ...listener, begun],
    'nobody knows whose the group is': called('CreateVServerGroup', { parameters: { VServerGroupName: 'mine' } }),
  },
});
