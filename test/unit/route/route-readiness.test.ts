import assert from 'node:assert/strict';
import { desiredRoutes } from '../../../src/route/desired.ts';
import type { RouteEntry } from '../../../src/route/route.ts';
import type { RouteSettings } from '../../../src/route/settings.ts';
import { routeStates } from '../../../src/route/route-readiness.ts';
import { aNode } from '../../support/node.ts';
import { range } from '../../support/cidr.ts';

const SETTINGS: RouteSettings = { regionId: 'cn-hangzhou', clusterId: 'c1', clusterCidrs: [range('172.20.0.0/16')] };

const entry = (destination: string, instanceId: string): RouteEntry => ({
  ...{ tableId: 'vtb-1', id: `rte-${destination}`, destination, instanceId },
  ...{ status: 'Available', description: '' },
});

/** The state decides whether a Node may accept pods. */
describe('the routes of a Node are', () => {
  const { routes } = desiredRoutes([aNode('a', { spec: { podCIDRs: ['172.20.1.0/24'] } })], SETTINGS);
  const state = (tables: readonly (readonly RouteEntry[])[], isComplete = true): string | undefined =>
    routeStates(routes, new Map(tables.map((table, index) => [`vtb-${index}`, table])), isComplete).get('a');
  const there = entry('172.20.1.0/24', 'i-a');
  const cases: Record<string, [actual: string | undefined, expected: string]> = {
    'ready if they are available in every table': [state([[there], [there]]), 'ready'],
    'pending while a route is not available yet': [state([[there], [{ ...there, status: 'Pending' }]]), 'pending'],
    'missing if a table lacks the route': [state([[there], []]), 'missing'],
    'missing if a route has another next hop': [state([[entry('172.20.1.0/24', 'i-x')]]), 'missing'],
    'unknown if a table could not be read': [state([[there]], false), 'unknown'],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.equal(actual, expected));
  }
});
