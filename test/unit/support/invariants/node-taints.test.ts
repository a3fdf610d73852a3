import type { Node } from '../../../../src/base/kubernetes-objects.ts';
import { aNode } from '../../../support/node.ts';
import { testInvariant, stored } from '../../../support/invariants/history-builders.ts';
import { taintsCorrect } from '../../../support/invariants/invariants/node-taints.ts';

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

/** Pods on a Node without its instance or its routes are unreachable. */
testInvariant(taintsCorrect, {
  keep: {
    'the Node is initialized and waits for its route': [letInAs(aNode('n1', WAITS))],
    'the Node is excluded, and needs no route': [letInAs(aNode('n1', { labels: EXCLUDED }))],
    'the condition of a plugin is replaced when all routes exist': [repaired([])],
    'a Node with an instance is initialized': [letIn(true)],
    'the network is reported as available when all routes exist': [available([])],
    'the Node is excluded, and no longer waits for a route': [released(EXCLUDED)],
    'another controller initializes the Node': [{ ...letIn(false), by: 'others' }],
  },
  break: {
    'the Node is initialized without a route': [letInAs(aNode('n1'))],
    'the condition of a plugin is replaced although a route is missing': [repaired(['172.20.1.0/24'])],
    'the Node is not excluded, and no longer waits for its route': [released({})],
    'the Node is initialized without an instance': [letIn(false)],
    'the network is reported as available without a route': [available(['172.20.1.0/24'])],
  },
});
