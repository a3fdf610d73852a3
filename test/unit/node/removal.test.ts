import assert from 'node:assert/strict';
import { removalCap, removalOf, type Absence } from '../../../src/node/removal.ts';
import type { Node } from '../../../src/objects.ts';
import { aNode } from '../../support/node.ts';

const SETTINGS = { regionId: 'cn-hangzhou', graceMs: 60_000, intervalMs: 30_000 };
const NOW = Date.parse('2026-01-01T12:00:00Z');
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

interface Said {
  readonly ready?: string;
  readonly sinceMs?: number;
  readonly ageMs?: number;
  readonly providerID?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly leaving?: true;
}

function gone({ ready = 'Unknown', sinceMs = 120_000, ageMs = 3_600_000, ...over }: Said = {}): Node {
  const node = aNode('a', { labels: over.labels ?? {}, spec: { providerID: over.providerID ?? 'cn-hangzhou.i-a' } });
  return {
    ...node,
    metadata: {
      ...node.metadata,
      creationTimestamp: ago(ageMs),
      ...(over.leaving === true ? { deletionTimestamp: ago(1) } : {}),
    },
    status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: ago(sinceMs) }] },
  };
}

const PROVEN: Absence = { uid: 'uid-a', firstMs: NOW - 30_000 };
const verdict = (node: Node, absence: Absence | 'none' = PROVEN): string =>
  removalOf(node, absence === 'none' ? undefined : absence, NOW, SETTINGS).kind;

describe('a Node whose instance is not answered', () => {
  const cases: Record<string, [actual: string, expected: string]> = {
    'is deleted at the second proof, an interval after the first': [verdict(gone()), 'delete'],
    'is deleted when the kubelet says that it is not ready': [verdict(gone({ ready: 'False' })), 'delete'],
    'is watched after the first proof': [verdict(gone(), 'none'), 'watch'],
    'is watched until the interval is over': [verdict(gone(), { uid: 'uid-a', firstMs: NOW - 29_999 }), 'watch'],
    'is watched when the first proof was of another Node of the name': [
      verdict(gone(), { ...PROVEN, uid: 'uid-b' }),
      'watch',
    ],
    'is watched while it was ready within the grace': [verdict(gone({ sinceMs: 59_999 })), 'watch'],
    'is watched while it is younger than the grace': [verdict(gone({ ageMs: 59_999 })), 'watch'],
    'is kept while its kubelet says that it is ready': [verdict(gone({ ready: 'True' })), 'keep'],
    'is kept in another region': [verdict(gone({ providerID: 'cn-beijing.i-a' })), 'keep'],
    'is kept when it is excluded': [verdict(gone({ labels: { 'service.alibabacloud.com/exclude-node': '' } })), 'keep'],
    'is kept when it is virtual': [verdict(gone({ labels: { type: 'virtual-kubelet' } })), 'keep'],
    'is kept without a provider ID': [verdict(gone({ providerID: '' })), 'keep'],
    'is kept when its provider ID is of another cloud': [verdict(gone({ providerID: 'aws:///a/i-1' })), 'keep'],
    'is kept when it is being deleted already': [verdict(gone({ leaving: true })), 'keep'],
  };
  for (const [sentence, [actual, expected]] of Object.entries(cases)) {
    it(sentence, () => assert.equal(actual, expected));
  }

  it('is one of a tenth at most, and of one at least', () => {
    assert.deepEqual([1, 9, 10, 19, 20, 1000].map(removalCap), [1, 1, 1, 1, 2, 100]);
  });
});
