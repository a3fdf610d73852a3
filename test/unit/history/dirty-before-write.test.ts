import { aPicture, BEGUN, called, held, HERS, judges, stored } from '../../support/history/build.ts';
import { dirtyBeforeWrite } from '../../support/history/invariants/dirty-before-write.ts';
import { DIGEST, DIRTY, FINALIZER } from '../../support/history/ownership.ts';

const plain = stored(undefined, held());
const begun = stored(held(), held(BEGUN), { by: 'controller' });
const change = called('SetLoadBalancerName', { target: aPicture() });
const NAME = 'k8s/80/web/shop/c1';
/** A load balancer that people have made, with what the Service has put into it. */
const hers = aPicture({
  ...HERS,
  listeners: [{ port: 80, protocol: 'tcp', description: NAME }],
  groups: [{ id: 'rsp-1', name: NAME, backends: [] }],
});
const onListener = called('DeleteLoadBalancerListener', { target: hers, parameters: { ListenerPort: '80' } });
const onGroup = called('DeleteVServerGroup', { target: hers, parameters: { VServerGroupId: 'rsp-1' } });
const onMember = called('RemoveVServerGroupBackendServers', {
  target: aPicture(HERS),
  parameters: { BackendServers: JSON.stringify([{ ServerId: 'i-1', Port: '80', Description: NAME }]) },
});
/** Its backend becomes one of Service `api`. */
const handedOver = called('SetVServerGroupAttribute', {
  target: aPicture({
    ...HERS,
    groups: [
      {
        id: 'rsp-hers',
        name: 'hers',
        backends: [{ serverId: 'i-1', serverIp: undefined, port: 80, description: NAME }],
      },
    ],
  }),
  parameters: {
    VServerGroupId: 'rsp-hers',
    BackendServers: JSON.stringify([{ ServerId: 'i-1', Port: '80', Description: NAME.replace('web', 'api') }]),
  },
});
const clean = { finalizers: [FINALIZER], labels: { [DIGEST]: 'd' } };
const done = stored(held(BEGUN), held(clean), { by: 'controller' });
const ended = held({ ...BEGUN, labels: { ...BEGUN.labels, [DIRTY]: 'ended' } });
const over = stored(held(BEGUN), ended, { by: 'controller' });
const [sent = plain, answered = plain] = onListener;
const undone = { finalizers: [FINALIZER], labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' } };

judges(dirtyBeforeWrite, {
  keep: {
    'a call comes between mark and digest': [plain, begun, ...change, done],
    'what it has in another’s load balancer is changed after it': [
      plain,
      begun,
      ...onListener,
      ...onGroup,
      ...onMember,
      done,
    ],
    'a read comes before it': [plain, ...called('DescribeLoadBalancerAttribute', { target: aPicture() }), begun],
    'somebody takes the mark off in between': [plain, begun, stored(held(BEGUN), held()), ...change],
    'all has ended before it says so, and another call comes after it says that one is under way': [
      plain,
      begun,
      ...onListener,
      over,
      stored(ended, held(BEGUN), { by: 'controller' }),
      ...onGroup,
    ],
    'all marks go': [plain, begun, stored(held(BEGUN), held({ finalizers: [FINALIZER] }), { by: 'controller' })],
  },
  break: {
    'a call comes before it': [plain, ...change, begun],
    'its listener in another’s load balancer is deleted before it': [plain, ...onListener, begun],
    'its group in another’s load balancer is deleted before it': [plain, ...onGroup, begun],
    'its backend leaves another’s group before it': [plain, ...onMember, begun],
    'its backend in another’s group becomes another Service’s before it': [plain, ...handedOver, begun],
    'a call comes after the digest': [plain, begun, ...change, done, ...change],
    'a call comes after it has said that all has ended': [plain, begun, ...change, over, ...change],
    'it says that all has ended before it has': [plain, begun, sent, over, answered],
    'it is cleared without a digest': [
      plain,
      begun,
      ...change,
      stored(held(BEGUN), held(undone), { by: 'controller' }),
    ],
  },
});
