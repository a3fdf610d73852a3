import assert from 'node:assert/strict';
import { API_SERVER, MINUTE, inventoryBench, owned, reusable } from '../../support/inventory-fixture.ts';

/** The inventory reads the region each minute, so its calls must leave the quota to Services. */
describe('the calls and writes of the inventory', () => {
  for (const [ours, free, expected] of [
    [0, 0, 1],
    [1, 0, 1],
    [90, 10, 1 + 1],
    [90, 11, 2 + 2],
    [150, 100, 3 + 10],
  ] as const) {
    it(`are ${expected} calls per minute for ${ours} owned and ${free} reusable load balancers`, async () => {
      await using bench = inventoryBench({ loadBalancers: [...owned(ours), ...reusable(free)] });
      await bench.clock.advance(MINUTE - 1);
      assert.equal(bench.calls().length, expected);
      await bench.clock.advance(MINUTE);
      assert.equal(bench.calls().length, 2 * expected);
    });
  }

  it('have the user agent of the inventory', async () => {
    await using bench = inventoryBench({ loadBalancers: reusable(1) });
    await bench.clock.advance(0);
    assert.deepEqual(
      [...new Set(bench.simulator.journal().map(({ userAgent }) => userAgent))],
      ['portcullis-inventory'],
    );
  });

  it('are one write per minute without changes, which sets the time of the observation', async () => {
    await using bench = inventoryBench({ loadBalancers: [{ id: 'lb-api', tags: API_SERVER }, ...reusable(3)] });
    await bench.clock.advance(0);
    const before = bench.kubernetes.writes.length;
    await bench.clock.advance(MINUTE);
    assert.deepEqual(
      bench.kubernetes.writes.slice(before).map(({ verb, plural }) => `${verb} ${plural}`),
      ['patch cloudinventories'],
    );
    assert.equal(bench.observedAt(), '2026-01-02T03:05:05.000Z');
  });
});
