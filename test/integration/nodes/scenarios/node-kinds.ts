import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, EXCLUDE, instance, label, MINUTE, on, unknown } from '../../../support/node-world/scenario-parts.ts';

const OLD_EXCLUDE = 'service.beta.kubernetes.io/exclude-node';
const VIRTUAL = { labels: { type: 'virtual-kubelet' } };
const LINGJUN = { 'alibabacloud.com/lingjun-worker': 'true' };

/**
 * Scenarios of virtual, hybrid, excluded and foreign Nodes, which the controller manages only in part, or not at all. `scenarios.test.ts` plays them.
 */
export const KINDS: Scenarios = {
  'an excluded Node is initialized without a route': {
    steps: [{ join: [on(1, { labels: { [EXCLUDE]: 'true' } }), 'n2'] }],
  },
  'a Node is also excluded by the deprecated label': {
    steps: [{ join: [on(1, { labels: { [OLD_EXCLUDE]: 'true' } }), 'n2'] }],
  },
  'a Node is excluded by the label, whatever its value': {
    steps: [{ join: [on(1, { labels: { [EXCLUDE]: 'false' } }), 'n2'] }],
  },
  'an excluded Node without a provider ID is found and initialized': {
    steps: [{ join: [unknown(1, { labels: { [EXCLUDE]: '' }, nodeIp: '10.1.0.11' })] }],
  },
  'a Node that is excluded later keeps its route, also after its deletion': {
    steps: [{ join: ['n1', 'n2'] }, label('n1', { [EXCLUDE]: '' }), { leave: ['n1'] }, { pass: A_PASS }],
  },
  'a Node that is no longer excluded gets its route': {
    steps: [{ join: [on(1, { labels: { [EXCLUDE]: '' } })] }, label('n1', { [EXCLUDE]: null })],
  },
  'a Node that is excluded for a while owns its route again': {
    steps: [
      { join: ['n1', 'n2'] },
      label('n1', { [EXCLUDE]: '' }),
      label('n1', { [EXCLUDE]: null }),
      { leave: ['n1'] },
    ],
  },
  'a route of an excluded Node remains after the deletion of the Node': {
    isUnattended: true,
    steps: [
      { join: [on(1, { labels: { [EXCLUDE]: '' } }), 'n2'] },
      {
        call: 'CreateRouteEntry',
        with: {
          RouteTableId: 'vtb-1',
          DestinationCidrBlock: '{n1/0}',
          NextHopType: 'Instance',
          NextHopId: 'i-1',
        },
      },
      { controller: 'starts' },
      { leave: ['n1'] },
    ],
  },
  'an excluded Node is not deleted with its instance': {
    steps: [
      { join: [on(1, { labels: { [EXCLUDE]: '' } }), 'n2'] },
      { release: ['i-1'] },
      { ready: 'Unknown', of: ['n1'] },
      { pass: 15 * MINUTE },
    ],
  },
  'an excluded Node of a stopped instance is not tainted': {
    steps: [
      { join: [on(1, { labels: { [EXCLUDE]: '' } }), 'n2'] },
      { cloud: instance(1, { status: 'Stopped' }) },
      { pass: A_PASS },
    ],
  },
  'a hybrid Node is unchanged': {
    steps: [
      { join: [on(1, { providerId: 'ack-hybrid://idc-7' }), 'n2'] },
      { ready: 'Unknown', of: ['n1'] },
      { pass: A_PASS },
    ],
  },
  'a virtual Node is initialized without a call': {
    steps: [{ join: [unknown(1, VIRTUAL)] }, { pass: A_PASS }],
  },
  'a virtual Node is not managed even if its provider ID names an instance': {
    steps: [
      { join: [on(1, VIRTUAL), 'n2'] },
      { release: ['i-1'] },
      { ready: 'Unknown', of: ['n1'] },
      { pass: 15 * MINUTE },
    ],
  },
  'a LingJun Node loses the taint and is otherwise unchanged': {
    steps: [{ join: [on(1, { providerId: 'e01-cn-zvp2tgykr08', labels: LINGJUN })] }, { pass: A_PASS }],
  },
  'a LingJun Node of a self-managed environment is unchanged': {
    steps: [
      {
        join: [
          on(1, {
            providerId: 'e01-cn-zvp2tgykr08',
            labels: { ...LINGJUN, 'alibabacloud.com/lingjun-tianwen-environment': 'true' },
          }),
        ],
      },
      { pass: A_PASS },
    ],
  },
  'a Node that was never tainted is also synced and routed': {
    steps: [{ join: [on(1, { isExternal: false })] }],
  },
  'Nodes of all kinds coexist, and an invalid Node affects no other': {
    steps: [
      {
        join: [
          'n1',
          on(2, { labels: { [EXCLUDE]: '' } }),
          on(3, { providerId: 'gce://project/zone/instance-3' }),
          unknown(4, VIRTUAL),
          unknown(5),
          on(6, { providerId: 'ack-hybrid://idc-6' }),
        ],
      },
    ],
  },
};
