import type { Scenarios } from '../../../support/node-world/scenario.ts';
import {
  A_PASS,
  instance,
  MINUTE,
  on,
  OTHER_VPC,
  SECOND_TABLE,
  table,
} from '../../../support/node-world/scenario-parts.ts';

const forbidden = (action: string) => ({
  faults: [{ action, effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' } as const],
});

/** Scenarios of failures in the cluster or the cloud, which events and conditions must report. `scenarios.test.ts` plays them. */
export const EDGE_CASES: Scenarios = {
  'several tables without a configured table are reported': {
    cloud: SECOND_TABLE,
    steps: [{ join: ['n1'] }, { pass: 10 * MINUTE }],
  },
  'a missing VPC has no table': {
    controller: { global: { vpcid: 'vpc-404' } },
    steps: [{ join: ['n1'] }, { pass: 10 * MINUTE }],
  },
  'a missing table is reported, and the other tables are used': {
    controller: { global: { routeTableIDs: 'vtb-404,vtb-1' } },
    steps: [{ join: ['n1', 'n2'] }, { pass: A_PASS }],
  },
  'a table of another VPC is reported, and never changed': {
    cloud: OTHER_VPC,
    controller: { global: { routeTableIDs: 'vtb-9,vtb-1' } },
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }],
  },
  'configured tables are used without the permission to list tables': {
    controller: { global: { routeTableIDs: 'vtb-1' } },
    steps: [forbidden('DescribeRouteTableList'), { join: ['n1'] }],
  },
  'a missing permission to find the table is reported': {
    steps: [forbidden('DescribeRouteTableList'), { join: ['n1'] }, { pass: A_PASS }, { faults: [] }, { pass: A_PASS }],
  },
  'a missing permission to create routes is reported until it is granted': {
    steps: [forbidden('CreateRouteEntries'), { join: ['n1'] }, { pass: A_PASS }, { faults: [] }, { pass: A_PASS }],
  },
  'a missing permission to delete routes is reported, and new routes are created': {
    steps: [{ join: ['n1', 'n2'] }, forbidden('DeleteRouteEntries'), { leave: ['n1'] }, { join: ['n3'] }],
  },
  'a full table is reported, and used again once it has capacity': {
    cloudSettings: { routesPerTable: 2 },
    steps: [{ join: ['n1', 'n2'] }, { join: ['n3'] }, { cloudSettings: { routesPerTable: 3 } }, { pass: A_PASS }],
  },
  'stale routes in a full table are deleted before new ones are created': {
    cloudSettings: { routesPerTable: 2 },
    cloud: table(
      { destination: '172.20.250.0/26', nextHopId: 'i-3' },
      { destination: '172.20.251.0/26', nextHopId: 'i-3' },
    ),
    steps: [{ join: ['n1', 'n2'] }],
  },
  'a full table has routes of as many Nodes as possible': {
    instances: 6,
    cloudSettings: { routesPerTable: 4 },
    steps: [{ join: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'] }, { leave: ['n1', 'n2', 'n3'] }, { pass: A_PASS }],
  },
  'a range outside the cluster’s is reported, and affects no other Node': {
    steps: [{ join: [on(1, { podCidrs: ['10.99.0.0/26'] }), 'n2'] }],
  },
  'the older of two Nodes with one range has the route': {
    steps: [
      { join: [on(1, { podCidrs: ['172.20.240.0/26'] })] },
      { join: [on(2, { podCidrs: ['172.20.240.0/26'] })] },
      { leave: ['n1'] },
    ],
  },
  'the older of two Nodes with overlapping ranges has the route': {
    steps: [
      { join: [on(1, { podCidrs: ['172.20.240.0/25'] })] },
      { join: [on(2, { podCidrs: ['172.20.240.64/26'] }), 'n3'] },
    ],
  },
  'an IPv6 range gets no route in an IPv4 cluster': {
    steps: [{ join: [on(1, { podCidrs: ['fd00:99::/64'] }), 'n2'] }],
  },
  'a range inside a vSwitch is rejected by the cloud, and affects no other Node': {
    cloud: { vSwitches: [{ id: 'vsw-7', vpcId: 'vpc-1', cidrBlock: '172.20.240.0/24' }] },
    steps: [{ join: [on(1, { podCidrs: ['172.20.240.0/26'] }), 'n2', 'n3'] }, { pass: A_PASS }],
  },
  'a table with unusual notations of ranges is read': {
    cloud: table(
      { destination: '172.20.240.0/26', nextHopId: '', nextHopType: 'local' },
      { destination: '10.99.0.1/32', nextHopId: 'i-3' },
    ),
    steps: [{ join: ['n1'] }],
  },
  'two clusters in one VPC keep each other’s routes': {
    cloud: table(
      { destination: '172.21.0.0/26', nextHopId: 'i-3', description: 'portcullis: cluster c2, node other' },
      { destination: '172.21.0.64/26', nextHopId: 'i-3' },
    ),
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }],
  },
  'a concurrent change of another cluster is awaited': {
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
  'names of Nodes can be long, dotted and numeric': {
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
  'a Node whose name is another instance is identified by its provider ID': {
    steps: [{ join: [{ name: 'cn-hangzhou.i-2', providerId: 'cn-hangzhou.i-1' }] }],
  },
};
