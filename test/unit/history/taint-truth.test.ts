import type { Node } from '../../../src/base/objects.ts';
import { aNode } from '../../support/node.ts';
import { judges, stored } from '../../support/history/build.ts';
import { taintTruth } from '../../support/history/invariants/taint-truth.ts';

const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }];
const network = (status: string, reason?: string): Node => ({
  ...aNode('n1'),
  status: { conditions: [{ type: 'NetworkUnavailable', status, ...(reason === undefined ? {} : { reason }) }] },
});
const EXCLUDED = { 'service.alibabacloud.com/exclude-node': '' };
const WAITS = { spec: { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] } };
const byUs = { plural: 'nodes', by: 'controller' } as const;
const letIn = (hasInstance: boolean) =>
  stored(aNode('n1', { spec: { taints } }), aNode('n1'), { ...byUs, node: { hasInstance, unrouted: [] } });
const available = (unrouted: readonly string[]) =>
  stored(network('True'), network('False'), { ...byUs, node: { hasInstance: true, unrouted } });

const unrouted = { hasInstance: true, unrouted: ['172.20.1.0/24'] };
const letInAs = (after: Node) => stored(aNode('n1', { spec: { taints } }), after, { ...byUs, node: unrouted });
const repaired = (of: readonly string[]) =>
  stored(network('False', 'FlannelIsUp'), network('False', 'RouteCreated'), {
    ...byUs,
    node: { hasInstance: true, unrouted: of },
  });

const released = (labels: Readonly<Record<string, string>>) => {
  const after: Node = { ...network('False', 'RoutesNotManaged'), metadata: aNode('n1', { labels }).metadata };
  return stored(network('True', 'NoRouteCreated'), after, { ...byUs, node: unrouted });
};

judges(taintTruth, {
  keep: {
    'it is let in and waits for its route': [letInAs(aNode('n1', WAITS))],
    'it is excluded, and needs no route': [letInAs(aNode('n1', { labels: EXCLUDED }))],
    'what a plugin said is put right once all routes are there': [repaired([])],
    'the instance is there': [letIn(true)],
    'all routes are there': [available([])],
    'it is excluded, and waits no more for a route that nobody makes': [released(EXCLUDED)],
    'somebody else lets it in': [{ ...letIn(false), by: 'others' }],
  },
  break: {
    'it is let in without a route': [letInAs(aNode('n1'))],
    'what a plugin said is put down to routes that are not there': [repaired(['172.20.1.0/24'])],
    'it is not excluded, and waits no more for its route': [released({})],
    'it is let in without an instance': [letIn(false)],
    'its network is said to be available without a route': [available(['172.20.1.0/24'])],
  },
});
