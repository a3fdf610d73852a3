import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, EXCLUDE, instance, label, on } from '../../../support/node-world/scenario-parts.ts';

const POOL = 'ack.alibabacloud.com/nodepool-id';

/** Scenarios of the labels that the controller sets from the instance. The scheduler reads these labels. `scenarios.test.ts` plays them. */
export const LABELS: Scenarios = {
  'type, zone and region have two labels each; charge type, spot and pool have one': {
    cloud: {
      vSwitches: [{ id: 'vsw-2', vpcId: 'vpc-1', cidrBlock: '10.2.0.0/16', zoneId: 'cn-hangzhou-k' }],
      instances: [
        {
          id: 'i-1',
          vSwitchId: 'vsw-2',
          instanceType: 'ecs.gn7i-c8g1.2xlarge',
          chargeType: 'PrePaid',
          spotStrategy: 'SpotAsPriceGo',
          privateAddresses: ['10.2.0.11'],
          tags: { [POOL]: 'np-1234' },
        },
      ],
    },
    steps: [{ join: ['n1'] }],
  },
  'labels of kubelets and users remain': {
    steps: [{ join: [on(1, { labels: { 'example.com/rack': 'r7', 'node-role.kubernetes.io/worker': '' } })] }],
  },
  'a label that a user changes is restored': {
    steps: [{ join: ['n1'] }, label('n1', { 'topology.kubernetes.io/zone': 'cn-hangzhou-z' })],
  },
  'a beta label that a user changes is restored': {
    steps: [{ join: ['n1'] }, label('n1', { 'failure-domain.beta.kubernetes.io/zone': 'cn-hangzhou-z' })],
  },
  'a label that a user removes is restored': {
    steps: [
      { join: ['n1'] },
      label('n1', { 'node.alibabacloud.com/instance-charge-type': null, 'beta.kubernetes.io/instance-type': null }),
    ],
  },
  'changes of user labels cause no call': {
    steps: [{ join: ['n1'] }, label('n1', { 'example.com/rack': 'r7' }), label('n1', { 'example.com/rack': null })],
  },
  'a wrong label from --node-labels is corrected': {
    steps: [{ join: [on(1, { labels: { 'topology.kubernetes.io/region': 'cn-beijing' } })] }],
  },
  'a change of the instance type is detected in the next pass': {
    steps: [{ join: ['n1'] }, { cloud: instance(1, { instanceType: 'ecs.g7.4xlarge' }) }, { pass: A_PASS }],
  },
  'a node pool whose name is no valid label value is skipped': {
    cloud: instance(1, { tags: { [POOL]: 'two words' } }),
    steps: [{ join: ['n1'] }],
  },
  'a node pool that an instance leaves remains as a label of its Node': {
    cloud: instance(1, { tags: { [POOL]: 'np-1' } }),
    steps: [{ join: ['n1'] }, { cloud: instance(1, {}) }, { pass: A_PASS }],
  },
  'an excluded Node keeps labels that a user changes': {
    steps: [
      { join: [on(1, { labels: { [EXCLUDE]: '' } })] },
      label('n1', { 'topology.kubernetes.io/zone': 'rack-7' }),
      { pass: A_PASS },
    ],
  },
};
