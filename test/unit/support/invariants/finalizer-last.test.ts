import {
  aPicture,
  BEGUN,
  called,
  withMetadata,
  USER_MANAGED,
  testInvariant,
  STARTED,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { finalizerLast } from '../../../support/invariants/invariants/finalizer-last.ts';

const looked = called('DescribeLoadBalancers');
const deleted = called('DeleteLoadBalancer', { target: aPicture() });
const released = (over: Parameters<typeof stored>[2] = {}) =>
  stored(withMetadata(BEGUN), withMetadata(), { by: 'controller', ...over });
const NAME = 'k8s/80/web/shop/c1';
const group = { id: 'rsp-1', name: NAME, backends: [] };
const inHerGroup = (description: string) =>
  released({
    loadBalancers: [
      aPicture({
        ...USER_MANAGED,
        groups: [
          { ...group, name: 'hers', backends: [{ serverId: 'i-1', serverIp: undefined, port: 80, description }] },
        ],
      }),
    ],
  });
const ID = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id';
const preserve = {
  ...BEGUN,
  annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-preserve-lb-on-delete': 'on' },
};

/** After the removal of the finalizer, no one deletes the remaining resources of the Service. */
testInvariant(finalizerLast, {
  keep: {
    'the deletion of the load balancer was acknowledged': [STARTED, ...deleted, released()],
    'no resource was found': [STARTED, ...looked, released()],
    'the load balancer is preserved and has no owner': [
      STARTED,
      ...looked,
      stored(withMetadata(preserve), withMetadata(), {
        by: 'controller',
        loadBalancers: [aPicture({ tags: {}, groups: [group] })],
      }),
    ],
    'the load balancer was owned, is now reused, and is preserved': [
      STARTED,
      ...called('UntagResources', { target: aPicture(), after: aPicture({ tags: {}, groups: [group] }) }),
      ...looked,
      stored(withMetadata({ ...preserve, annotations: { ...preserve.annotations, [ID]: 'lb-1' } }), withMetadata(), {
        by: 'controller',
        loadBalancers: [aPicture({ tags: {}, groups: [group] })],
      }),
    ],
    'the load balancer was preserved, and then another load balancer was deleted': [
      STARTED,
      ...called('UntagResources', { target: aPicture(), after: aPicture({ tags: {}, groups: [group] }) }),
      ...looked,
      stored(withMetadata(preserve), withMetadata(), {
        by: 'controller',
        loadBalancers: [aPicture({ tags: {}, groups: [group] })],
      }),
      ...called('DeleteLoadBalancer', { target: aPicture({ id: 'lb-2' }) }),
      released({ loadBalancers: [aPicture({ tags: {}, groups: [group] })] }),
    ],
    'the remaining resources belong to a Service of the same name in another cluster': [
      STARTED,
      ...looked,
      released({ loadBalancers: [aPicture({ ...USER_MANAGED, groups: [{ ...group, name: 'k8s/80/web/shop/c2' }] })] }),
    ],
    "a user's backend stays in a user-managed group": [STARTED, ...looked, inHerGroup('hers')],
    'a user removes the finalizer': [stored(withMetadata(BEGUN), withMetadata(), { loadBalancers: [aPicture()] })],
  },
  break: {
    'the load balancer still exists': [STARTED, ...looked, released({ loadBalancers: [aPicture()] })],
    'a group stays on a reused load balancer': [
      STARTED,
      ...looked,
      released({ loadBalancers: [aPicture({ ...USER_MANAGED, groups: [group] })] }),
    ],
    'a backend stays in a user-managed group': [STARTED, ...looked, inHerGroup(NAME)],
    'a group stays on a reused load balancer, although the owned load balancer is preserved': [
      STARTED,
      ...looked,
      stored(
        withMetadata({ ...preserve, annotations: { ...preserve.annotations, [ID]: USER_MANAGED.id } }),
        withMetadata(),
        {
          by: 'controller',
          loadBalancers: [aPicture({ ...USER_MANAGED, groups: [group] })],
        },
      ),
    ],
    'a group stays on a preserved load balancer that the annotation id names now': [
      STARTED,
      ...called('UntagResources', { target: aPicture(), after: aPicture({ tags: {}, groups: [group] }) }),
      ...looked,
      stored(withMetadata(preserve), withMetadata(), {
        by: 'controller',
        loadBalancers: [aPicture({ tags: {}, groups: [group] })],
      }),
      stored(withMetadata({ ...BEGUN, annotations: { [ID]: 'lb-1' } }), withMetadata(), {
        by: 'controller',
        loadBalancers: [aPicture({ tags: {}, groups: [group] })],
      }),
    ],
    'a listener stays on a reused load balancer': [
      STARTED,
      ...looked,
      released({
        loadBalancers: [aPicture({ ...USER_MANAGED, listeners: [{ port: 80, protocol: 'tcp', description: NAME }] })],
      }),
    ],
    'only the previous process read the load balancer': [...looked, STARTED, released()],
    'the read failed': [STARTED, ...called('DescribeLoadBalancers', { outcome: 'InternalError' }), released()],
    'the address is still published': [
      STARTED,
      ...looked,
      stored(
        { ...withMetadata(BEGUN), status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } } } as never,
        withMetadata(),
        {
          by: 'controller',
        },
      ),
    ],
  },
});
