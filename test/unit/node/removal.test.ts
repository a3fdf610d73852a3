import assert from 'node:assert/strict';
import { removalCap, removalOf, type RemovalEvidence } from '../../../src/node/removal.ts';
import type { Node } from '../../../src/base/kubernetes-objects.ts';
import { aNode } from '../../support/node.ts';

const SETTINGS = { regionId: 'cn-hangzhou', graceMs: 60_000, intervalMs: 30_000 };
const NOW = 3_600_000;

interface NodeInput {
  readonly ready?: string;
  readonly providerID?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly isDeleting?: true;
}

function missing({ ready = 'Unknown', ...over }: NodeInput = {}): Node {
  const node = aNode('a', { labels: over.labels ?? {}, spec: { providerID: over.providerID ?? 'cn-hangzhou.i-a' } });
  return {
    ...node,
    metadata: {
      ...node.metadata,
      ...(over.isDeleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

const seen = (ms: number, uid = 'uid-a') => ({ uid, firstMs: NOW - ms });
const PROVEN: RemovalEvidence = { notReady: seen(60_000), absence: seen(30_000) };
const verdict = (node: Node, over: Partial<RemovalEvidence> = {}): string =>
  removalOf(node, { ...PROVEN, ...over }, NOW, SETTINGS).kind;

/** A Node is deleted only with proof that its instance is gone, because the deletion evicts its pods. */
describe('a Node with a missing instance', () => {
  const cases: Record<string, [actual: string, expected: string]> = {
    'is deleted at the second proof, an interval after the first': [verdict(missing()), 'delete'],
    'is deleted if the kubelet reports it as not ready': [verdict(missing({ ready: 'False' })), 'delete'],
    'is observed after the first proof': [verdict(missing(), { absence: seen(0) }), 'watch'],
    'is observed until the interval is over': [verdict(missing(), { absence: seen(29_999) }), 'watch'],
    'is observed if the first proof was for another Node with the same name': [
      verdict(missing(), { absence: seen(30_000, 'uid-b') }),
      'watch',
    ],
    'is observed while it was ready within the grace period': [verdict(missing(), { notReady: seen(59_999) }), 'watch'],
    'is observed while its missing heartbeats are not confirmed': [
      verdict(missing(), { notReady: undefined }),
      'watch',
    ],
    'is observed if another Node with the same name missed the heartbeats': [
      verdict(missing(), { notReady: seen(60_000, 'uid-b') }),
      'watch',
    ],
    'is kept while its kubelet reports it as ready': [verdict(missing({ ready: 'True' })), 'keep'],
    'is kept in another region': [verdict(missing({ providerID: 'cn-beijing.i-a' })), 'keep'],
    'is kept if it is excluded': [
      verdict(missing({ labels: { 'service.alibabacloud.com/exclude-node': '' } })),
      'keep',
    ],
    'is kept if it is virtual': [verdict(missing({ labels: { type: 'virtual-kubelet' } })), 'keep'],
    'is kept without a provider ID': [verdict(missing({ providerID: '' })), 'keep'],
    'is kept if its provider ID is of another cloud': [verdict(missing({ providerID: 'aws:///a/i-1' })), 'keep'],
    'is kept if it is being deleted already': [verdict(missing({ isDeleting: true })), 'keep'],
  };
  for (const [title, [actual, expected]] of Object.entries(cases)) {
    it(title, () => assert.equal(actual, expected));
  }

  it('can be deleted together with at most a tenth of all Nodes, but always as a single Node', () => {
    assert.deepEqual([1, 9, 10, 19, 20, 1000].map(removalCap), [1, 1, 1, 1, 2, 100]);
  });
});
