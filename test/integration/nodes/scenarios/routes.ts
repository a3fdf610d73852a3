import type { Scenarios } from '../../../support/node-world/scenario.ts';
import {
  A_PASS,
  AN_AUDIT,
  label,
  MINUTE,
  on,
  SECOND,
  SECOND_TABLE,
  table,
} from '../../../support/node-world/scenario-parts.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);
const byHand = (destination: string, instanceId: string, tableId = 'vtb-1') => ({
  call: 'CreateRouteEntry',
  with: { RouteTableId: tableId, DestinationCidrBlock: destination, NextHopType: 'Instance', NextHopId: instanceId },
});
const takenByHand = (destination: string, instanceId: string) => ({
  call: 'DeleteRouteEntry',
  with: { RouteTableId: 'vtb-1', DestinationCidrBlock: destination, NextHopId: instanceId },
});

/** Returns the primary interface of an instance such as `i-7`, open for packets of pods. */
const openInterface = (index: number) => ({
  type: 'Primary' as const,
  instanceId: `i-${index}`,
  vSwitchId: 'vsw-1',
  privateAddresses: [`10.1.0.${index + 10}`],
  sourceDestCheck: false,
});

/** Scenarios of routes. Without its route, the pods of a Node are unreachable. `scenarios.test.ts` plays them. */
export const ROUTES: Scenarios = {
  'three Nodes that join together get their routes with one call': { steps: [{ join: ['n1', 'n2', 'n3'] }] },
  'a deleted Node loses its route': { steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }] },
  'the routes of the last Nodes remain until there are Nodes again': {
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1', 'n2'] }, { pass: A_PASS }, { join: ['n3'] }],
  },
  'sixty Nodes take two calls': { instances: 60, steps: [{ join: many(60) }] },
  'the single table of the VPC is found': { steps: [{ join: ['n1'] }] },
  'a configured table is used': { controller: { global: { routeTableIDs: 'vtb-1' } }, steps: [{ join: ['n1'] }] },
  'every configured table has a route to every Node': {
    cloud: SECOND_TABLE,
    controller: { global: { routeTableIDs: 'vtb-1,vtb-2' } },
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }],
  },
  'only configured tables change': {
    cloud: SECOND_TABLE,
    controller: { global: { routeTableIDs: 'vtb-2' } },
    steps: [{ join: ['n1'] }],
  },
  'a table that is configured twice is used once': {
    controller: { global: { routeTableIDs: 'vtb-1, vtb-1' } },
    steps: [{ join: ['n1'] }],
  },
  'a Node has NetworkUnavailable False once all tables have its route': {
    cloud: SECOND_TABLE,
    controller: { global: { routeTableIDs: 'vtb-1,vtb-2' } },
    cloudSettings: { routesPerTable: 1 },
    steps: [{ call: 'CreateRouteEntry', with: byHand('192.168.7.0/24', 'i-3', 'vtb-2').with }, { join: ['n1'] }],
  },
  'a route to another instance is replaced in place': {
    isUnattended: true,
    steps: [{ join: ['n1', 'n2'] }, byHand('{n1/0}', 'i-3'), { controller: 'starts' }],
  },
  'a Node that is created again on another instance has its route replaced': {
    steps: [
      { join: [on(1, { podCidrs: ['172.20.240.0/26'] }), 'n2'] },
      { controller: 'stops' },
      { leave: ['n1'] },
      { join: [on(1, { podCidrs: ['172.20.240.0/26'], providerId: 'cn-hangzhou.i-3' })] },
      { controller: 'starts' },
    ],
  },
  'a route to another kind of next hop is unchanged and reported': {
    cloud: table({ destination: '172.20.240.0/26', nextHopType: 'RouterInterface', nextHopId: 'ri-1' }),
    steps: [{ join: [on(1, { podCidrs: ['172.20.240.0/26'] }), 'n2'] }],
  },
  'a missing route is created once a user deletes the conflicting route': {
    cloud: table({ id: 'rte-1', destination: '172.20.240.0/26', nextHopType: 'RouterInterface', nextHopId: 'ri-1' }),
    steps: [
      { join: [on(1, { podCidrs: ['172.20.240.0/26'] }), 'n2'] },
      { call: 'DeleteRouteEntry', with: { RouteEntryId: 'rte-1' } },
      { pass: A_PASS },
    ],
  },
  'user-managed routes outside the pod ranges are unchanged': {
    cloud: table(
      { destination: '0.0.0.0/0', nextHopId: 'i-3' },
      { destination: '192.168.0.0/24', nextHopId: 'i-3' },
      { destination: '172.20.0.0/16', nextHopId: 'i-3' },
      { destination: '172.16.0.0/12', nextHopId: 'i-3' },
    ),
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }],
  },
  'a user-managed route inside the range of a Node is deleted': {
    cloud: table({ destination: '172.20.240.32/27', nextHopId: 'i-3' }),
    steps: [{ join: [on(1, { podCidrs: ['172.20.240.0/26'] })] }],
  },
  'a user-managed route to several gateways inside the pod ranges is unchanged': {
    cloud: table({ destination: '172.20.250.0/26', nextHopType: 'HaVip', nextHopId: 'havip-1' }),
    steps: [{ join: ['n1'] }],
  },
  'routes to instances that are no longer Nodes are deleted': {
    cloud: table(
      { destination: '172.20.250.0/26', nextHopId: 'i-3' },
      { destination: '172.20.251.0/26', nextHopId: 'i-77' },
    ),
    steps: [{ join: ['n1'] }],
  },
  'routes of the existing controller are adopted without a call': {
    isUnattended: true,
    cloud: { networkInterfaces: [1, 2].map(openInterface) },
    steps: [
      { join: [on(1, { isExternal: false }), on(2, { isExternal: false })] },
      byHand('{n1/0}', 'i-1'),
      byHand('{n2/0}', 'i-2'),
      { controller: 'starts' },
    ],
  },
  'a route that a user deletes is restored by the next audit': {
    steps: [{ join: ['n1', 'n2'] }, takenByHand('{n1/0}', 'i-1'), { pass: AN_AUDIT }],
  },
  'a route that a user changes is restored by the next audit': {
    steps: [{ join: ['n1', 'n2'] }, takenByHand('{n1/0}', 'i-1'), byHand('{n1/0}', 'i-3'), { pass: AN_AUDIT }],
  },
  'a Node with Ready Unknown keeps its route': {
    steps: [{ join: ['n1', 'n2'] }, { ready: 'Unknown', of: ['n1'] }, { pass: A_PASS }],
  },
  'a Node with Ready Unknown gets no new route until it is ready': {
    isUnattended: true,
    steps: [
      { join: ['n1', 'n2'] },
      { ready: 'Unknown', of: ['n1'] },
      { controller: 'starts' },
      { ready: 'True', of: ['n1'] },
    ],
  },
  'a change of a slow table is awaited for half a minute': {
    cloudSettings: { routeTransitionMs: 30_000 },
    steps: [{ join: ['n1'] }, { pass: MINUTE }, { join: ['n2'] }, { pass: MINUTE }],
  },
  'a change is retried while another client changes routes of the VPC': {
    steps: [
      { faults: [{ action: 'CreateRouteEntries', effect: 'reject', code: 'TaskConflict', count: 3 }] },
      { join: ['n1'] },
      { pass: MINUTE },
    ],
  },
  'a change without a response is looked up and not repeated': {
    steps: [
      { faults: [{ action: 'CreateRouteEntries', effect: 'timeout-after-commit' }] },
      { join: ['n1', 'n2'] },
      { pass: MINUTE },
    ],
  },
  'a change that takes effect late is not repeated': {
    steps: [
      { faults: [{ action: 'CreateRouteEntries', effect: 'late-commit', ms: 12_000 }] },
      { join: ['n1', 'n2'] },
      { pass: 2 * MINUTE },
    ],
  },
  'a deletion without a response is looked up': {
    steps: [
      { join: ['n1', 'n2'] },
      { faults: [{ action: 'DeleteRouteEntries', effect: 'cut-after-commit' }] },
      { leave: ['n1'] },
      { pass: MINUTE },
    ],
  },
  'an outdated list of routes deletes no route of a Node': {
    steps: [
      { join: ['n1', 'n2'] },
      { faults: [{ action: 'DescribeRouteEntryList', effect: 'stale-list', ms: 3_600_000, count: 2 }] },
      { controller: 'dies' },
      { controller: 'starts' },
      { pass: MINUTE },
    ],
  },
  'an unreadable table changes nothing, and its Nodes keep their conditions': {
    steps: [
      { join: ['n1', 'n2'] },
      { controller: 'stops' },
      { leave: ['n1'] },
      {
        faults: [
          { action: 'DescribeRouteEntryList', effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' },
        ],
      },
      { controller: 'starts' },
      { pass: A_PASS },
    ],
  },
  'a Node that joins while no controller runs gets its route from the next one': {
    steps: [{ join: ['n1'] }, { controller: 'dies' }, { join: ['n2'] }, { controller: 'starts' }, { pass: 5 * SECOND }],
  },
  'the description of a released route does not identify a Node': {
    cloud: table({
      destination: '172.20.250.0/26',
      nextHopId: 'i-3',
      description: 'portcullis: released, its node is excluded',
    }),
    steps: [{ join: ['n1'] }, label('n1', { 'example.com/any': 'thing' })],
  },
};
