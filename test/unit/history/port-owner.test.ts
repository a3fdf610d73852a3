import { aPicture, called, held, HERS, judges, stored } from '../../support/history/build.ts';
import { portOwner } from '../../support/history/invariants/port-owner.ts';

const OURS = 'k8s/80/web/shop/c1';
const OTHERS = 'k8s/80/web/bank/c1';
const target = aPicture({
  ...HERS,
  listeners: [{ port: 80, protocol: 'tcp', description: OURS }],
  groups: [
    { id: 'rsp-ours', name: OURS, backends: [] },
    { id: 'rsp-other', name: OTHERS, backends: [] },
  ],
});
const set = (parameters: Readonly<Record<string, string>>) =>
  called('SetLoadBalancerTCPListenerAttribute', { target, parameters: { ListenerPort: '80', ...parameters } });
const plain = stored(undefined, held());

judges(portOwner, {
  keep: {
    'its owner changes it': [plain, ...set({ VServerGroupId: 'rsp-ours' })],
    'its owner wants the port no more': [
      plain,
      stored(held(), held({}, { ports: [443] })),
      ...set({ Description: OTHERS }),
    ],
    'its owner is gone': [plain, stored(held(), undefined), ...set({ VServerGroupId: 'rsp-other' })],
  },
  break: {
    'another puts its name on it': [plain, ...set({ Description: OTHERS })],
    'another puts its group behind it': [plain, ...set({ VServerGroupId: 'rsp-other' })],
  },
});
