import assert from 'node:assert/strict';
import { createLimiter, type Permit } from '../../../src/alibaba/limiter.ts';
import type { CallLane } from '../../../src/plan/call-context.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { aCall, slb } from '../../support/scripted-cloud.ts';

const bench = () => {
  const clock = new VirtualClock();
  const limiter = createLimiter(clock, {
    'Slb.write': { calls: 2, windowMs: 60_000 },
    'Slb.read': { calls: 9, windowMs: 1000 },
  });
  const order: string[] = [];
  const ask = async (
    name: string,
    lane: CallLane = 'change',
    signal?: AbortSignal,
    action = 'SetName',
    namespace?: string,
  ): Promise<Permit> => {
    const permit = await limiter.acquire(slb(action), aCall(lane, signal, namespace));
    order.push(name);
    permit.ended();
    return permit;
  };
  const askFor = (namespace: string, name: string, lane?: CallLane) => ask(name, lane, undefined, undefined, namespace);
  return { clock, limiter, order, ask, askFor };
};

/** The cloud closes an API after too many calls. Without the limiter, one namespace could stop the calls of all others. */
describe('the limiter', () => {
  it('admits calls at once within the quota, then in the next window', async () => {
    const { clock, order, ask } = bench();
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => ask(name)));
    await clock.advance(0);
    assert.deepEqual(order, ['a', 'b']);
    await clock.advance(59_999);
    assert.deepEqual(order, ['a', 'b']);
    await clock.advance(1);
    assert.deepEqual(order, ['a', 'b', 'c', 'd']);
    await clock.advance(60_000);
    await all;
    assert.deepEqual(order, ['a', 'b', 'c', 'd', 'e']);
  });

  it('serves the most urgent lane first, and the calls of a lane in their order', async () => {
    const { clock, order, ask } = bench();
    await Promise.all([ask('x'), ask('y')]);
    const late = [
      ask('audit', 'audit'),
      ask('create', 'create'),
      ask('remove 1', 'remove-backends'),
      ask('remove 2', 'remove-backends'),
    ];
    await clock.advance(60_000);
    assert.deepEqual(order.slice(2), ['remove 1', 'remove 2']);
    await clock.advance(60_000);
    assert.deepEqual(order.slice(4), ['create', 'audit']);
    await Promise.all(late);
  });

  it('serves the namespaces of a lane round-robin', async () => {
    const { clock, order, askFor } = bench();
    const all = [1, 2, 3, 4, 5, 6].map((n) => askFor('a', `a${n}`));
    all.push(askFor('b', 'b1'), askFor('b', 'b2'), askFor('c', 'c1'), askFor('c', 'urgent', 'remove-backends'));
    await clock.advance(60_000);
    assert.deepEqual(order, ['a1', 'a2', 'urgent', 'a3']);
    await clock.advance(60_000);
    assert.deepEqual(order.slice(4), ['b1', 'c1']);
    await clock.advance(60_000);
    assert.deepEqual(order.slice(6), ['a4', 'b2']);
    await clock.advance(60_000);
    await Promise.all(all);
  });

  it('serves the namespaces round-robin if an API opens after a throttled call', async () => {
    const { clock, order, ask, askFor } = bench();
    const permit = await ask('throttled');
    permit.throttled(90_000);
    const all = [1, 2, 3].map((n) => askFor('a', `a${n}`));
    all.push(askFor('b', 'b1'));
    await clock.advance(89_999);
    assert.deepEqual(order, ['throttled']);
    await clock.advance(1);
    assert.deepEqual(order, ['throttled', 'a1', 'b1']);
    await clock.advance(60_000);
    await Promise.all(all);
  });

  it('lets a namespace with 5,000 waiting calls delay another namespace by only one call', async () => {
    const { clock, limiter, order, askFor } = bench();
    const stop = new AbortController();
    const many = Array.from({ length: 5_000 }, (_, n) =>
      limiter.acquire(slb('SetName'), aCall('change', stop.signal, 'a')).then(
        (permit) => {
          order.push(`a${n}`);
          permit.ended();
        },
        () => undefined,
      ),
    );
    const one = askFor('b', 'b');
    await clock.advance(60_000);
    await one;
    assert.deepEqual(order.slice(2), ['a2', 'b']);
    stop.abort(new Error('over'));
    await Promise.all(many);
    assert.equal(limiter.waiting(), 0);
  });

  it('counts the calls of each API separately', async () => {
    const { clock, order, ask } = bench();
    const all = Promise.all([
      ask('a'),
      ask('b'),
      ask('c'),
      ask('read', 'audit', undefined, 'DescribeX'),
      ask('other', 'change', undefined, 'SetSpec'),
    ]);
    await clock.advance(0);
    assert.deepEqual(order, ['a', 'b', 'read', 'other']);
    await clock.advance(60_000);
    await all;
  });

  it('closes an API for all lanes after a throttled call, and reports the duration', async () => {
    const { clock, order, ask } = bench();
    const permit = await ask('a');
    assert.equal(permit.throttled(undefined), 60_000);
    await clock.advance(20_000);
    assert.equal(permit.closedForMs(), 40_000);
    const urgent = ask('urgent', 'remove-backends');
    await clock.advance(39_999);
    assert.deepEqual(order, ['a']);
    await clock.advance(1);
    await urgent;
    assert.deepEqual(order, ['a', 'urgent']);
  });

  it('ends the wait of a call whose signal is aborted, and stops its timer if no call waits', async () => {
    const { clock, limiter, ask } = bench();
    await Promise.all([ask('a'), ask('b')]);
    const stop = new AbortController();
    const rejected = assert.rejects(ask('c', 'change', stop.signal), { message: 'shutting down' });
    await clock.advance(0);
    assert.deepEqual([limiter.waiting(), clock.sleeping], [1, 1]);
    stop.abort(new Error('shutting down'));
    await rejected;
    await clock.advance(0);
    assert.deepEqual([limiter.waiting(), clock.sleeping], [0, 0]);
  });

  it('rejects a call with an aborted signal', async () => {
    const { ask } = bench();
    await assert.rejects(ask('a', 'change', AbortSignal.abort(new Error('gone'))), { message: 'gone' });
  });

  it('wakes the waiting calls if an unsent call is withdrawn', async () => {
    const { clock, limiter, order, ask } = bench();
    const [first] = await Promise.all([
      limiter.acquire(slb('SetName'), aCall()),
      limiter.acquire(slb('SetName'), aCall()),
    ]);
    const waiting = ask('c');
    await clock.advance(1000);
    assert.deepEqual(order, []);
    first.withdraw();
    await waiting;
    assert.deepEqual(order, ['c']);
  });

  it('admits 2,000 calls of parallel workers at 0.95 of the rate that the quota allows', async () => {
    const clock = new VirtualClock();
    const limiter = createLimiter(clock);
    let done = 0;
    const worker = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const permit = await limiter.acquire(slb('CreateVServerGroup'), aCall('create'));
        await clock.sleep(120);
        permit.ended();
        done += 1;
      }
    };
    const workers = Promise.all(Array.from({ length: 10 }, () => worker(200)));
    const floorMs = (2000 / 90) * 60_000;
    await clock.advance(floorMs / 0.95);
    assert.equal(done, 2000);
    await workers;
  });
});
