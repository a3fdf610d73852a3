import assert from 'node:assert/strict';
import { objectKey, type Node } from '../../src/objects.ts';
import { watchedUntil, type Change, type Watched } from '../../src/store.ts';
import { aNode } from '../support/node.ts';

/** A cache of one Node whose changes a test tells. */
function cacheOf(node: Node): { readonly watched: Watched<Node>; readonly tell: (change: Change<Node>) => void } {
  const handlers: ((change: Change<Node>) => void)[] = [];
  const watched: Watched<Node> = {
    size: 1,
    get: (key) => (key === objectKey(node.metadata.name) ? node : undefined),
    values: () => [node],
    byIndex: (index) => (index === 'all' ? [node] : []),
    hasSynced: () => true,
    onChange: (handler) => void handlers.push(handler),
  };
  return { watched, tell: (change) => handlers.forEach((handler) => handler(change)) };
}

describe('a cache that is watched for a time', () => {
  it('is the same cache, and tells of changes until its time is over', () => {
    const node = aNode('n1');
    const { watched, tell } = cacheOf(node);
    const time = new AbortController();
    const until = watchedUntil(watched, time.signal);
    const seen: Change<Node>[] = [];
    until.onChange((change) => seen.push(change));
    tell({ after: node });
    time.abort();
    tell({ before: node });
    assert.deepEqual(seen, [{ after: node }]);
    assert.deepEqual(
      [
        until.size,
        until.get(objectKey(node.metadata.name)),
        [...until.values()],
        until.byIndex('all', ''),
        until.hasSynced(),
      ],
      [1, node, [node], [node], true],
    );
  });
});
