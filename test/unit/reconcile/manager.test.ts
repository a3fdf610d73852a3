import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { PortcullisError, REASONS, type Reason } from '../../../src/base/errors.ts';
import { seededRandom } from '../../../src/local/simulator/id-source.ts';
import { runControllers, type Reconciler } from '../../../src/reconcile/manager.ts';
import { controllerMetrics, queueMetrics } from '../../../src/reconcile/metrics.ts';
import { WorkQueue } from '../../../src/reconcile/queue.ts';
import { requeueDecision } from '../../../src/reconcile/requeue-decision.ts';
import { inNewTrace, traceId } from '../../../src/base/trace-context.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** Covers the workers: order, retries, time limits and shutdown of reconciles. */
describe('the manager of workers', () => {
  const setUp = (
    reconcile: (key: string, signal: AbortSignal, clock: VirtualClock) => ReturnType<Reconciler>,
    { workers = 1, urgentWorkers = 0, spareWorkers = 0, drainMs = 15_000 } = {},
  ) => {
    const clock = new VirtualClock();
    const registry = new Registry();
    const logged: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });
    const queue = new WorkQueue({ name: 'test', clock, metrics: queueMetrics(registry) });
    const runs: string[] = [];
    const stop = new AbortController();
    const running = runControllers(
      [
        {
          name: 'test',
          queue,
          workers,
          urgentWorkers,
          spareWorkers,
          reconcile: (key, signal) => (runs.push(`${key}@${clock.monotonic() / 1000}`), reconcile(key, signal, clock)),
        },
      ],
      { clock, log, random: seededRandom(1), metrics: controllerMetrics(registry), drainMs },
      stop.signal,
    );
    return { clock, queue, runs, stop, running, registry, logged };
  };

  it('reconciles each key once', async () => {
    const { clock, queue, runs } = setUp(async () => 'done');
    queue.add('a');
    queue.add('b');
    await clock.advance(3_600_000);
    assert.deepEqual(runs, ['a@0', 'b@0']);
  });

  it('gives each reconcile its own trace', async () => {
    const traces: (readonly (string | undefined)[])[] = [];
    const { clock, queue } = setUp(
      async (_key, signal, time) => {
        const before = traceId();
        await time.sleep(1_000, signal);
        traces.push([before, traceId()]);
        return 'done';
      },
      { workers: 2 },
    );
    queue.add('a');
    queue.add('b');
    await clock.advance(10_000);
    const ids = traces.flat();
    for (const id of ids) assert.match(id ?? '', /^[0-9a-f]{32}$/);
    assert.equal(new Set(ids).size, 2);
    assert.equal(ids[0], inNewTrace(seededRandom(1), traceId));
    assert.deepEqual(
      traces.map(([before, after]) => before === after),
      [true, true],
    );
    assert.equal(traceId(), undefined);
  });

  for (const spareWorkers of [0, 2])
    it(`yields between synchronous reconciles with ${spareWorkers} spare workers`, async () => {
      const { clock, queue, runs } = setUp(async () => 'done', { spareWorkers });
      await clock.settle();
      for (const key of ['a', 'b', 'c']) queue.add(key);
      await clock.settle();
      assert.deepEqual(runs, ['a@0']);
      await clock.advance(0);
      assert.deepEqual(runs, ['a@0', 'b@0', 'c@0']);
    });

  it('never delays urgent keys behind slow keys', async () => {
    const slow = async (_key: string, signal: AbortSignal, time: VirtualClock) => {
      await time.sleep(60_000, signal);
      return 'done' as const;
    };
    const { clock, queue, runs } = setUp(slow, { workers: 1, urgentWorkers: 1 });
    queue.add('a');
    queue.add('b');
    await clock.advance(1_000);
    queue.add('c', 'urgent');
    await clock.advance(1_000);
    assert.deepEqual(runs, ['a@0', 'c@1']);
  });

  it('starts keys on spare workers if all workers are slow, as long as spare workers remain', async () => {
    const slow = async (_key: string, signal: AbortSignal, time: VirtualClock) => {
      await time.sleep(60_000, signal);
      return 'done' as const;
    };
    const { clock, queue, runs } = setUp(slow, { workers: 2, urgentWorkers: 1, spareWorkers: 2 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);
    await clock.advance(1_000);
    for (const key of ['u', 'v']) queue.add(key, 'urgent');
    await clock.advance(60_000);
    assert.deepEqual(runs, ['a@0', 'b@0', 'c@1', 'd@1', 'u@1', 'v@2', 'e@60']);
  });

  it('reconciles again after the requested time', async () => {
    const { clock, queue, runs } = setUp(async () => ({ requeueAfterMs: 60_000 }));
    queue.add('a');
    await clock.advance(120_000);
    assert.deepEqual(runs, ['a@0', 'a@60', 'a@120']);
  });

  it('never reconciles a key twice in parallel, and as many keys in parallel as workers exist', async () => {
    let most = 0;
    const running = new Set<string>();
    const { clock, queue } = setUp(
      async (key, signal, time) => {
        assert.equal(running.has(key), false);
        running.add(key);
        most = Math.max(most, running.size);
        await time.sleep(100, signal);
        running.delete(key);
        return 'done';
      },
      { workers: 3 },
    );
    for (let round = 0; round < 50; round += 1) {
      for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);
      await clock.advance(30);
    }
    assert.equal(most, 3);
  });

  it('retries a failed key after its back-off while other keys continue', async () => {
    const { clock, queue, runs } = setUp(async (key) => {
      if (key === 'bad') throw new PortcullisError('Unavailable', 'away');
      return 'done';
    });
    queue.add('bad');
    queue.add('good');
    await clock.advance(16_000);
    assert.deepEqual(runs, ['bad@0', 'good@0', 'bad@5', 'bad@15']);
  });

  it('retries a key after a second if the Lease did not allow its write', async () => {
    const { clock, queue, runs } = setUp(async () => {
      if (clock.monotonic() < 1_000) throw new PortcullisError('LostLeadership', 'the lease is about to end');
      return 'done';
    });
    queue.add('a');
    await clock.advance(60_000);
    assert.deepEqual(runs, ['a@0', 'a@1']);
  });

  it('resets the back-off after a success', async () => {
    let failing = true;
    const { clock, queue, runs } = setUp(async () => {
      if (failing) throw new PortcullisError('Unavailable', 'away');
      return 'done';
    });
    queue.add('a');
    await clock.advance(6_000);
    failing = false;
    await clock.advance(10_000);
    failing = true;
    queue.add('a');
    await clock.advance(6_000);
    assert.deepEqual(runs, ['a@0', 'a@5', 'a@15', 'a@16', 'a@21']);
  });

  it('reconciles a changed key at once in spite of its back-off, and only once', async () => {
    const { clock, queue, runs } = setUp(async () => {
      if (runs.length <= 2) throw new PortcullisError('Unavailable', 'away');
      return 'done';
    });
    queue.add('a');
    await clock.advance(6_000);
    queue.add('a');
    await clock.advance(60_000);
    assert.deepEqual(runs, ['a@0', 'a@5', 'a@6']);
  });

  it('does not retry a denied object until it changes', async () => {
    const { clock, queue, runs } = setUp(() => Promise.reject(new PortcullisError('Invalid', 'five faults')));
    queue.add('a');
    await clock.advance(24 * 3_600_000);
    assert.deepEqual(runs, ['a@0']);
  });

  it('survives a defect, logs and counts it, and retries slowly', async () => {
    const { clock, queue, runs, logged, registry } = setUp(() => {
      throw new TypeError('undefined is not a function');
    });
    queue.add('a');
    await clock.advance(300_000);
    assert.deepEqual(runs, ['a@0', 'a@300']);
    assert.match(logged[0] ?? '', /"level":50.*undefined is not a function.*because of a bug/);
    const text = await registry.metrics();
    assert.match(text, /portcullis_reconcile_errors_total\{controller="test",reason="Bug"\} 2/);
    assert.match(text, /controller_runtime_reconcile_total\{controller="test",result="error"\} 2/);
  });

  it('completes a running reconcile at shutdown, and starts no other', async () => {
    let ended = false;
    const { clock, queue, runs, stop, running } = setUp(async (_, signal, time) => {
      await time.sleep(10_000, signal);
      ended = true;
      return 'done';
    });
    queue.add('a');
    queue.add('b');
    await clock.settle();
    stop.abort(new Error('stopping'));
    await clock.complete(running);
    assert.deepEqual([runs, ended, clock.monotonic()], [['a@0'], true, 10_000]);
  });

  it('aborts a reconcile that outlasts the time limit of the shutdown', async () => {
    const { clock, queue, stop, running } = setUp(
      (_, signal, time) => time.sleep(60_000, signal).then(() => 'done' as const),
      { drainMs: 5_000 },
    );
    queue.add('a');
    await clock.settle();
    stop.abort(new Error('stopping'));
    await clock.complete(running);
    assert.equal(clock.monotonic(), 5_000);
  });

  it('aborts reconciles at once when leadership is lost', async () => {
    const { clock, queue, stop, running, runs, logged } = setUp((_, signal, time) =>
      time.sleep(60_000, signal).then(() => 'done' as const),
    );
    queue.add('a');
    await clock.settle();
    stop.abort(new PortcullisError('LostLeadership', 'lost'));
    await clock.complete(running);
    await clock.advance(600_000);
    assert.deepEqual([clock.monotonic(), runs, logged], [600_000, ['a@0'], []]);
  });

  it('ends at once without work', async () => {
    const { clock, stop, running } = setUp(async () => 'done');
    await clock.settle();
    stop.abort(new Error('stopping'));
    await clock.complete(running);
    assert.equal(clock.monotonic(), 0);
  });
});

describe('the retry of a failed key', () => {
  for (const [reason, { retry }] of Object.entries(REASONS) as [Reason, { retry: string }][]) {
    it(`is "${retry}" after the error ${reason}`, () => {
      const verdict = requeueDecision(new PortcullisError(reason, 'it failed', { retryAfterMs: 9_000 }), 300_000);
      const expected = {
        soon: { kind: 'retry', reason, options: { baseMs: 1_000, atLeastMs: 9_000 } },
        backoff: { kind: 'retry', reason, options: { atLeastMs: 9_000 } },
        'after-delay': { kind: 'after', reason, ms: 9_000 },
        never: { kind: 'wait-for-change', reason },
      }[retry];
      assert.deepEqual(verdict, expected);
    });
  }

  it('is soon if traffic waits for it', () => {
    const failure = new PortcullisError('Rejected', 'it failed', { isUrgent: true });
    assert.deepEqual(requeueDecision(failure, 300_000), {
      kind: 'retry',
      reason: 'Rejected',
      options: { baseMs: 1_000 },
    });
  });

  it('backs off if a rate limit has no known end', () => {
    assert.deepEqual(requeueDecision(new PortcullisError('Throttled', 'slow down'), 300_000), {
      kind: 'retry',
      reason: 'Throttled',
      options: {},
    });
  });
});
