import { PODS, PODS_IPV6 } from '../../../support/node-world/node-cluster.ts';
import type { Scenario, Scenarios } from '../../../support/node-world/scenario.ts';
import { A_PASS, AN_AUDIT, on, SECOND_TABLE } from '../../../support/node-world/scenario-parts.ts';

const dual = ({ controller = {}, ...rest }: Scenario): Scenario => ({
  ...rest,
  controller: {
    flags: [`--cluster-cidr=${PODS},${PODS_IPV6}`, ...(controller.flags ?? [])],
    global: { featureGates: 'IPv6DualStack=true', ...controller.global },
  },
});

/** Scenarios of clusters with two address families, in which a Node needs a route of each family. `scenarios.test.ts` plays them. */
export const DUAL_STACK: Scenarios = {
  'a Node has a route of each family': dual({ steps: [{ join: ['n1', 'n2'] }] }),
  'a deleted Node loses its routes of both families': dual({ steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }] }),
  'a Node has a route of each family in every table': dual({
    cloud: SECOND_TABLE,
    controller: { global: { routeTableIDs: 'vtb-1,vtb-2' } },
    steps: [{ join: ['n1'] }],
  }),
  'a controller with the ranges in reverse order creates the same routes': dual({
    controller: { flags: [`--cluster-cidr=${PODS_IPV6},${PODS}`] },
    steps: [{ join: ['n1'] }],
  }),
  'a controller with a range of one family ignores the other family': {
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }],
  },
  'a controller with an IPv6 range only routes IPv6': dual({
    controller: { flags: [`--cluster-cidr=${PODS_IPV6}`] },
    steps: [{ join: ['n1', 'n2'] }, { leave: ['n1'] }],
  }),
  'a Node with one of two routes has NetworkUnavailable True': dual({
    cloudSettings: { routesPerTable: 1 },
    steps: [{ join: ['n1'] }, { cloudSettings: { routesPerTable: 2 } }, { pass: A_PASS }],
  }),
  'a Node with a range of one family has one route': dual({
    steps: [{ join: [on(1, { podCidrs: ['172.20.240.0/26'] }), on(2, { podCidrs: ['fd00:172:20:f000::/64'] })] }],
  }),
  'an IPv6 route that a user deletes is restored by the next audit': dual({
    steps: [
      { join: ['n1'] },
      {
        call: 'DeleteRouteEntry',
        with: { RouteTableId: 'vtb-1', DestinationCidrBlock: '{n1/1}', NextHopId: 'i-1' },
      },
      { pass: AN_AUDIT },
    ],
  }),
  'Nodes deleted while no controller runs leave no routes of either family': dual({
    steps: [{ join: ['n1', 'n2'] }, { controller: 'stops' }, { leave: ['n1'] }, { controller: 'starts' }],
  }),
};
