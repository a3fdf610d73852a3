import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { PortcullisError } from '../../../src/base/errors.ts';
import type { ApiCall } from '../../../src/kubernetes/api-call.ts';
import { reflectorMetrics } from '../../../src/kubernetes/metrics.ts';
import { reportCaches } from '../../../src/kubernetes/policy-report-caches.ts';
import { objectKey } from '../../../src/base/kubernetes-objects.ts';
import { digestOfReport, reportOf } from '../../../src/policy/report.ts';
import { ApiScript, listEnd, type Step } from '../../support/api-script.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const OPEN = { group: 'openreports.io' };
const CONTENT = reportOf(
  {
    namespace: 'shop',
    evaluated: 1,
    services: [
      {
        ...{ name: 'web', uid: 'u1' },
        found: [{ rule: 'limits', tier: 'hygiene', consequence: 'deny', field: 'spec.ports', message: 'too many' }],
      },
    ],
  },
  OPEN,
);
const METADATA = { name: 'portcullis', namespace: 'shop', uid: 'u', resourceVersion: '7' };
const missing = (): Step => new PortcullisError('NotFound', 'there is no such kind', { code: '404' });
const forbidden = (): Step => new PortcullisError('Forbidden', 'you may not', { code: '403' });

/** Clusters serve different kinds of policy reports, or none, so the controller must find out which kind it can write. */
describe('the caches of reports', () => {
  /** Creates caches for these watch answers, by plural. */
  const setUp = (answers: Record<string, () => readonly Step[]>) => {
    const clock = new VirtualClock();
    const registry = new Registry();
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const script = ({ path }: ApiCall): readonly Step[] => answers[path.split('/').at(-1) ?? '']?.() ?? [missing()];
    const api = new ApiScript({ streams: [script], answers: [forbidden()] });
    const caches = reportCaches({ transport: api, clock, metrics: reflectorMetrics(registry), log, random: () => 1 });
    const stop = new AbortController();
    const running = caches.run(stop.signal);
    const states = (): readonly string[] => caches.reportStores.map((store) => store.state());
    return {
      ...{ clock, registry, api, caches, lines, states },
      stop: async () => {
        stop.abort(new Error('the test is over'));
        await clock.complete(running);
      },
    };
  };
  const none = (): readonly Step[] => [listEnd('5'), 'stay'];

  it('follow our reports of the served kinds, and keep their content as a digest', async () => {
    const reversed = Object.fromEntries(Object.entries(CONTENT ?? {}).reverse());
    const report = { kind: 'Report', metadata: { ...METADATA, managedFields: [] }, ...reversed };
    const test = setUp({ reports: () => [{ type: 'ADDED', object: report }, ...none()] });
    await test.clock.advance(1_000);
    assert.deepEqual(test.states(), ['served', 'absent']);
    const [open] = test.caches.reportStores;
    assert.ok(CONTENT);
    assert.deepEqual(open?.reports.get(objectKey('portcullis', 'shop')), {
      metadata: METADATA,
      digest: digestOfReport(CONTENT),
    });
    const selectors = new Set(
      test.api.calls.map(({ query }) => `${query?.['labelSelector'] ?? ''} ${query?.['fieldSelector'] ?? ''}`),
    );
    assert.deepEqual([...selectors], ['app.kubernetes.io/managed-by=portcullis metadata.name=portcullis']);
    await test.stop();
  });

  it('find new kinds within seconds of the start', async () => {
    let isServed = false;
    const test = setUp({ reports: () => (isServed ? none() : [missing()]) });
    await test.clock.advance(5_000);
    isServed = true;
    await test.clock.advance(5_000);
    assert.deepEqual(test.states(), ['served', 'absent']);
    await test.stop();
  });

  it('check for missing kinds with back-off up to a minute, and follow their changes', async () => {
    let isServed = false;
    const test = setUp({ policyreports: () => (isServed ? [listEnd('5')] : [missing()]) });
    await test.clock.advance(600_000);
    assert.deepEqual(test.states(), ['absent', 'absent']);
    assert.ok(test.api.calls.length <= 2 * 16, String(test.api.calls.length));
    const before = test.api.calls.length;
    await test.clock.advance(600_000);
    assert.ok(test.api.calls.length - before <= 2 * 10, String(test.api.calls.length - before));
    isServed = true;
    await test.clock.advance(70_000);
    assert.deepEqual(test.states(), ['absent', 'served']);
    isServed = false;
    await test.clock.advance(70_000);
    assert.deepEqual(test.states(), ['absent', 'absent']);
    const heard = await test.registry.getSingleMetric('reflector_last_event_timestamp_seconds')?.get();
    assert.deepEqual(heard?.values, [], 'a kind that is not served has no last event');
    await test.stop();
  });

  it('log a missing permission once, and are then closed', async () => {
    const test = setUp({ reports: () => [forbidden()] });
    assert.deepEqual(test.states(), ['unknown', 'unknown']);
    await test.clock.advance(600_000);
    assert.deepEqual(test.states(), ['closed', 'absent']);
    assert.equal(test.lines.length, 1, test.lines.join(''));
    await test.stop();
  });
});
