import {
  aPicture,
  BEGUN,
  called,
  withMetadata,
  testInvariant,
  OWNER,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { finalizerFirst } from '../../../support/invariants/invariants/finalizer-first.ts';
import { OWNER_TAG } from '../../../support/invariants/ownership.ts';

const creation = called('CreateLoadBalancer', { parameters: { 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': OWNER } });
const group = called('CreateVServerGroup', {
  target: aPicture(),
  parameters: { VServerGroupName: 'k8s/30080/web/shop/c1' },
});
const listener = called('CreateLoadBalancerTCPListener', {
  target: aPicture(),
  parameters: { Description: 'k8s/80/web/shop/c1' },
});
const plain = stored(undefined, withMetadata());
const begun = stored(withMetadata(), withMetadata(BEGUN), { by: 'controller' });

/** Without the finalizer, a deletion of the Service would leave its resources in the cloud. */
testInvariant(finalizerFirst, {
  keep: {
    'all resources are created after the finalizer': [plain, begun, ...creation, ...group, ...listener],
    'a user removes the finalizer in the meantime': [
      plain,
      begun,
      stored(withMetadata(BEGUN), withMetadata()),
      ...group,
    ],
    'a user creates a resource': [plain, ...called('CreateLoadBalancer', { userAgent: 'test' })],
  },
  break: {
    'a load balancer is created before the finalizer': [plain, ...creation, begun],
    'a group is created before the finalizer': [plain, ...group, begun],
    'a listener is created before the finalizer': [plain, ...listener, begun],
    'the owner of a group is unknown': called('CreateVServerGroup', { parameters: { VServerGroupName: 'mine' } }),
  },
});
