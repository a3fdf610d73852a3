import assert from 'node:assert/strict';
import { SEED } from '../../../support/bindings.ts';
import { AN_AUDIT_MS, ENDPOINT_SLICES, keyOf, NODES, objectKey, SERVICES } from '../../../support/simulated-cluster.ts';
import { aPodSlice } from '../../../support/pods.ts';
import {
  annotated,
  apply,
  events,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const READY = ['True', 'EnsuredLoadBalancer'];
const INVALID = ['False', 'Invalid'];
/** Six violations: three block a change, and three are in ineffective entries or keys. */
const SIX = annotated({
  scheduler: 'nonsense',
  bandwidth: 'wide',
  'healthy-threshold': '99',
  'protocol-port': 'tcp:80,http:80,tcp:9999',
  'health-chek-flag': 'on',
});

const actions = (run: Awaited<ReturnType<typeof running>>, since: number): readonly string[] =>
  run.cluster.journal(since).map(({ action }) => action);

/** Users must find all violations of a served Service in one message, and must not get the message again with every reconcile. */
describe('violations of a Service that is served', () => {
  it('are reported by event and condition without a call, until the Service is corrected', async () => {
    const run = await running();
    await apply(run);
    const since = callCount(run);
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'nonsense' }) } });
    assert.deepEqual(statusAndReason(run), INVALID);
    assert.match(messageOf(run), /scheduler.*nonsense/);
    assert.equal(events(run, 'SyncLoadBalancerFailed').length, 1);
    await patch(run, { metadata: { annotations: annotated({ scheduler: null }) } });
    assert.deepEqual(statusAndReason(run), READY);
    assert.deepEqual(actions(run, since), []);
    await run.process.stop();
  });

  it('are found if they were stored while no controller ran, and are reported once', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    const since = callCount(run);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
      metadata: { annotations: annotated({ scheduler: 'nonsense' }) },
    });
    for (const count of [1, 1]) {
      const process = run.cluster.start();
      await run.cluster.quiet();
      assert.deepEqual(statusAndReason(run), INVALID);
      assert.equal(events(run, 'SyncLoadBalancerFailed').length, count);
      await process.stop();
    }
    assert.deepEqual(actions(run, since), []);
  });

  it('are all named, including those that block nothing', async () => {
    const run = await running();
    await apply(run, { annotations: SIX });
    const parts = ['nonsense', 'wide', '99', 'http:80', 'tcp:9999', 'health-chek-flag'];
    const reports = events(run, 'SyncLoadBalancerFailed');
    assert.ok(reports.every(({ length }) => length <= 1_024));
    for (const text of [messageOf(run), reports.join()])
      assert.deepEqual(
        parts.filter((part) => !text.includes(part)),
        [],
        text,
      );
    await run.process.stop();
  });

  it('leave the Service ready if they have no effect, and are reported once', async () => {
    const run = await running();
    const ignored = annotated({ 'acl-statsu': 'on', 'protocol-port': 'tcp:80,tcp:9999' });
    await apply(run, { annotations: ignored });
    const reported = (): readonly string[] => [
      messageOf(run),
      ...events(run, 'EnsuredLoadBalancer').filter((message) => message.includes('without effect')),
    ];
    assert.deepEqual(statusAndReason(run), READY);
    assert.equal(reported().length, 2);
    for (const text of reported()) {
      assert.match(text, /acl-statsu.*tcp:9999|tcp:9999.*acl-statsu/s);
      assert.equal(text.match(/ \[[a-z-]+\]/g)?.length, 2, text);
    }
    const before = reported();
    await run.process.stop();
    const since = callCount(run);
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual(reported(), before);
    await patch(run, { metadata: { annotations: annotated({ 'acl-statsu': null, 'protocol-port': 'tcp:80' }) } });
    assert.deepEqual([statusAndReason(run), messageOf(run)], [READY, 'The load balancer matches the Service']);
    assert.deepEqual(actions(run, since), []);
    await process.stop();
  });

  it('that have no effect are named after the cause for which the Service is not ready', async () => {
    const run = await running();
    await apply(run, {
      annotations: annotated({ 'acl-statsu': 'on', 'acl-status': 'on', 'acl-id': 'acl-none', 'acl-type': 'white' }),
    });
    assert.deepEqual(statusAndReason(run), ['False', 'InvalidAccessControlListRef']);
    for (const text of [messageOf(run), events(run, 'SyncLoadBalancerFailed').join()])
      assert.match(text, /acl-none.*acl-statsu/s);
    await run.process.stop();
  });

  it('are named once if one of them also blocks a change', async () => {
    const run = await running({}, { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1' }] });
    const shared = { id: 'lb-shared', 'force-override-listeners': 'true' };
    const other = { name: 'pay', namespace: 'payments', uid: '10000000-0000-4000-8000-000000000001', ports: [443] };
    await apply(run, { ...other, annotations: annotated(shared) });
    await apply(run, { annotations: annotated({ ...shared, name: 'mine' }) });
    const before = events(run, 'SyncLoadBalancerFailed').length;
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'nonsense' }) } });
    assert.deepEqual(statusAndReason(run), INVALID);
    const reports = events(run, 'SyncLoadBalancerFailed').slice(before);
    for (const part of ['"nonsense"', '[reuse-attribute]', 'blocked: rename'])
      for (const text of [messageOf(run), reports.join()])
        assert.equal(text.split(part).length - 1, 1, `${part}: ${text}`);
    await run.process.stop();
  });

  const TAKEN = {
    'the API server': { 'Tag.1.Key': 'ack.aliyun.com', 'Tag.1.Value': 'c1' },
    'another cluster': { 'Tag.1.Key': 'kubernetes.do.not.delete', 'Tag.1.Value': 'another' },
  };
  for (const [owner, tags] of Object.entries(TAKEN))
    it(`are named once if the user-managed load balancer becomes that of ${owner}`, async () => {
      const run = await running({ controllers: ['service', 'inventory'] }, SEED);
      await apply(run, { annotations: annotated({ id: 'lb-shared', 'force-override-listeners': 'true' }) });
      await run.cluster.ask('TagResources', { ResourceType: 'instance', 'ResourceId.1': 'lb-shared', ...tags });
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(statusAndReason(run), INVALID);
      for (const text of [messageOf(run), ...events(run, 'SyncLoadBalancerFailed')])
        assert.equal(text.split('lb-shared').length - 1, 1, text);
      await run.process.stop();
    });

  it('cost only the calls that backends need', async () => {
    const run = await running();
    await apply(run);
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'nonsense' }) } });
    const since = callCount(run);
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet();
    assert.deepEqual(actions(run, since), ['RemoveVServerGroupBackendServers']);
    await run.process.stop();
  });
});

/** Returns ports with a violation each. */
const odd = (count: number, protocol = 'SCTP') =>
  Array.from({ length: count }, (_, n) => ({ name: `p${n}`, port: n + 1, protocol }));

/** Returns unknown keys with a violation each, and an unreadable value. */
const unknown = (count: number, value: string) =>
  annotated({
    scheduler: 'nonsense',
    ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`health-check-timeouts-${n}`, value])),
  });

describe('more violations than an event or a condition can contain', () => {
  const BETWEEN = /; (?=spec\.ports|metadata\.annotations|port \d+:|and \d+ more)/;
  const WHOLE = /(?: \[[a-z-]+\]|; use TCP or UDP)$/;
  const LAST = /^and (\d+) more(: see the condition LoadBalancerReady)?$/;

  /** Returns the number of violations with a complete message, and the number that the last message only counts. */
  function counted(messages: readonly string[]): { readonly named: number; readonly more: number } {
    const texts = messages.flatMap((message) => message.split(BETWEEN));
    const [, more = '0'] = LAST.exec(texts.at(-1) ?? '') ?? [];
    const named = texts.filter((text) => !LAST.test(text));
    assert.deepEqual(
      named.filter((text) => !WHOLE.test(text)),
      [],
    );
    return { named: named.length, more: Number(more) };
  }

  interface Many {
    readonly change: object;
    readonly violations: number;
    /** True if the events, or the condition, are too short for all violations. */
    readonly isCut: readonly [events: boolean, condition: boolean];
  }

  // The caches keep 101 ports or 20 unknown annotations of a Service. One more violation is about the excess of ports, or the scheduler.
  const MANY: Readonly<Record<string, Many>> = {
    'ports with an odd protocol': { change: { spec: { ports: odd(1_500) } }, violations: 102, isCut: [true, false] },
    'ports with a protocol of surrogate pairs': {
      change: { spec: { ports: odd(1_500, '😀'.repeat(200)) } },
      violations: 102,
      isCut: [true, true],
    },
    'annotations without effect': {
      change: { metadata: { annotations: unknown(500, '中') } },
      violations: 21,
      isCut: [true, false],
    },
  };
  for (const [many, { change, violations, isCut }] of Object.entries(MANY))
    it(`are counted beyond the limits: ${many}`, async () => {
      const run = await running();
      await apply(run);
      await patch(run, change);
      const reports = events(run, 'SyncLoadBalancerFailed');
      assert.ok(reports.length <= 5, `${reports.length} events`);
      const found = [counted(reports), counted([messageOf(run)])];
      assert.deepEqual(
        found.map(({ named, more }) => [named + more, named > 0, more > 0]),
        isCut.map((cut) => [violations, true, cut]),
      );
      for (const [messages, limit] of [
        [reports, 1_024],
        [[messageOf(run)], 32_768],
      ] as const)
        assert.ok(messages.every((message) => Buffer.byteLength(message) <= limit));
      await run.process.stop();
    });

  it('are counted beyond the limits after the failure of a call', async () => {
    const run = await running();
    await apply(run);
    const [action, code] = ['RemoveVServerGroupBackendServers', 'Forbidden.RAM'];
    run.cluster.simulator.faults([{ action, effect: 'reject', code, status: 403, count: 'forever' }]);
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await patch(run, { spec: { ports: [...(aService().spec?.ports ?? []), ...odd(45, '😀'.repeat(200))] } });
    await run.cluster.quiet(30 * 60_000);
    const all = events(run, 'SyncLoadBalancerFailed');
    const [reports, again] = [all.slice(0, 5), all.slice(5)];
    assert.deepEqual(statusAndReason(run), ['False', 'Forbidden']);
    for (const messages of [reports, [messageOf(run)]]) {
      assert.match(messages[0] ?? '', new RegExp(action));
      assert.match(
        messages.at(-1) ?? '',
        /( \[[a-z-]+\]|TCP or UDP); and \d+ more(: see the condition LoadBalancerReady)?$/,
      );
    }
    assert.ok(again.length > 0 && again.every((message) => message.includes(action)));
    await run.process.stop();
  });

  for (const [service, isServed] of [
    ['served', true],
    ['new', false],
  ] as const)
    it(`are reported once for a ${service} Service, however often it is reconciled`, async () => {
      const run = await running();
      if (isServed) await apply(run);
      run.cluster.kubernetes.put(SERVICES, {
        ...(run.cluster.service('web') ?? aService()),
        spec: { type: 'LoadBalancer', ports: odd(30) },
      });
      await run.cluster.quiet();
      const reports = events(run, 'SyncLoadBalancerFailed');
      assert.equal(reports.length, 5);
      for (const pods of [[1], [1, 2], [2]] as const) {
        run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(aService(), pods));
        await run.cluster.quiet(10 * 60_000);
      }
      await patch(run, { metadata: { labels: { team: 'shop' } } });
      assert.deepEqual(events(run, 'SyncLoadBalancerFailed'), reports);
      await run.process.stop();
    });

  it('are reported again when they change', async () => {
    const run = await running();
    await apply(run);
    for (const [count, reports] of [
      [30, 5],
      [29, 10],
      [1, 11],
    ] as const) {
      await patch(run, { spec: { ports: odd(count) } });
      assert.equal(events(run, 'SyncLoadBalancerFailed').length, reports);
    }
    await run.process.stop();
  });
});
