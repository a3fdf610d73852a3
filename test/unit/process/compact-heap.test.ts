import assert from 'node:assert/strict';
import { compactHeap } from '../../../src/process/compact-heap.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** Runs `compactHeap` with a queue of the given size, and records the collections. */
function started(size: number) {
  const [clock, queue, stop, before] = [new VirtualClock(), { size }, new AbortController(), globalThis.gc];
  const collections: unknown[] = [];
  globalThis.gc = async (options: unknown) => void collections.push(options);
  const ended = compactHeap([queue, { size: 0 }], clock, stop.signal).finally(() => {
    globalThis.gc = before;
  });
  return { clock, queue, stop, collections, ended };
}

/** The first reconciles leave a fragmented heap, whose unused memory the process would never return without a compaction. */
describe('the heap of the controller', () => {
  it('is compacted once, when no queue has a key', async () => {
    const { clock, queue, collections, ended } = started(3);
    await clock.advance(60_000);
    assert.deepEqual(collections, []);
    queue.size = 0;
    await clock.advance(5_000);
    await ended;
    assert.deepEqual(collections, [{ type: 'major', execution: 'async', flavor: 'last-resort' }]);
  });

  it('is not compacted by a process that stops', async () => {
    const { stop, collections, ended } = started(3);
    stop.abort();
    await ended;
    assert.deepEqual(collections, []);
  });
});
