import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { EventTarget } from '../../../src/controller/kubernetes-interface.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import type { ApiCall } from '../../../src/kubernetes/api-call.ts';
import { Events } from '../../../src/kubernetes/events.ts';
import { eventsCounter } from '../../../src/kubernetes/metrics.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const SERVICE: EventTarget = { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'shop', uid: 'u-1' };
const NODE: EventTarget = { apiVersion: 'v1', kind: 'Node', name: 'n-1', uid: 'n-1' };

interface Stored {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly count: number;
  readonly message: string;
  readonly reason: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly involvedObject: object;
  readonly source: object;
}

/** Users read events, so the recorder must not lose the first event of a kind, but must not flood the API server. */
describe('the event recorder', () => {
  const stops: AbortController[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop.abort();
  });

  const setUp = () => {
    const clock = new VirtualClock();
    const stored = new Map<string, Stored>();
    const calls: ApiCall[] = [];
    const failures: PortcullisError[] = [];
    const json = async <Value>(call: ApiCall): Promise<Value> => {
      calls.push(call);
      await clock.sleep(1);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      if (call.method === 'POST') {
        const event = call.body as Stored;
        stored.set(`${call.path}/${event.metadata.name}`, event);
      } else {
        const before = stored.get(call.path);
        if (before === undefined) throw new PortcullisError('NotFound', 'forgotten');
        stored.set(call.path, { ...before, ...call.body });
      }
      return {} as Value;
    };
    const registry = new Registry();
    const logged: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => void logged.push(line) });
    const requests = { json, stream: () => Promise.reject(new Error('no streams')) };
    const events = new Events({
      requests,
      clock,
      log,
      random: () => 0.5,
      written: eventsCounter(registry),
      instance: 'pod-1',
    });
    const stop = new AbortController();
    stops.push(stop);
    const running = events.run(stop.signal);
    const recorder = events.recorder('service-controller');
    const warn = (message: string, target = SERVICE): void =>
      recorder.record(target, 'Warning', 'SyncLoadBalancerFailed', message);
    return {
      clock,
      stored,
      calls,
      failures,
      logged,
      events,
      recorder,
      warn,
      stop,
      running,
      registry,
      list: () => [...stored.values()],
    };
  };

  it('writes the object, the reason, the source and the time', async () => {
    const { clock, warn, list } = setUp();
    warn('no quota');
    await clock.advance(10);
    assert.deepEqual(list(), [
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'web.19b76daa80080000000', namespace: 'shop' },
        involvedObject: { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'shop', uid: 'u-1' },
        reason: 'SyncLoadBalancerFailed',
        message: 'no quota',
        type: 'Warning',
        source: { component: 'service-controller' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
        reportingComponent: 'service-controller',
        reportingInstance: 'pod-1',
      },
    ]);
  });

  it('puts events about cluster-scoped objects into the default namespace', async () => {
    const { clock, warn, calls, list } = setUp();
    warn('no route', NODE);
    await clock.advance(10);
    assert.equal(calls[0]?.path, '/api/v1/namespaces/default/events');
    assert.deepEqual(list()[0]?.involvedObject, { apiVersion: 'v1', kind: 'Node', name: 'n-1', uid: 'n-1' });
  });

  it('counts repeated events in a single event', async () => {
    const { clock, warn, list, calls } = setUp();
    for (let minute = 0; minute < 3; minute += 1) {
      warn('no quota');
      await clock.advance(60_000);
    }
    assert.deepEqual(
      list().map(({ count, firstTimestamp, lastTimestamp }) => [count, firstTimestamp, lastTimestamp]),
      [[3, '2026-01-01T00:00:00Z', '2026-01-01T00:02:00Z']],
    );
    assert.deepEqual(
      calls.map(({ method }) => method),
      ['POST', 'PATCH', 'PATCH'],
    );
  });

  it('writes a burst once, with its count', async () => {
    const { clock, warn, list, calls } = setUp();
    for (let time = 0; time < 20; time += 1) warn('no quota');
    await clock.advance(10);
    assert.deepEqual([calls.length, list()[0]?.count], [1, 20]);
  });

  it('combines many different messages of a kind into an event', async () => {
    const { clock, warn, list } = setUp();
    for (let time = 0; time < 15; time += 1) warn(`request ${time} failed`);
    await clock.advance(60_000);
    const combined = list().filter(({ message }) => message.startsWith('(combined from similar events): '));
    assert.equal(list().length, 11);
    assert.deepEqual(
      combined.map(({ count, message }) => [count, message]),
      [[5, '(combined from similar events): request 14 failed']],
    );
  });

  it('separates messages again after ten quiet minutes', async () => {
    const { clock, warn, list } = setUp();
    for (let time = 0; time < 12; time += 1) warn(`request ${time} failed`);
    await clock.advance(601_000);
    warn('another');
    await clock.advance(1_000);
    assert.equal(list().at(-1)?.message, 'another');
  });

  it('limits the events of a noisy object, and of no other object', async () => {
    const { clock, warn, list, registry } = setUp();
    for (let time = 0; time < 100; time += 1) warn('no quota');
    warn('fine', { ...SERVICE, name: 'other', uid: 'u-2' });
    await clock.advance(10);
    assert.deepEqual(
      list().map(({ count }) => count),
      [25, 1],
    );
    assert.match(await registry.metrics(), /portcullis_events_total\{result="cut"\} 75/);
    await clock.advance(300_000);
    warn('no quota');
    await clock.advance(10);
    assert.equal(list()[0]?.count, 26);
  });

  it('creates an event again that the API server no longer has', async () => {
    const { clock, warn, stored, calls } = setUp();
    warn('no quota');
    await clock.advance(10);
    stored.clear();
    warn('no quota');
    await clock.advance(10);
    assert.deepEqual(
      calls.map(({ method }) => method),
      ['POST', 'PATCH', 'POST'],
    );
    assert.equal(stored.size, 1);
  });

  it('retries while the API server is unavailable, and keeps counting in the meantime', async () => {
    const { clock, warn, failures, list } = setUp();
    failures.push(new PortcullisError('Unavailable', 'away'), new PortcullisError('Unavailable', 'away'));
    warn('no quota');
    await clock.advance(500);
    warn('no quota');
    await clock.advance(60_000);
    assert.deepEqual(
      list().map(({ count }) => count),
      [2],
    );
  });

  it('drops a rejected event, logs it, and continues', async () => {
    const { clock, warn, recorder, failures, list, logged } = setUp();
    failures.push(new PortcullisError('Forbidden', 'no permission'));
    warn('no quota');
    recorder.record(SERVICE, 'Normal', 'EnsuredLoadBalancer', 'done');
    await clock.advance(10_000);
    assert.deepEqual(
      list().map(({ reason }) => reason),
      ['EnsuredLoadBalancer'],
    );
    assert.match(logged.join(''), /no permission.*failed to write an event/);
  });

  it('drops events of a namespace in deletion, and logs that at debug level without a stack', async () => {
    const { clock, warn, failures, list, logged } = setUp();
    failures.push(new PortcullisError('Rejected', 'it is being terminated', { code: 'NamespaceTerminating' }));
    warn('no quota');
    await clock.advance(60_000);
    assert.deepEqual(list(), []);
    assert.deepEqual(
      logged.map((line) => JSON.parse(line) as object).map((line) => ({ ...line, time: 0, pid: 0, hostname: '' })),
      [
        {
          level: 20,
          time: 0,
          pid: 0,
          hostname: '',
          object: 'shop/web',
          reason: 'SyncLoadBalancerFailed',
          msg: 'event dropped: the namespace is terminating',
        },
      ],
    );
  });

  it('queues at most a thousand events', async () => {
    const { clock, warn, registry } = setUp();
    for (let time = 0; time < 1_500; time += 1) warn('no quota', { ...SERVICE, name: `s-${time}`, uid: `u-${time}` });
    await clock.advance(1);
    assert.match(await registry.metrics(), /portcullis_events_total\{result="cut"\} 500/);
  });

  it('writes at most ten per second after a burst', async () => {
    const { clock, warn, calls } = setUp();
    for (let time = 0; time < 200; time += 1) warn('no quota', { ...SERVICE, name: `s-${time}`, uid: `u-${time}` });
    await clock.advance(5_000);
    assert.ok(calls.length >= 70 && calls.length <= 76, `${calls.length} calls`);
  });

  it('writes the queued events when it is stopped, and ends', async () => {
    const { clock, warn, list, stop, running } = setUp();
    warn('last words');
    stop.abort(new Error('stopping'));
    await clock.complete(running);
    assert.deepEqual(
      list().map(({ message }) => message),
      ['last words'],
    );
  });

  it('ends within five seconds of the stop if the API server is unavailable', async () => {
    const { clock, warn, failures, stop, running } = setUp();
    for (let time = 0; time < 50; time += 1) failures.push(new PortcullisError('Unavailable', 'away'));
    warn('last words');
    await clock.advance(10);
    stop.abort(new Error('stopping'));
    const from = clock.monotonic();
    await clock.complete(running);
    assert.ok(clock.monotonic() - from <= 5_000);
  });

  it('derives a valid name from a long name', async () => {
    const { clock, warn, list } = setUp();
    warn('m', { ...NODE, name: `${'a'.repeat(199)}.${'b'.repeat(50)}` });
    await clock.advance(10);
    assert.match(list()[0]?.metadata.name ?? '', /^a{199}\.[0-9a-f]+$/);
  });

  it('truncates a message to 1,024 bytes, between characters', async () => {
    const { clock, warn, list } = setUp();
    for (const character of ['m', '中', '😀']) warn(character.repeat(3_000));
    await clock.advance(10);
    assert.deepEqual(
      list().map(({ message }) => message),
      [`${'m'.repeat(1_021)}…`, `${'中'.repeat(340)}…`, `${'😀'.repeat(255)}…`],
    );
  });
});
