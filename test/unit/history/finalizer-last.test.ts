import { aPicture, BEGUN, called, held, HERS, judges, STARTED, stored } from '../../support/history/build.ts';
import { finalizerLast } from '../../support/history/invariants/finalizer-last.ts';

const looked = called('DescribeLoadBalancers');
const deleted = called('DeleteLoadBalancer', { target: aPicture() });
const gone = (over: Parameters<typeof stored>[2] = {}) => stored(held(BEGUN), held(), { by: 'controller', ...over });
const NAME = 'k8s/80/web/shop/c1';
const group = { id: 'rsp-1', name: NAME, backends: [] };
const inHerGroup = (description: string) =>
  gone({
    loadBalancers: [
      aPicture({
        ...HERS,
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

judges(finalizerLast, {
  keep: {
    'the deletion was acknowledged': [STARTED, ...deleted, gone()],
    'nothing was found': [STARTED, ...looked, gone()],
    'the load balancer was to be kept and is nobody’s': [
      STARTED,
      ...looked,
      stored(held(preserve), held(), { by: 'controller', loadBalancers: [aPicture({ tags: {}, groups: [group] })] }),
    ],
    'the load balancer was its own, is named as one to be reused, and was to be kept': [
      STARTED,
      ...called('UntagResources', { target: aPicture(), after: aPicture({ tags: {}, groups: [group] }) }),
      ...looked,
      stored(held({ ...preserve, annotations: { ...preserve.annotations, [ID]: 'lb-1' } }), held(), {
        by: 'controller',
        loadBalancers: [aPicture({ tags: {}, groups: [group] })],
      }),
    ],
    'the load balancer was let go of before, to be kept, and another one has gone since': [
      STARTED,
      ...called('UntagResources', { target: aPicture(), after: aPicture({ tags: {}, groups: [group] }) }),
      ...looked,
      stored(held(preserve), held(), { by: 'controller', loadBalancers: [aPicture({ tags: {}, groups: [group] })] }),
      ...deleted,
      gone({ loadBalancers: [aPicture({ tags: {}, groups: [group] })] }),
    ],
    'what is left is of another cluster’s Service of the same name': [
      STARTED,
      ...looked,
      gone({ loadBalancers: [aPicture({ ...HERS, groups: [{ ...group, name: 'k8s/80/web/shop/c2' }] })] }),
    ],
    'a backend of hers is left in her group': [STARTED, ...looked, inHerGroup('hers')],
    'somebody else takes it off': [stored(held(BEGUN), held(), { loadBalancers: [aPicture()] })],
  },
  break: {
    'the load balancer is still there': [STARTED, ...looked, gone({ loadBalancers: [aPicture()] })],
    'a group is left on one that was reused': [
      STARTED,
      ...looked,
      gone({ loadBalancers: [aPicture({ ...HERS, groups: [group] })] }),
    ],
    'a backend is left in a group of hers': [STARTED, ...looked, inHerGroup(NAME)],
    'a group is left on one that was reused, although what is its own was to be kept': [
      STARTED,
      ...looked,
      stored(held({ ...preserve, annotations: { ...preserve.annotations, [ID]: HERS.id } }), held(), {
        by: 'controller',
        loadBalancers: [aPicture({ ...HERS, groups: [group] })],
      }),
    ],
    'a group is left on one that was let go of before, and is named since': [
      STARTED,
      ...called('UntagResources', { target: aPicture(), after: aPicture({ tags: {}, groups: [group] }) }),
      ...looked,
      stored(held(preserve), held(), { by: 'controller', loadBalancers: [aPicture({ tags: {}, groups: [group] })] }),
      stored(held({ ...BEGUN, annotations: { [ID]: 'lb-1' } }), held(), {
        by: 'controller',
        loadBalancers: [aPicture({ tags: {}, groups: [group] })],
      }),
    ],
    'a listener is left on one that was reused': [
      STARTED,
      ...looked,
      gone({ loadBalancers: [aPicture({ ...HERS, listeners: [{ port: 80, protocol: 'tcp', description: NAME }] })] }),
    ],
    'this process has not looked': [...looked, STARTED, gone()],
    'the look failed': [STARTED, ...called('DescribeLoadBalancers', { outcome: 'InternalError' }), gone()],
    'the address is still published': [
      STARTED,
      ...looked,
      stored({ ...held(BEGUN), status: { loadBalancer: { ingress: [{ ip: '47.0.0.1' }] } } } as never, held(), {
        by: 'controller',
      }),
    ],
  },
});
