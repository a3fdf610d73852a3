import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { queueMetrics } from '../../../src/reconcile/metrics.ts';
import { LANES } from '../../../src/reconcile/queue-lanes.ts';
import { WorkQueue, type QueueOptions } from '../../../src/reconcile/queue.ts';
import { Shares } from '../../../src/base/fair-slots.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const never = new AbortController().signal;

/** A share is the keys of one namespace, so that a slow or failing namespace does not delay the keys of other namespaces. */
describe('the work queue', () => {
  const stop = new AbortController();
  after(() => stop.abort());
  const setUp = (options: Partial<QueueOptions> = {}) => {
    const clock = new VirtualClock();
    const registry = new Registry();
    const queue = new WorkQueue({ name: 'test', clock, metrics: queueMetrics(registry), ...options });
    void queue.run(stop.signal);
    const takeAll = async (): Promise<string[]> => {
      const taken: string[] = [];
      while (queue.size > 0) taken.push(await queue.take(never));
      return taken;
    };
    /** Returns the keys that become due within `ms` milliseconds. */
    const dueAfter = async (ms: number): Promise<string[]> => {
      await clock.advance(ms);
      return takeAll();
    };
    return { clock, queue, takeAll, dueAfter, registry };
  };

  it('has a key once, in the order of its first addition', async () => {
    const { queue, takeAll } = setUp();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    assert.deepEqual(await takeAll(), ['a', 'b', 'c']);
  });

  it('runs a key again if the key is added during its reconcile', async () => {
    const { queue, takeAll } = setUp();
    queue.add('a');
    await queue.take(never);
    queue.add('a');
    queue.add('a');
    assert.deepEqual(await takeAll(), []);
    queue.done('a');
    assert.deepEqual(await takeAll(), ['a']);
    queue.done('a');
    assert.equal(queue.size, 0);
  });

  it('gives a key to the longest waiting worker', async () => {
    const { queue } = setUp();
    const [first, second] = [queue.take(never), queue.take(never)];
    queue.add('a');
    queue.add('b');
    assert.deepEqual([await first, await second], ['a', 'b']);
  });

  it('prefers urgent keys, and moves a key that becomes urgent', async () => {
    const { queue, takeAll } = setUp();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    queue.add('d', 'urgent');
    queue.add('c', 'urgent');
    queue.add('c', 'background');
    assert.deepEqual(await takeAll(), ['d', 'c', 'a', 'b']);
  });

  it('gives a worker for urgent keys no other keys', async () => {
    const { queue } = setUp();
    const [urgent, any] = [queue.take(never, { takes: ['urgent'] }), queue.take(never)];
    queue.add('a');
    queue.add('b', 'background');
    queue.add('c', 'urgent');
    assert.deepEqual([await urgent, await any], ['c', 'a']);
    assert.equal(queue.size, 1);
  });

  it('runs a key as urgent if the key becomes urgent during its reconcile', async () => {
    const { queue, takeAll } = setUp();
    queue.add('a');
    await queue.take(never);
    queue.add('b');
    queue.add('a', 'urgent');
    queue.add('a');
    queue.done('a');
    assert.deepEqual(await takeAll(), ['a', 'b']);
  });

  it('keeps the urgency of a scheduled key', async () => {
    const { queue, dueAfter } = setUp();
    queue.add('a', 'urgent');
    await queue.take(never);
    queue.addAfter('a', 1_000);
    queue.done('a');
    queue.add('b');
    assert.deepEqual(await dueAfter(1_000), ['a', 'b']);
  });

  it('loses no key to a worker that stopped its wait', async () => {
    const { queue, takeAll } = setUp();
    const impatient = new AbortController();
    const taking = queue.take(impatient.signal);
    impatient.abort(new Error('no time'));
    await assert.rejects(taking, /no time/);
    queue.add('a');
    assert.deepEqual(await takeAll(), ['a']);
  });

  it('adds a key later, at the earliest of several times', async () => {
    const { queue, dueAfter } = setUp();
    queue.addAfter('a', 2000);
    queue.addAfter('a', 1000);
    queue.addAfter('a', 3000);
    assert.deepEqual(await dueAfter(999), []);
    assert.deepEqual(await dueAfter(1), ['a']);
    queue.done('a');
    assert.deepEqual(await dueAfter(10_000), []);
  });

  it('adds keys later in order of time', async () => {
    const { queue, dueAfter } = setUp();
    for (const [key, ms] of [
      ['c', 30],
      ['a', 10],
      ['d', 40],
      ['b', 20],
    ] as const)
      queue.addAfter(key, ms);
    assert.deepEqual(await dueAfter(35), ['a', 'b', 'c']);
    assert.deepEqual(await dueAfter(35), ['d']);
  });

  it('drops a schedule if the key runs earlier', async () => {
    const { queue, dueAfter, takeAll } = setUp();
    queue.addAfter('a', 1000);
    queue.add('a');
    assert.deepEqual(await takeAll(), ['a']);
    queue.done('a');
    assert.deepEqual(await dueAfter(5000), []);
  });

  it('keeps a schedule during the reconcile of the key', async () => {
    const { queue, dueAfter, takeAll } = setUp();
    queue.add('a');
    assert.deepEqual(await takeAll(), ['a']);
    queue.addAfter('a', 1000);
    queue.done('a');
    assert.deepEqual(await dueAfter(1000), ['a']);
  });

  it('doubles the wait of a failing key from five seconds to five minutes, until a success', async () => {
    const { queue, clock } = setUp();
    const waits: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      queue.retry('a');
      const from = clock.monotonic();
      await clock.run(() => queue.size > 0);
      waits.push(clock.monotonic() - from);
      queue.done(await queue.take(never));
    }
    assert.deepEqual(
      waits,
      [5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1000),
    );
    assert.equal(queue.failures('a'), 8);
    queue.forget('a');
    queue.retry('a');
    await clock.settle();
    assert.equal(clock.nextWake(), 5000);
  });

  it('counts failures per key', async () => {
    const { queue, clock } = setUp();
    for (let failure = 0; failure < 5; failure += 1) queue.retry('a');
    await clock.settle();
    queue.retry('b');
    await clock.settle();
    assert.equal(queue.failures('b'), 1);
    assert.equal(clock.nextWake(), 5000);
  });

  it('waits at least the requested time, and uses a shorter back-off on request', async () => {
    const { queue, dueAfter } = setUp();
    queue.retry('a', { atLeastMs: 7000 });
    queue.retry('b', { baseMs: 1000 });
    assert.deepEqual(await dueAfter(6999), ['b']);
    assert.deepEqual(await dueAfter(1), ['a']);
  });

  it('serves shares round-robin, and reserves the last worker for an idle share', async () => {
    const { queue } = setUp({ shareOf: (key) => key.slice(0, 1) });
    for (const key of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b1']) queue.add(key);
    const crew = { takes: LANES, slots: new Shares(8, 1) };
    const taken: string[] = [];
    const workers = Array.from({ length: 8 }, async () => taken.push(await queue.take(never, crew)));
    await Promise.all(workers.slice(0, 7));
    assert.deepEqual(taken, ['a1', 'b1', 'a2', 'a3', 'a4', 'a5', 'a6']);
    queue.add('c1');
    await workers[7];
    assert.deepEqual(taken.slice(7), ['c1']);
    for (const key of ['a1', 'b1', 'c1']) queue.done(key);
    assert.equal(await queue.take(never, crew), 'a7');
  });

  it('delays the retries of a busy share only', async () => {
    const options = { retryRate: { perSecond: 1, burst: 1 }, shareOf: (key: string) => key.slice(0, 1) };
    const { queue, dueAfter } = setUp({ backoff: { baseMs: 1, maxMs: 1 }, ...options });
    for (const key of ['a1', 'a2', 'a3', 'b1']) queue.retry(key);
    assert.deepEqual(await dueAfter(1), ['a1', 'b1']);
  });

  it('spreads the retries of many keys over time', async () => {
    const { queue, dueAfter } = setUp({ backoff: { baseMs: 1, maxMs: 1 }, retryRate: { perSecond: 10, burst: 5 } });
    for (let key = 0; key < 25; key += 1) queue.retry(`key-${key}`);
    assert.equal((await dueAfter(1)).length, 5);
    assert.equal((await dueAfter(1000)).length, 10);
    assert.equal((await dueAfter(1000)).length, 10);
  });

  it('prefers foreground keys, and gives every eighth turn to a background key', async () => {
    const { queue, takeAll } = setUp();
    for (let key = 0; key < 3; key += 1) queue.add(`old-${key}`, 'background');
    for (let key = 0; key < 9; key += 1) queue.add(`new-${key}`);
    const order = await takeAll();
    assert.deepEqual(
      order.slice(0, 7),
      [0, 1, 2, 3, 4, 5, 6].map((key) => `new-${key}`),
    );
    assert.equal(order[7], 'old-0');
    assert.deepEqual(order.slice(8), ['new-7', 'new-8', 'old-1', 'old-2']);
  });

  it('moves a key from the background to the foreground, and not back', async () => {
    const { queue, takeAll } = setUp();
    queue.add('a', 'background');
    queue.add('b', 'background');
    queue.add('b');
    queue.add('b', 'background');
    assert.deepEqual(await takeAll(), ['b', 'a']);
  });

  it('counts a waiting key once, also if the key moves to another lane', async () => {
    const { queue, registry } = setUp();
    for (const lane of ['background', 'now', 'urgent'] as const) queue.add('a', lane);
    await queue.take(never);
    queue.add('a');
    queue.done('a');
    assert.match(await registry.metrics(), /workqueue_adds_total\{name="test"\} 2/);
  });

  it('counts waiting, added and failed keys', async () => {
    const { queue, clock, registry } = setUp();
    queue.add('a');
    queue.add('b');
    await queue.take(never);
    await clock.advance(3000);
    queue.retry('c');
    const text = await registry.metrics();
    assert.match(text, /workqueue_depth\{name="test"\} 1/);
    assert.match(text, /workqueue_adds_total\{name="test"\} 2/);
    assert.match(text, /workqueue_retries_total\{name="test"\} 1/);
    assert.match(text, /workqueue_longest_running_processor_seconds\{name="test"\} 3/);
  });
});
