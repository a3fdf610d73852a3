import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../../../src/base/clock.ts';
import { hasReason } from '../../../src/base/errors.ts';
import { Election } from '../../../src/kubernetes/lease.ts';
import { leadingGauge } from '../../../src/kubernetes/metrics.ts';
import { LeaseStore } from '../../support/lease-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const CALL_MS = 8_000;

/** Two leaders at a time could create two load balancers for a Service. */
describe('the leader election', () => {
  const stops: AbortController[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop.abort(new Error('the test is over'));
  });

  const setUp = () => {
    const clock = new VirtualClock();
    const store = new LeaseStore(clock);
    const candidate = (identity: string, { own = clock, endMs = 0 }: { own?: Clock; endMs?: number } = {}) => {
      const link = store.connect();
      const stop = new AbortController();
      stops.push(stop);
      const registry = new Registry();
      const election = new Election({
        requests: link,
        clock: own,
        random: () => 1,
        log: pino({ level: 'silent' }),
        leading: leadingGauge(registry),
        identity,
      });
      const history: string[] = [];
      const lead = async (signal: AbortSignal): Promise<void> => {
        history.push(`leads@${clock.monotonic()}`);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        if (endMs > 0) await clock.sleep(endMs);
        history.push(`ended@${clock.monotonic()}`);
      };
      const running = election.run(lead, stop.signal);
      const outcome = running.then(
        () => 'resolved',
        (error: unknown) => error,
      );
      return { link, stop, election, history, running, outcome, registry, mayWrite: () => election.mayWrite(CALL_MS) };
    };
    return { clock, store, candidate };
  };

  it('acquires a new Lease at once, and renews it every two seconds', async () => {
    const { clock, store, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(60_000);
    assert.deepEqual(one.history, ['leads@20']);
    assert.equal(one.mayWrite(), true);
    assert.ok(store.writes >= 29 && store.writes <= 31, `${store.writes} writes in a minute`);
    assert.equal(store.lease?.spec?.leaseDurationSeconds, 15);
    assert.match(String(store.lease.spec.renewTime), /^2026-01-01T00:00:5\d\.\d{6}Z$/);
  });

  it('makes the second process wait while the first renews', async () => {
    const { clock, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(100);
    const two = candidate('two');
    await clock.advance(600_000);
    assert.deepEqual([one.mayWrite(), two.mayWrite(), two.history], [true, false, []]);
  });

  it('changes the leader within a retry period if the leader stops and releases the Lease', async () => {
    const { clock, store, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(100);
    const two = candidate('two');
    await clock.advance(10_000);
    one.stop.abort(new Error('stopping'));
    const from = clock.monotonic();
    await clock.complete(one.running);
    assert.equal(store.holder, '');
    assert.equal(one.mayWrite(), false);
    await clock.run(() => two.history.length > 0, 10_000);
    assert.ok(clock.monotonic() - from <= 2_100, `handed over after ${clock.monotonic() - from} ms`);
    assert.equal(two.mayWrite(), true);
    assert.equal(store.lease?.spec?.leaseTransitions, 1);
  });

  it('keeps and renews the Lease until the controllers ended', async () => {
    const { clock, store, candidate } = setUp();
    const one = candidate('one', { endMs: 30_000 });
    await clock.advance(100);
    const two = candidate('two');
    await clock.advance(1_000);
    one.stop.abort(new Error('stopping'));
    await clock.advance(29_000);
    assert.deepEqual([store.holder, one.mayWrite(), two.history], ['one', true, []]);
    await clock.complete(one.running);
    assert.equal(store.holder, '');
  });

  it("replaces a dead leader after its Lease expired, and writes once the leader's calls ended", async () => {
    const { clock, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(100);
    const two = candidate('two');
    await clock.advance(10_000);
    one.link.broken = 'before';
    const from = clock.monotonic();
    await clock.run(() => two.election.isLeading, 60_000);
    const taken = clock.monotonic() - from;
    assert.ok(taken > 13_000 && taken <= 17_100, `taken after ${taken} ms`);
    assert.equal(two.mayWrite(), false);
    await clock.advance(8_900);
    assert.deepEqual([two.mayWrite(), two.history], [false, []]);
    await clock.advance(200);
    assert.deepEqual([two.mayWrite(), two.history.length], [true, 1]);
  });

  it('gives up before the Lease can expire if it cannot be renewed, and stops the controllers', async () => {
    const { clock, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(10_000);
    one.link.broken = 'before';
    const from = clock.monotonic();
    const error = await clock.complete(one.outcome);
    assert.ok(hasReason(error, 'LostLeadership'));
    assert.ok(clock.monotonic() - from <= 14_000, `gave up after ${clock.monotonic() - from} ms`);
    assert.equal(one.history.length, 2);
    assert.equal(one.mayWrite(), false);
  });

  it('retries a failed renewal half a second before the deadline, regardless of earlier retries', async () => {
    const { clock, store, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(10_000);
    const renewedAt = store.calledAt.at(-1) ?? 0;
    one.link.broken = 'before';
    store.latencyMs = 1_000;
    const error = await clock.complete(one.outcome);
    assert.ok(hasReason(error, 'LostLeadership'));
    assert.equal(store.calledAt.at(-1), renewedAt + 9_500);
    assert.ok(clock.monotonic() - renewedAt <= 10_600, `gave up after ${clock.monotonic() - renewedAt} ms`);
  });

  it('keeps leading if only the last retry before the deadline succeeds', async () => {
    const { clock, store, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(10_000);
    const renewedAt = store.calledAt.at(-1) ?? 0;
    one.link.broken = 'before';
    store.latencyMs = 1_000;
    await clock.advance(renewedAt + 9_400 - clock.monotonic());
    one.link.broken = undefined;
    store.latencyMs = 10;
    await clock.advance(60_000);
    assert.deepEqual([one.mayWrite(), one.history.length], [true, 1]);
  });

  it('does not release a lost Lease, because its last calls may be in progress', async () => {
    const { clock, store, candidate } = setUp();
    const one = candidate('one', { endMs: 1_000 });
    await clock.advance(10_000);
    one.link.broken = 'before';
    await clock.run(() => !one.election.isLeading);
    one.link.broken = undefined;
    await clock.complete(one.outcome);
    assert.equal(store.holder, 'one');
  });

  it('forbids calls that can outlast the Lease, long before it gives up', async () => {
    const { clock, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(10_000);
    one.link.broken = 'before';
    await clock.advance(7_000);
    assert.deepEqual([one.election.isLeading, one.mayWrite(), one.election.mayWrite(3_000)], [true, false, true]);
  });

  it('continues if the response to a renewal is lost, because the Lease is still its own', async () => {
    const { clock, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(10_000);
    one.link.broken = 'after';
    await clock.advance(3_000);
    one.link.broken = undefined;
    await clock.advance(60_000);
    assert.equal(one.mayWrite(), true);
    assert.equal(one.history.length, 1);
  });

  it('stops at once if another process has the Lease', async () => {
    const { clock, store, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(10_000);
    store.lease = {
      ...store.lease!,
      metadata: { ...store.lease!.metadata, resourceVersion: 'x' },
      spec: { ...store.lease!.spec, holderIdentity: 'two' },
    };
    const error = await clock.complete(one.outcome, 3_000);
    assert.ok(hasReason(error, 'LostLeadership'));
    assert.equal(store.holder, 'two');
  });

  it('stops if its Lease was deleted, and the waiting process leads after the end of that Lease', async () => {
    const { clock, store, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(100);
    const two = candidate('two');
    await clock.advance(10_000);
    store.lease = undefined;
    const from = clock.monotonic();
    assert.ok(hasReason(await clock.complete(one.outcome), 'LostLeadership'));
    await clock.run(() => two.history.length > 0, 60_000);
    assert.ok(clock.monotonic() - from >= 24_000);
  });

  it('does not wait for its own old Lease after a restart, only for its last call', async () => {
    const { clock, store, candidate } = setUp();
    const before = candidate('one');
    await clock.advance(10_000);
    before.link.broken = 'before';
    const from = clock.monotonic();
    const again = candidate('one');
    await clock.run(() => again.history.length > 0, 60_000);
    assert.equal(clock.monotonic() - from, 9_020);
    assert.equal(store.lease?.spec?.leaseTransitions, 0);
  });

  it('waits for the duration in the Lease of another process, whatever the wall clock is', async () => {
    const { clock, store, candidate } = setUp();
    const meta = { name: 'ccm', namespace: 'kube-system', uid: 'u', resourceVersion: '0' };
    store.lease = {
      metadata: meta,
      spec: { holderIdentity: 'long', leaseDurationSeconds: 60, renewTime: '2020-01-01T00:00:00.000000Z' },
    };
    const one = candidate('one');
    await clock.advance(1_000);
    clock.jump(3_600_000);
    await clock.advance(58_000);
    assert.equal(one.election.isLeading, false);
    await clock.advance(5_000);
    assert.equal(one.election.isLeading, true);
  });

  it('forbids calls until a renewal if the wall clock is past the Lease, as after suspension', async () => {
    const { clock, candidate } = setUp();
    const one = candidate('one');
    await clock.advance(10_000);
    clock.jump(60_000);
    assert.equal(one.mayWrite(), false);
    await clock.advance(2_100);
    assert.equal(one.mayWrite(), true);
    clock.jump(-60_000);
    assert.deepEqual([one.mayWrite(), one.history.length], [true, 1]);
  });

  it('allows only a single process to write while processes start, die and stop', async () => {
    const { clock, candidate } = setUp();
    let seed = 7;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const all: ReturnType<typeof candidate>[] = [];
    for (let round = 0; round < 300; round += 1) {
      if (all.length < 4 || random() < 0.1) all.push(candidate(`c-${round}`));
      const one = all[Math.floor(random() * all.length)]!;
      if (random() < 0.05) one.stop.abort(new Error('stopping'));
      one.link.broken = ([undefined, 'before', 'after'] as const)[random() < 0.7 ? 0 : random() < 0.5 ? 1 : 2];
      await clock.advance(Math.floor(random() * 3_000));
      assert.ok(all.filter(({ mayWrite }) => mayWrite()).length <= 1, `round ${round}`);
    }
    assert.ok(all.filter(({ history }) => history.length > 0).length > 3, 'the leader never changed');
  });

  it('reports in health and metrics an expired Lease of a process that still leads', async () => {
    const { clock, candidate } = setUp();
    const frozen = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(stuck ? 1e9 : ms, signal),
    };
    let stuck = false;
    const one = candidate('one', { own: frozen });
    await clock.advance(10_000);
    assert.match(await one.registry.metrics(), /leader_election_master_status\{name="ccm"\} 1/);
    stuck = true;
    await clock.advance(60_000);
    assert.match(one.election.problem() ?? '', /the lease expired \d+ s ago/);
    assert.equal(one.mayWrite(), false);
  });
});
