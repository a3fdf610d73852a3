import assert from 'node:assert/strict';
import { objectKey, type Node } from '../../../src/base/kubernetes-objects.ts';
import { watchedUntil, type Change, type Watched } from '../../../src/base/cache-interfaces.ts';
import { aNode } from '../../support/node.ts';

interface WatchEvents {
  readonly watched: Watched<Node>;
  readonly notify: (change: Change<Node>) => void;
  readonly sync: () => void;
}

/** Returns a cache of one Node, whose events a test sends. */
function cacheOf(node: Node): WatchEvents {
  const handlers: ((change: Change<Node>) => void)[] = [];
  const synced: (() => void)[] = [];
  const watched: Watched<Node> = {
    size: 1,
    get: (key) => (key === objectKey(node.metadata.name) ? node : undefined),
    values: () => [node],
    byIndex: (index) => (index === 'all' ? [node] : []),
    hasSynced: () => true,
    onSynced: (handler) => void synced.push(handler),
    onChange: (handler) => void handlers.push(handler),
  };
  return {
    watched,
    notify: (change) => handlers.forEach((handler) => handler(change)),
    sync: () => synced.forEach((handler) => handler()),
  };
}

/** The caches outlive the controllers, which restart with a new configuration, so the handlers of ended controllers would leak memory. */
describe('a cache with a temporary watch', () => {
  it('is the same cache, and reports its first list and changes until the end of the watch', () => {
    const node = aNode('n1');
    const { watched, notify, sync } = cacheOf(node);
    const time = new AbortController();
    const until = watchedUntil(watched, time.signal);
    const seen: Change<Node>[] = [];
    until.onChange((change) => seen.push(change));
    let lists = 0;
    until.onSynced(() => (lists += 1));
    notify({ after: node });
    sync();
    time.abort();
    notify({ before: node });
    sync();
    assert.deepEqual([seen, lists], [[{ after: node }], 1]);
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
