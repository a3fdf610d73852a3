import assert from 'node:assert/strict';
import { API_SERVER, MINUTE, inventoryStand, owned, reusable } from '../../support/inventory-bench.ts';

describe('the inventory costs (B25)', () => {
  for (const [ours, free, expected] of [
    [0, 0, 1],
    [1, 0, 1],
    [90, 10, 1 + 1],
    [90, 11, 2 + 2],
    [150, 100, 3 + 10],
  ] as const) {
    it(`${expected} calls a minute for ${ours} owned and ${free} reusable load balancers`, async () => {
      await using stand = inventoryStand({ loadBalancers: [...owned(ours), ...reusable(free)] });
      await stand.clock.advance(MINUTE - 1);
      assert.equal(stand.calls().length, expected);
      await stand.clock.advance(MINUTE);
      assert.equal(stand.calls().length, 2 * expected);
    });
  }

  it('its calls under a user agent of its own', async () => {
    await using stand = inventoryStand({ loadBalancers: reusable(1) });
    await stand.clock.advance(0);
    assert.deepEqual(
      [...new Set(stand.simulator.journal().map(({ userAgent }) => userAgent))],
      ['portcullis-inventory'],
    );
  });

  it('one write a minute when nothing changes: the time it was seen', async () => {
    await using stand = inventoryStand({ loadBalancers: [{ id: 'lb-api', tags: API_SERVER }, ...reusable(3)] });
    await stand.clock.advance(0);
    const before = stand.kubernetes.writes.length;
    await stand.clock.advance(MINUTE);
    assert.deepEqual(
      stand.kubernetes.writes.slice(before).map(({ verb, plural }) => `${verb} ${plural}`),
      ['patch cloudinventories'],
    );
    assert.equal(stand.observedAt(), '2026-01-02T03:05:05.000Z');
  });
});
