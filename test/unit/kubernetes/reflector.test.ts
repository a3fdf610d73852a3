import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { PortcullisError } from '../../../src/base/errors.ts';
import { reflectorMetrics } from '../../../src/kubernetes/metrics.ts';
import { Reflector } from '../../../src/kubernetes/reflector.ts';
import { Cache } from '../../../src/kubernetes/cache.ts';
import { CONFIG_MAPS, keyOf, type ConfigMap } from '../../../src/base/kubernetes-objects.ts';
import { ApiScript, bookmark, listEnd, type Script, type Step } from '../../support/api-script.ts';
import { withoutManagedFields } from '../../support/kubernetes-access.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const map = (name: string, version: string): ConfigMap => ({
  metadata: { name, namespace: 'default', uid: name, resourceVersion: version, managedFields: [{}] },
});
const event = (type: string, name: string, version: string): Step => ({ type, object: map(name, version) });
const added = (name: string, version: string): Step => event('ADDED', name, version);
const error = (code: number): Step => ({ type: 'ERROR', object: { kind: 'Status', code, message: 'too old' } });
const failure = (code: string): Error => new PortcullisError('Unavailable', `refused ${code}`, { code });
const cut = new Error('other side closed');

/** A gap in a watch would hide changes, and repeated lists would overload the API server. */
describe('the reflector', () => {
  const setUp = (streams: readonly Script[], answers: readonly unknown[] = [], isOptional = false) => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const log = pino(
      { level: 'info' },
      { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) },
    );
    const api = new ApiScript({ streams, answers });
    const cache = new Cache<ConfigMap>(log);
    const changes: string[] = [];
    cache.onChange(({ before, after }) => {
      changes.push(`${before?.metadata.resourceVersion ?? '-'}>${after?.metadata.resourceVersion ?? '-'}`);
    });
    const registry = new Registry();
    const metrics = reflectorMetrics(registry);
    const shared = { transport: api, clock, random: () => 1, metrics, log, isOptional };
    const reflector = new Reflector({ ...shared, resource: CONFIG_MAPS, cache, trim: withoutManagedFields });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    const queries = (): readonly Record<string, string>[] => api.calls.map(({ query }) => ({ ...query }));
    const names = (): string[] => [...cache.values()].map(keyOf).toSorted();
    return { clock, api, cache, changes, reflector, queries, names, registry, stop, running, lines };
  };
  const froms = (queries: readonly Record<string, string>[]): string[] =>
    queries.map((query) =>
      query['limit'] === undefined ? (query['resourceVersion'] ?? 'list') : `page ${query['continue'] ?? ''}`.trim(),
    );

  it('reads a streaming list and is synced only at its end', async () => {
    const early = setUp([[added('a', '1'), bookmark('2'), 'stay']]);
    await early.clock.settle();
    assert.deepEqual([early.names(), early.cache.hasSynced()], [['default/a'], false]);
    const whole = setUp([[added('a', '1'), listEnd('5'), 'stay']]);
    await whole.clock.settle();
    assert.deepEqual(
      [whole.names(), whole.cache.hasSynced(), whole.reflector.problem()],
      [['default/a'], true, undefined],
    );
    assert.equal(whole.queries()[0]?.['sendInitialEvents'], 'true');
    assert.equal(whole.queries()[0]?.['allowWatchBookmarks'], 'true');
  });

  it('requests a timeout between five and ten minutes', async () => {
    const { clock, queries } = setUp([[listEnd('5'), 'stay']]);
    await clock.settle();
    assert.equal(queries()[0]?.['timeoutSeconds'], '600');
  });

  it('follows additions, changes and deletions, and stores trimmed objects', async () => {
    const events = [event('ADDED', 'b', '6'), event('MODIFIED', 'a', '7'), event('DELETED', 'b', '8')];
    const { clock, cache, changes } = setUp([[added('a', '1'), listEnd('5'), ...events, 'stay']]);
    await clock.settle();
    assert.deepEqual(changes, ['->1', '->6', '1>7', '6>-']);
    assert.equal([...cache.values()][0]?.metadata.managedFields, undefined);
  });

  it('resumes at once from the last version, also from a bookmark, if the server ends the watch', async () => {
    const { clock, queries } = setUp([[added('a', '1'), listEnd('5'), bookmark('9')], ['stay']]);
    await clock.settle();
    assert.deepEqual(froms(queries()), ['list', '9']);
  });

  it('resumes from the last version after a wait if the watch is interrupted', async () => {
    const { clock, queries, reflector } = setUp([[listEnd('5'), added('a', '6'), cut], [failure('503')], ['stay']]);
    await clock.settle();
    assert.match(reflector.problem() ?? '', /was interrupted: other side closed/);
    await clock.advance(800);
    assert.deepEqual(froms(queries()), ['list', '6']);
    await clock.advance(1600);
    assert.deepEqual(froms(queries()), ['list', '6', '6']);
    assert.equal(reflector.problem(), undefined);
  });

  it('survives fifty interruptions without another list or longer waits while events arrive', async () => {
    let version = 5;
    const flap: Script = () => [added('a', String((version += 1))), cut];
    const { clock, queries, cache } = setUp([[listEnd('5')], flap]);
    await clock.advance(50 * 800);
    assert.equal(queries().filter((query) => query['resourceVersion'] === undefined).length, 1);
    assert.ok(version >= 55, `only ${version - 5} events`);
    assert.equal(cache.size, 1);
  });

  it('waits at most thirty seconds for an unavailable server', async () => {
    const { clock, queries } = setUp([[listEnd('5')], [failure('ECONNREFUSED')]]);
    await clock.advance(600_000);
    const before = queries().length;
    await clock.advance(300_000);
    assert.equal(queries().length - before, 10);
  });

  it('lists again at once if the server answers 410, and drops removed objects', async () => {
    const { clock, queries, changes } = setUp([
      [added('a', '1'), added('b', '2'), listEnd('5')],
      [failure('410')],
      [added('b', '2'), added('c', '8'), listEnd('9'), 'stay'],
    ]);
    await clock.settle();
    assert.deepEqual(froms(queries()), ['list', '5', 'list']);
    assert.deepEqual(changes, ['->1', '->2', '->8', '1>-']);
  });

  it('lists again at once after an ERROR event with 410', async () => {
    const { clock, queries, names } = setUp([
      [added('a', '1'), listEnd('5')],
      [error(410)],
      [added('c', '8'), listEnd('9'), 'stay'],
    ]);
    await clock.settle();
    assert.deepEqual(froms(queries()), ['list', '5', 'list']);
    assert.deepEqual(names(), ['default/c']);
  });

  it('does not list in a tight loop if every version has expired', async () => {
    const { clock, queries } = setUp([[listEnd('5')], [error(410)], [listEnd('6')], [error(410)]]);
    await clock.settle();
    assert.ok(queries().length < 6, `${queries().length} requests in no time`);
  });

  it('lists again if the same version returns only invalid events', async () => {
    const { clock, queries } = setUp([
      [listEnd('5')],
      ['bytes that are no event'],
      [error(500)],
      ['bytes that are no event'],
      ['stay'],
    ]);
    await clock.advance(60_000);
    assert.deepEqual(froms(queries()), ['list', '5', '5', '5', 'list']);
  });

  for (const code of ['400', '403', '422']) {
    it(`reads pages if a streaming list is rejected with ${code}`, async () => {
      const pages = [
        { metadata: { resourceVersion: '7', continue: 'more' }, items: [map('a', '1')] },
        { metadata: { resourceVersion: '7' }, items: [map('b', '2')] },
      ];
      const { clock, queries, names, cache } = setUp([[failure(code)], ['stay']], pages);
      await clock.settle();
      assert.deepEqual(froms(queries()), ['list', 'page', 'page more', '7']);
      assert.deepEqual([names(), cache.hasSynced()], [['default/a', 'default/b'], true]);
    });
  }

  it('reads the pages from the start if the token of a page has expired', async () => {
    const pages = [
      { metadata: { resourceVersion: '7', continue: 'more' }, items: [map('a', '1')] },
      failure('410'),
      { metadata: { resourceVersion: '9' }, items: [map('b', '8')] },
    ];
    const { clock, names, queries } = setUp([[failure('422')], ['stay']], pages);
    await clock.settle();
    assert.deepEqual(froms(queries()), ['list', 'page', 'page more', 'page', '9']);
    assert.deepEqual(names(), ['default/b']);
  });

  it('reads pages if a streaming list ends early', async () => {
    const { clock, queries, cache } = setUp(
      [[added('a', '1')], ['stay']],
      [{ metadata: { resourceVersion: '7' }, items: null }],
    );
    await clock.advance(800);
    assert.deepEqual(froms(queries()), ['list', 'page', '7']);
    assert.equal(cache.size, 0);
  });

  it('keeps its objects while it cannot list, and reports the reason', async () => {
    const { clock, cache, reflector } = setUp([[added('a', '1'), listEnd('5')], [error(410)], [failure('503')]]);
    await clock.advance(100_000);
    assert.equal(cache.size, 1);
    assert.equal(cache.hasSynced(), true);
    assert.match(reflector.problem() ?? '', /refused 503/);
  });

  it('logs after a failure that an optional kind is missing, not that the watch resumed', async () => {
    const missing = new PortcullisError('NotFound', 'no such kind', { code: '404' });
    const streams = [[failure('503')], [missing], [listEnd('5'), 'stay']] as const;
    const { clock, reflector, lines } = setUp(streams, [], true);
    await clock.advance(800);
    assert.match(lines.join(', '), /^watch failed, the API server does not serve this kind[^,]*$/);
    assert.equal(reflector.problem(), undefined);
    await clock.advance(1_000);
    assert.equal(lines.length, 2);
    assert.equal(reflector.problem(), undefined);
  });

  it('waits as long as the server requests', async () => {
    const away = new PortcullisError('Unavailable', 'slow down', { code: '429', retryAfterMs: 9_000 });
    const { clock, queries } = setUp([[away], [listEnd('5'), 'stay']]);
    await clock.advance(8_999);
    assert.equal(queries().length, 1);
    await clock.advance(1);
    assert.equal(queries().length, 2);
  });

  it('treats a watch that ends at once as a failure', async () => {
    const { clock, queries } = setUp([[listEnd('5')], []]);
    await clock.advance(790);
    assert.equal(queries().length, 2);
  });

  it('stops if its signal is aborted, during a watch and during a wait', async () => {
    for (const streams of [[[listEnd('5'), 'stay']], [[failure('503')]]] as const) {
      const { clock, stop, running, queries } = setUp(streams);
      await clock.settle();
      stop.abort(new Error('stopping'));
      await running;
      assert.equal(queries().length, 1);
    }
  });

  it('counts lists, watches, failures and objects', async () => {
    const { clock, registry } = setUp([[added('a', '1'), listEnd('5'), cut], ['stay']]);
    await clock.advance(1000);
    const text = await registry.metrics();
    assert.match(text, /reflector_lists_total\{resource="configmaps"\} 1/);
    assert.match(text, /reflector_watches_total\{resource="configmaps"\} 2/);
    assert.match(text, /reflector_failures_total\{resource="configmaps",reason="Unavailable"\} 1/);
    assert.match(text, /reflector_objects\{resource="configmaps"\} 1/);
    assert.match(text, /reflector_last_event_timestamp_seconds\{resource="configmaps"\} 1767225600/);
  });
});
