import assert from 'node:assert/strict';
import { TokenBucket } from '../../../src/base/token-bucket.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** All clients of the API server share its capacity, so each client limits its own rate. */
describe('a token bucket', () => {
  it('allows a burst, then spaces calls by the rate', () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 2 }, new VirtualClock());
    assert.deepEqual(
      [1, 2, 3, 4].map(() => bucket.take()),
      [0, 0, 100, 200],
    );
  });

  it('is refilled up to the burst', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket({ perSecond: 10, burst: 2 }, clock);
    bucket.take();
    await clock.advance(60_000);
    assert.deepEqual(
      [1, 2, 3].map(() => bucket.tryTake()),
      [true, true, false],
    );
  });

  it('never delays at an infinite rate', () => {
    const bucket = new TokenBucket({ perSecond: Infinity, burst: 1 }, new VirtualClock());
    assert.deepEqual(
      [1, 2, 3].map(() => bucket.take()),
      [0, 0, 0],
    );
    assert.equal(bucket.tryTake(), true);
  });
});
