import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../../../src/base/clock.ts';
import { hasReason } from '../../../src/base/errors.ts';
import { Election } from '../../../src/kubernetes/lease.ts';
import { leadingGauge } from '../../../src/kubernetes/metrics.ts';
import type { Requests } from '../../../src/kubernetes/transport.ts';
import { LeaseStore } from '../../support/lease-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const CALL_MS = 8_000;

/** Clock and network of a process that a test can freeze: the time continues, but neither timers nor answers reach the frozen process. */
class Ice implements Clock {
  readonly #clock: Clock;
  #thawed = Promise.resolve();
  #thaw: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  freeze(): void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#thawed = promise;
    this.#thaw = () => resolve(undefined);
  }

  thaw(): void {
    this.#thaw();
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal).finally(() => this.#thawed);
  }

  /** Returns the requests of the process. Sent requests take effect even while the process is frozen. */
  requests(network: Requests): Requests {
    return {
      json: (call, signal) => network.json<never>(call, signal).finally(() => this.#thawed),
      stream: (call, signal) => network.stream(call, signal).finally(() => this.#thawed),
    };
  }
}

/** Creates a candidate that does nothing while it leads. */
function candidate(identity: string, requests: Requests, clock: Clock) {
  const election = new Election({
    requests,
    clock,
    random: () => 1,
    log: pino({ level: 'silent' }),
    leading: leadingGauge(new Registry()),
    identity,
  });
  const stop = new AbortController();
  const lead = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const outcome = election.run(lead, stop.signal).catch((error: unknown) => error);
  return { election, stop, outcome, mayWrite: () => election.mayWrite(CALL_MS) };
}

/** A frozen process does not know that its Lease expired, so a write after its return could create a second load balancer. */
describe('a frozen leader', () => {
  // A cycle of two seconds and a renewal of 300 ms: the moments lie between two renewals and in a renewal.
  for (let moment = 0; moment < 2_400; moment += 100) {
    it(`ends without a write if another leads at its return (frozen ${moment} ms into the cycle)`, async () => {
      const clock = new VirtualClock();
      const store = new LeaseStore(clock);
      store.latencyMs = 300;
      const ice = new Ice(clock);
      const one = candidate('one', ice.requests(store.connect()), ice);
      await clock.advance(1_000);
      const two = candidate('two', store.connect(), clock);
      await clock.advance(10_000 + moment);
      assert.equal(one.mayWrite(), true);
      ice.freeze();
      await clock.run(() => two.mayWrite(), 60_000);
      assert.equal(one.mayWrite(), false);
      ice.thaw();
      await clock.run(() => {
        assert.equal(one.mayWrite(), false);
        return !one.election.isLeading;
      }, 10_000);
      assert.ok(hasReason(await clock.complete(one.outcome), 'LostLeadership'));
      assert.deepEqual([store.holder, two.mayWrite()], ['two', true]);
      two.stop.abort(new Error('the test is over'));
      await clock.complete(two.outcome);
    });
  }
});
