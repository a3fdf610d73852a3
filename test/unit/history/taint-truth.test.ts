import type { Node } from '../../../src/objects.ts';
import { aNode } from '../../support/node.ts';
import { judges, stored } from '../../support/history/build.ts';
import { taintTruth } from '../../support/history/invariants/taint-truth.ts';

const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }];
const network = (status: string): Node => ({
  ...aNode('n1'),
  status: { conditions: [{ type: 'NetworkUnavailable', status }] },
});
const byUs = { plural: 'nodes', by: 'controller' } as const;
const letIn = (hasInstance: boolean) =>
  stored(aNode('n1', { spec: { taints } }), aNode('n1'), { ...byUs, node: { hasInstance, unrouted: [] } });
const available = (unrouted: readonly string[]) =>
  stored(network('True'), network('False'), { ...byUs, node: { hasInstance: true, unrouted } });

judges(taintTruth, {
  keep: {
    'the instance is there': [letIn(true)],
    'all routes are there': [available([])],
    'somebody else lets it in': [{ ...letIn(false), by: 'others' }],
  },
  break: {
    'it is let in without an instance': [letIn(false)],
    'its network is said to be available without a route': [available(['172.20.1.0/24'])],
  },
});
