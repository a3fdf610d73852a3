import type { Node } from '../../../../src/base/kubernetes-objects.ts';
import { aNode } from '../../../support/node.ts';
import { called, testInvariant, stored } from '../../../support/invariants/history-builders.ts';
import { nodeDeleteProof } from '../../../support/invariants/invariants/node-delete-proof.ts';

const node = (ready: string): Node => ({
  ...aNode('n1', { spec: { providerID: 'cn-hangzhou.i-1' } }),
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const looked = (at: number, outcome = 'OK', id = 'i-1') =>
  called('DescribeInstances', { at, outcome, parameters: { InstanceIds: `["i-7","${id}"]` }, missing: [id] });
const found = (at: number) => called('DescribeInstances', { at, parameters: { InstanceIds: '["i-1"]' } });
const deleted = (ready = 'Unknown', hasInstance = false) =>
  stored(node(ready), undefined, {
    plural: 'nodes',
    by: 'controller',
    at: 60,
    node: { hasInstance, unrouted: [] },
  });
const twice = [...looked(0), ...looked(30)];

/** The deletion of a Node evicts its pods, so it needs proof that the instance is gone. */
testInvariant(nodeDeleteProof, {
  keep: {
    'two lookups of its instance found nothing': [...twice, deleted()],
    'a user deletes the Node': [{ ...deleted('True'), by: 'others' }],
  },
  break: {
    'the Node is ready': [...twice, deleted('True')],
    'its instance exists': [...twice, deleted('Unknown', true)],
    'its instance was looked up once': [...looked(0), deleted()],
    'both lookups were at the same time': [...looked(0), ...looked(1), deleted()],
    'the first or second lookup failed': [...looked(0, 'InternalError'), ...looked(30), deleted()],
    'its instance existed at the first lookup': [...found(0), ...looked(30), deleted()],
    'another instance was looked up': [...looked(0, 'OK', 'i-12'), ...looked(30, 'OK', 'i-12'), deleted()],
  },
});
