import { aPicture, BEGUN, called, held, judges, STARTED, stored } from '../../support/history/build.ts';
import { ownWritesIgnored } from '../../support/history/invariants/own-writes-ignored.ts';
import { DIGEST } from '../../support/history/ownership.ts';
import { aNode } from '../../support/node.ts';

const ID = { 'service.k8s.alibaba/loadbalancer-id': 'lb-1' };
const dirty = held({ ...BEGUN, labels: { ...BEGUN.labels, ...ID } });
const standing = (status: 'True' | 'False') => ({
  ...held({ labels: { ...ID, [DIGEST]: 'd' } }),
  status: { conditions: [{ type: 'LoadBalancerReady', status, reason: '', message: '', lastTransitionTime: '' }] },
});
const clean = standing('True');
const target = aPicture();
const byUs = { by: 'controller' } as const;
const turn = [
  stored(held(), dirty, { ...byUs, at: 1 }),
  ...called('SetLoadBalancerName', { at: 2, target }),
  stored(dirty, clean, { ...byUs, at: 3 }),
];
const asked = (at = 4) => called('DescribeLoadBalancerAttribute', { at, parameters: { LoadBalancerId: 'lb-1' } });
const ofNode = (at: number) => stored(undefined, aNode('n1'), { plural: 'nodes', at });

judges(ownWritesIgnored, {
  keep: {
    'nothing follows a turn': turn,
    'somebody has changed the Service': [...turn, stored(clean, clean, { at: 3.5 }), ...asked()],
    'a Node was changed during the turn': [...turn.slice(0, 1), ofNode(1.5), ...turn.slice(1), ...asked()],
    'a Node was changed since': [...turn, ofNode(3.5), ...asked()],
    'another process leads': [...turn, STARTED, ...asked()],
    'a call was lost on its way': [
      ...turn.slice(0, 1),
      ...called('SetLoadBalancerName', { at: 2, target, fault: 'cut-reply' }),
      ...turn.slice(2),
      ...asked(),
    ],
    'the turn has failed': [stored(clean, standing('False'), { ...byUs, at: 3 }), ...asked()],
    'the turn has not ended': [...turn.slice(0, 3), ...asked()],
    'it is looked again in an hour': [...turn, ...asked(3_600)],
    'another load balancer is asked for': [
      ...turn,
      ...called('DescribeLoadBalancerAttribute', { at: 4, parameters: { LoadBalancerId: 'lb-2' } }),
    ],
  },
  break: {
    'the load balancer is read after the last write': [...turn, ...asked()],
    'it is changed after the last write': [...turn, ...called('SetLoadBalancerName', { at: 4, target })],
    'a Node was changed only before the turn': [ofNode(0.5), ...turn, ...asked()],
  },
});
