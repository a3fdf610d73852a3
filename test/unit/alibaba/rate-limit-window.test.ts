import assert from 'node:assert/strict';
import {
  CallWindow,
  LANES,
  type Account,
  type FirstCall,
  type WaitingCalls,
} from '../../../src/alibaba/rate-limit-window.ts';
import type { CallLane } from '../../../src/plan/call-context.ts';

const waiting = (...lanes: (CallLane | readonly [CallLane, number])[]): WaitingCalls =>
  new Map(lanes.map((lane) => (typeof lane === 'string' ? [lane, firsts(0)] : [lane[0], firsts(lane[1])])));
const firsts = (since: number): readonly FirstCall[] => [{ namespace: 'a', since }];
const of = (lane: CallLane, namespace = 'a'): Account => ({ lane, namespace });
const send = (lane: CallLane | undefined, namespace = 'a') => ({ kind: 'send', lane, namespace });

/** Returns a window in which `count` calls of the lane started and ended at `at`. */
const used = (calls: number, count: number, lane: CallLane = 'change', at = 0): CallWindow => {
  const window = new CallWindow({ calls, windowMs: 60_000 });
  for (let n = 0; n < count; n += 1) {
    window.sent(of(lane));
    window.ended(of(lane), at);
  }
  return window;
};

/** The cloud counts calls in windows. The controller does not know their start, so it must stay within the limit for any start. */
describe('the window of an API', () => {
  it('serves the most urgent lane first', () => {
    const window = used(90, 0);
    for (let from = 0; from < LANES.length; from += 1) {
      const rest = LANES.slice(from).reverse();
      assert.deepEqual(window.decide(waiting(...rest), 0), send(LANES[from]));
    }
  });

  it('admits at most the limit in a window, and a further call once the first leaves the window', () => {
    const window = used(2, 2, 'change', 100);
    assert.deepEqual(window.decide(waiting('change'), 200), { kind: 'wait', until: 60_100 });
    assert.deepEqual(window.decide(waiting('change'), 60_099), { kind: 'wait', until: 60_100 });
    assert.deepEqual(window.decide(waiting('change'), 60_100), send('change'));
  });

  it('counts a call while it runs, and for a whole window after its end', () => {
    const window = used(1, 0);
    window.sent(of('change'));
    assert.deepEqual(window.decide(waiting('change'), 70_000), { kind: 'wait', until: Infinity });
    window.ended(of('change'), 70_000);
    assert.deepEqual(window.decide(waiting('change'), 70_001), { kind: 'wait', until: 130_000 });
  });

  it('does not count a withdrawn call', () => {
    const window = used(1, 0);
    window.sent(of('change'));
    window.withdrawn(of('change'));
    assert.deepEqual(window.decide(waiting('change'), 0), send('change'));
  });

  it('never has more calls than the limit, wherever the window starts', () => {
    const window = new CallWindow({ calls: 7, windowMs: 60_000 });
    const arrivals: number[] = [];
    for (let now = 0; now < 400_000; now += 50) {
      const decision = window.decide(waiting('create'), now);
      if (decision.kind === 'wait') continue;
      window.sent(of('create'));
      const took = (now * 7919) % 3000;
      // The cloud counts the call at some moment between request and answer.
      arrivals.push(now + ((now * 104_729) % (took + 1)));
      window.ended(of('create'), now + took);
      now += took;
    }
    assert.ok(arrivals.length > 40);
    for (const start of arrivals) {
      const within = arrivals.filter((at) => at >= start && at < start + 60_000).length;
      assert.ok(within <= 7, `${within} calls within a minute of ${start}`);
    }
  });

  it('is closed for its whole length after a throttled call, because its start is unknown', () => {
    const window = used(90, 0);
    window.close(1_000);
    assert.equal(window.closedFor(31_000), 30_000);
    assert.deepEqual(window.decide(waiting('remove-backends'), 60_999), { kind: 'wait', until: 61_000 });
    assert.deepEqual(window.decide(waiting('remove-backends'), 61_000), send('remove-backends'));
  });

  it('is closed for the duration in the response, but for at most ten minutes', () => {
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

  it('reserves half of the quota for urgent calls', () => {
    const window = used(90, 45, 'audit');
    assert.deepEqual(window.decide(waiting('audit'), 1), { kind: 'wait', until: 60_000 });
    assert.deepEqual(window.decide(waiting('audit', 'create'), 1), send('create'));
  });

  it('reserves the last call for a namespace without a call', () => {
    const window = used(90, 0);
    const both: WaitingCalls = new Map([['change', [...firsts(0), { namespace: 'b', since: 0 }]]]);
    let calls = 0;
    for (; window.decide(waiting('change'), 0).kind === 'send'; calls += 1) window.sent(of('change'));
    assert.equal(calls, 89);
    assert.deepEqual(window.decide(both, 0), send('change', 'b'));
    window.sent(of('change', 'b'));
    assert.deepEqual(window.decide(both, 0), { kind: 'wait', until: Infinity });
  });

  it('reserves no call if only calls for the cluster itself wait', () => {
    const window = used(90, 0);
    const own: WaitingCalls = new Map([['change', [{ namespace: '', since: 0 }]]]);
    for (let call = 0; call < 90; call += 1) {
      assert.deepEqual(window.decide(own, 0), send('change', ''));
      window.sent(of('change', ''));
    }
    assert.equal(window.decide(own, 0).kind, 'wait');
  });

  it('gives a lane that waited five windows a tenth of the quota, before all other lanes', () => {
    const now = 300_000;
    const window = used(90, 0);
    const all = waiting(['remove-backends', 299_000], ['create', 1]);
    assert.deepEqual(window.decide(all, now), send('remove-backends'));
    const starved = waiting(['remove-backends', 299_000], ['create', 0]);
    for (let n = 0; n < 9; n += 1) {
      assert.deepEqual(window.decide(starved, now), send('create'));
      window.sent(of('create'));
    }
    assert.deepEqual(window.decide(starved, now), send('remove-backends'));
  });
});
