import type { Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, instance, MINUTE, on, OTHER_VPC, SECOND_TABLE, table } from '../../../support/node-world/said.ts';

const forbidden = (action: string) => ({
  faults: [{ action, effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' } as const],
});

/** Failures of a cluster or its cloud, and their reports. */
export const TROUBLE: Scenarios = {
  'several tables and none named: people have to say which': {
    cloud: SECOND_TABLE,
    steps: [{ join: ['n1'] }, { pass: 10 * MINUTE }],
  },
  'a VPC that is not there has no table': {
    controller: { global: { vpcid: 'vpc-404' } },
    steps: [{ join: ['n1'] }, { pass: 10 * MINUTE }],
  },
  'a table that is not there is told of, and the others are used': {
    controller: { global: { routeTableIDs: 'vtb-404,vtb-1' } },
    steps: [{ join: ['n1', 'n2'] }, { pass: A_PASS }],
  },
  'a table of another VPC is told of, and never touched': {
    cloud: OTHER_VPC,
    controller: { global: { routeTableIDs: 'vtb-9,vtb-1' } },
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }],
  },
  'tables are used although they may not be listed': {
    controller: { global: { routeTableIDs: 'vtb-1' } },
    steps: [forbidden('DescribeRouteTableList'), { join: ['n1'] }],
  },
  'a table that may not be found is told of': {
    steps: [forbidden('DescribeRouteTableList'), { join: ['n1'] }, { pass: A_PASS }, { faults: [] }, { pass: A_PASS }],
  },
  'routes that may not be made are told of, and made once they may': {
    steps: [forbidden('CreateRouteEntries'), { join: ['n1'] }, { pass: A_PASS }, { faults: [] }, { pass: A_PASS }],
  },
  'routes that may not be deleted are told of, and others are made': {
    steps: [{ join: ['n1', 'n2'] }, forbidden('DeleteRouteEntries'), { leave: ['n1'] }, { join: ['n3'] }],
  },
  'a full table is told of, and used again once there is room': {
    cloudSettings: { routesPerTable: 2 },
    steps: [{ join: ['n1', 'n2'] }, { join: ['n3'] }, { cloudSettings: { routesPerTable: 3 } }, { pass: A_PASS }],
  },
  'stale routes make room in a full table before new ones are made': {
    cloudSettings: { routesPerTable: 2 },
    cloud: table(
      { destination: '172.20.250.0/26', nextHopId: 'i-3' },
      { destination: '172.20.251.0/26', nextHopId: 'i-3' },
    ),
    steps: [{ join: ['n1', 'n2'] }],
  },
  'of more Nodes than a table holds as many are routed as it holds': {
    instances: 6,
    cloudSettings: { routesPerTable: 4 },
    steps: [{ join: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'] }, { leave: ['n1', 'n2', 'n3'] }, { pass: A_PASS }],
  },
  'a range outside the cluster’s is told of, and nobody else is concerned': {
    steps: [{ join: [on(1, { podCidrs: ['10.99.0.0/26'] }), 'n2'] }],
  },
  'of two Nodes with one range the older has the route': {
    steps: [
      { join: [on(1, { podCidrs: ['172.20.240.0/26'] })] },
      { join: [on(2, { podCidrs: ['172.20.240.0/26'] })] },
      { leave: ['n1'] },
    ],
  },
  'of two Nodes with overlapping ranges the older has the route': {
    steps: [
      { join: [on(1, { podCidrs: ['172.20.240.0/25'] })] },
      { join: [on(2, { podCidrs: ['172.20.240.64/26'] }), 'n3'] },
    ],
  },
  'a range of IPv6 alone is not for a cluster of IPv4': {
    steps: [{ join: [on(1, { podCidrs: ['fd00:99::/64'] }), 'n2'] }],
  },
  'a range that lies in a vSwitch is refused by the cloud, and nobody else is concerned': {
    cloud: { vSwitches: [{ id: 'vsw-7', vpcId: 'vpc-1', cidrBlock: '172.20.240.0/24' }] },
    steps: [{ join: [on(1, { podCidrs: ['172.20.240.0/26'] }), 'n2', 'n3'] }, { pass: A_PASS }],
  },
  'a table whose entries people have written in odd ways is read all the same': {
    cloud: table(
      { destination: '172.20.240.0/26', nextHopId: '', nextHopType: 'local' },
      { destination: '10.99.0.1/32', nextHopId: 'i-3' },
    ),
    steps: [{ join: ['n1'] }],
  },
  'two clusters in one VPC leave each other’s routes alone': {
    cloud: table(
      { destination: '172.21.0.0/26', nextHopId: 'i-3', description: 'portcullis: cluster c2, node other' },
      { destination: '172.21.0.64/26', nextHopId: 'i-3' },
    ),
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }],
  },
  'another cluster that writes at the same moment is waited for': {
    steps: [
      {
        call: 'CreateRouteEntry',
        with: {
          RouteTableId: 'vtb-1',
          DestinationCidrBlock: '172.21.0.0/26',
          NextHopType: 'Instance',
          NextHopId: 'i-3',
        },
      },
      { join: ['n1'] },
      { cloudSettings: { routeTransitionMs: 25_000 } },
      {
        call: 'CreateRouteEntry',
        with: {
          RouteTableId: 'vtb-1',
          DestinationCidrBlock: '172.21.0.64/26',
          NextHopType: 'Instance',
          NextHopId: 'i-3',
        },
      },
      { join: ['n2'] },
      { pass: MINUTE },
    ],
  },
  'names of Nodes may be long, dotted and numeric': {
    cloud: {
      instances: [
        ...(instance(4, {}).instances ?? []),
        ...(instance(5, {}).instances ?? []),
        ...(instance(6, {}).instances ?? []),
      ],
    },
    steps: [
      {
        join: [
          { name: '10.1.0.14', providerId: 'cn-hangzhou.i-4' },
          { name: `${'a-very-long-name-of-a-node.'.repeat(2)}example`, providerId: 'cn-hangzhou.i-5' },
          { name: 'cn-hangzhou.i-6000', providerId: 'cn-hangzhou.i-6' },
        ],
      },
    ],
  },
  'a Node whose name is another instance’s is who its provider ID says': {
    steps: [{ join: [{ name: 'cn-hangzhou.i-2', providerId: 'cn-hangzhou.i-1' }] }],
  },
};
