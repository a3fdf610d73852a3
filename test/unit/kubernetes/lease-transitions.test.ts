import assert from 'node:assert/strict';
import { LeaseStore } from '../../support/lease-store.ts';
import { acquire } from '../../support/leadership.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** The number of transitions shows whether another controller led in the meantime. */
describe('a leader', () => {
  it('gets the number of transitions of the Lease, including the transition to itself', async () => {
    const clock = new VirtualClock();
    const store = new LeaseStore(clock);
    const counts: (number | undefined)[] = [];
    for (const identity of ['one', 'two', 'three']) {
      const { transitions, release } = await acquire(store, clock, identity);
      counts.push(transitions);
      await release();
    }
    assert.deepEqual(counts, [0, 1, 2]);
  });
});
