import assert from 'node:assert/strict';
import { backoffMs, jitteredBackoffMs, spreadMs } from '../../../src/base/backoff.ts';

/** Without a random part, all failed keys would retry at the same time. */
describe('back-off', () => {
  const range = { baseMs: 800, maxMs: 30_000 };

  it('doubles with each failure up to its maximum', () => {
    assert.deepEqual(
      [1, 2, 3, 7, 5000].map((failures) => backoffMs(range, failures)),
      [800, 1600, 3200, 30_000, 30_000],
    );
  });

  it('is random between half of the wait and the whole wait, but at least the base', () => {
    assert.deepEqual(
      [0, 1].map((chance) => jitteredBackoffMs(range, 3, () => chance)),
      [1600, 3200],
    );
    assert.equal(
      jitteredBackoffMs(range, 1, () => 0),
      800,
    );
  });
});

describe('a period', () => {
  it('is randomized by a tenth in both directions', () =>
    assert.deepEqual(
      [0, 0.5, 1].map((chance) => spreadMs(1_000, () => chance)),
      [900, 1_000, 1_100],
    ));
});
