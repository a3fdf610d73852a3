import {
  aPicture,
  called,
  withMetadata,
  USER_MANAGED,
  testInvariant,
  stored,
} from '../../../support/invariants/history-builders.ts';
import { portTakeover } from '../../../support/invariants/invariants/port-takeover.ts';

const OURS = 'k8s/80/web/shop/c1';
const OTHERS = 'k8s/80/web/bank/c1';
const target = aPicture({
  ...USER_MANAGED,
  listeners: [{ port: 80, protocol: 'tcp', description: OURS }],
  groups: [
    { id: 'rsp-ours', name: OURS, backends: [] },
    { id: 'rsp-other', name: OTHERS, backends: [] },
  ],
});
const set = (parameters: Readonly<Record<string, string>>) =>
  called('SetLoadBalancerTCPListenerAttribute', { target, parameters: { ListenerPort: '80', ...parameters } });
const about = (action: string, Description: string, there = target) =>
  called(action, { target: there, parameters: { ListenerPort: '80', Description } });
const deleted = called('DeleteLoadBalancerListener', {
  target,
  parameters: { ListenerPort: '80', ListenerProtocol: 'tcp' },
});
const made = (description: string) => about('CreateLoadBalancerTCPListener', description, { ...target, listeners: [] });
const otherCluster = { ...target, listeners: [{ port: 80, protocol: 'tcp', description: 'k8s/80/web/shop/c2' }] };
const plain = stored(undefined, withMetadata());

/** A port that changes its owner sends the traffic of one Service to another Service. */
testInvariant(portTakeover, {
  keep: {
    'the owner changes the listener': [plain, ...set({ VServerGroupId: 'rsp-ours' })],
    'the owner of the listener no longer has the port': [
      plain,
      stored(withMetadata(), withMetadata({}, { ports: [443] })),
      ...set({ Description: OTHERS }),
    ],
    'the owner replaces the listener': [plain, ...deleted, ...made(OURS)],
    'the owner requests the port again, after another Service got the port': [
      plain,
      stored(withMetadata(), withMetadata({}, { ports: [443] })),
      ...deleted,
      stored(withMetadata({}, { ports: [443] }), withMetadata()),
      ...made(OTHERS),
    ],
    'the listener belongs to a Service of the same name in another cluster': [
      plain,
      ...about('SetLoadBalancerTCPListenerAttribute', OTHERS, otherCluster),
    ],
    'another Service uses the port with UDP': [plain, ...about('SetLoadBalancerUDPListenerAttribute', OTHERS)],
    'the owner was deleted': [plain, stored(withMetadata(), undefined), ...set({ VServerGroupId: 'rsp-other' })],
  },
  break: {
    'another Service puts its own name on the listener': [plain, ...set({ Description: OTHERS })],
    'another Service creates a listener after the listener of the owner was deleted': [
      plain,
      ...deleted,
      ...made(OTHERS),
    ],
    'another Service changes the server group of the listener': [plain, ...set({ VServerGroupId: 'rsp-other' })],
  },
});
