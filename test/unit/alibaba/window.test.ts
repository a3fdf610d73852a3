import assert from 'node:assert/strict';
import { CallWindow, LANES, type Waiting } from '../../../src/alibaba/window.ts';
import type { Lane } from '../../../src/plan/call.ts';

const waiting = (...lanes: (Lane | readonly [Lane, number])[]): Waiting =>
  new Map(lanes.map((lane) => (typeof lane === 'string' ? [lane, 0] : lane)));

/** A window in which `count` calls of the lane have begun and ended at `at`. */
const used = (calls: number, count: number, lane: Lane = 'change', at = 0): CallWindow => {
  const window = new CallWindow({ calls, windowMs: 60_000 });
  for (let n = 0; n < count; n += 1) {
    window.sent(lane);
    window.ended(lane, at);
  }
  return window;
};

describe('the window of an API', () => {
  it('serves the most urgent lane first', () => {
    const window = used(90, 0);
    for (let from = 0; from < LANES.length; from += 1) {
      const rest = LANES.slice(from).reverse();
      assert.deepEqual(window.decide(waiting(...rest), 0), { kind: 'send', lane: LANES[from] });
    }
  });

  it('sends no more than the limit in one window, and the next when the first falls out of it', () => {
    const window = used(2, 2, 'change', 100);
    assert.deepEqual(window.decide(waiting('change'), 200), { kind: 'wait', until: 60_100 });
    assert.deepEqual(window.decide(waiting('change'), 60_099), { kind: 'wait', until: 60_100 });
    assert.deepEqual(window.decide(waiting('change'), 60_100), { kind: 'send', lane: 'change' });
  });

  it('counts a call that is under way, and one that took long from its end', () => {
    const window = used(1, 0);
    window.sent('change');
    assert.deepEqual(window.decide(waiting('change'), 70_000), { kind: 'wait', until: Infinity });
    window.ended('change', 70_000);
    assert.deepEqual(window.decide(waiting('change'), 70_001), { kind: 'wait', until: 130_000 });
  });

  it('does not count a call that was withdrawn', () => {
    const window = used(1, 0);
    window.sent('change');
    window.withdrawn('change');
    assert.deepEqual(window.decide(waiting('change'), 0), { kind: 'send', lane: 'change' });
  });

  it('never holds more than the limit in any window, wherever it begins', () => {
    const window = new CallWindow({ calls: 7, windowMs: 60_000 });
    const arrivals: number[] = [];
    for (let now = 0; now < 400_000; now += 50) {
      const decision = window.decide(waiting('create'), now);
      if (decision.kind === 'wait') continue;
      window.sent('create');
      const took = (now * 7919) % 3000;
      // The cloud counts the call somewhere between its sending and its answer.
      arrivals.push(now + ((now * 104_729) % (took + 1)));
      window.ended('create', now + took);
      now += took;
    }
    assert.ok(arrivals.length > 40);
    for (const start of arrivals) {
      const within = arrivals.filter((at) => at >= start && at < start + 60_000).length;
      assert.ok(within <= 7, `${within} calls within a minute of ${start}`);
    }
  });

  it('is closed for a whole window after a throttle, since nobody knows when the cloud began to count', () => {
    const window = used(90, 0);
    window.close(1_000);
    assert.equal(window.closedFor(31_000), 30_000);
    assert.deepEqual(window.decide(waiting('remove-backends'), 60_999), { kind: 'wait', until: 61_000 });
    assert.deepEqual(window.decide(waiting('remove-backends'), 61_000), { kind: 'send', lane: 'remove-backends' });
  });

  it('is closed for as long as the refusal said, but never for days', () => {
    const window = used(90, 0);
    window.close(0, 1_500);
    assert.equal(window.closedFor(0), 1_500);
    window.close(0, 1e9);
    assert.equal(window.closedFor(0), 600_000);
  });

  it('is not opened early by a second, shorter closure', () => {
    const window = used(90, 0);
    window.close(0);
    window.close(10, 20);
    assert.equal(window.closedFor(10), 59_990);
  });

  it('leaves half of the quota to what somebody waits for', () => {
    const window = used(90, 45, 'audit');
    assert.deepEqual(window.decide(waiting('audit'), 1), { kind: 'wait', until: 60_000 });
    assert.deepEqual(window.decide(waiting('audit', 'create'), 1), { kind: 'send', lane: 'create' });
  });

  it('gives a lane that waited five windows a tenth of the quota, before all others', () => {
    const now = 300_000;
    const window = used(90, 0);
    const all = waiting(['remove-backends', 299_000], ['create', 1]);
    assert.deepEqual(window.decide(all, now), { kind: 'send', lane: 'remove-backends' });
    const starved = waiting(['remove-backends', 299_000], ['create', 0]);
    for (let n = 0; n < 9; n += 1) {
      assert.deepEqual(window.decide(starved, now), { kind: 'send', lane: 'create' });
      window.sent('create');
    }
    assert.deepEqual(window.decide(starved, now), { kind: 'send', lane: 'remove-backends' });
  });
});
