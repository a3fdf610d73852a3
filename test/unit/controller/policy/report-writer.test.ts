import assert from 'node:assert/strict';
import { pino } from 'pino';
import { PolicyReports } from '../../../../src/controller/policy/report-writer.ts';
import { PortcullisError } from '../../../../src/base/errors.ts';
import { MOST_RESULTS, type ReportedFinding, type NamespaceFindings } from '../../../../src/policy/report.ts';
import { reportsDouble } from '../../../support/reports.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const MINUTE_MS = 60_000;
const FORBIDDEN = new PortcullisError('Forbidden', 'no', { code: '403' });
const finding = (input: Partial<ReportedFinding> = {}): ReportedFinding => ({
  rule: 'policy/p/c',
  tier: 'hygiene',
  consequence: 'deny',
  field: 'spec.ports[0].port',
  message: 'found "22"',
  ...input,
});

/** Creates a reporter for the findings of a test, by namespace and Service. */
function setUp(double = reportsDouble()) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const found = new Map<string, Readonly<Record<string, readonly ReportedFinding[]>>>();
  const source = {
    get namespaces() {
      return found.keys();
    },
    of: (namespace: string): NamespaceFindings => {
      const services = Object.entries(found.get(namespace) ?? {});
      return {
        namespace,
        evaluated: services.length,
        services: services
          .filter(([, all]) => all.length > 0)
          .map(([name, all]) => ({ name, uid: `uid-of-${name}`, found: all })),
      };
    },
  };
  const reports = new PolicyReports({ ...double, clock, log });
  const signal = new AbortController().signal;
  const write = () => clock.complete(reports.write(source, signal));
  const note = (namespace: string, services: Readonly<Record<string, readonly ReportedFinding[]>>): void => {
    found.set(namespace, services);
    reports.changed([namespace]);
  };
  return {
    ...double,
    double,
    clock,
    reports,
    write,
    note,
    failuresLogged: () => lines.filter((line) => line.includes('failed to write')).length,
    find: async (namespace: string, services: Readonly<Record<string, readonly ReportedFinding[]>>): Promise<void> => {
      note(namespace, services);
      await write();
    },
  };
}

/** Writes of reports must not flood the API server, and failed writes in a namespace must not delay the reports of other namespaces. */
describe('the reports of findings', () => {
  it('exist if there are findings, and list all of them', async () => {
    const test = setUp();
    await test.find('shop', { web: [finding(), finding({ consequence: 'warn', rule: 'target-port' })], good: [] });
    const report = test.report('shop');
    assert.deepEqual(report?.summary, { pass: 1, fail: 1, warn: 1, error: 0, skip: 0 });
    assert.deepEqual(report.metadata.labels, { 'app.kubernetes.io/managed-by': 'portcullis' });
    assert.equal(report.source, 'portcullis');
    assert.deepEqual(
      report.results.map(({ policy, rule, result, scored, severity }) => [policy, rule, result, scored, severity]),
      [
        ['p', 'c', 'fail', true, 'medium'],
        ['portcullis', 'target-port', 'warn', false, 'low'],
      ],
    );
    assert.deepEqual(report.results[0]?.resources, [
      { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web', uid: 'uid-of-web' },
    ]);
  });

  it('do not exist without findings', async () => {
    const test = setUp();
    await test.find('shop', { web: [] });
    assert.deepEqual(test.writes, []);
  });

  it('are written again only if the findings change', async () => {
    const test = setUp();
    await test.find('shop', { web: [finding()] });
    await test.find('shop', { web: [finding()] });
    assert.deepEqual(test.writes, ['create reports shop']);
    await test.find('shop', { web: [finding({ message: 'found "23"' })] });
    assert.deepEqual(test.writes, ['create reports shop', 'patch reports shop']);
  });

  it('are not written again after a restart without new findings', async () => {
    const test = setUp();
    await test.find('shop', { web: [finding()] });
    const next = setUp(test.double);
    await next.find('shop', { web: [finding()] });
    assert.deepEqual(test.writes, ['create reports shop']);
  });

  it('are deleted without findings', async () => {
    const test = setUp();
    await test.find('shop', { web: [finding()] });
    await test.find('shop', { web: [] });
    assert.deepEqual(test.writes, ['create reports shop', 'delete reports shop']);
  });

  it('are deleted if a previous process left them and no finding exists', async () => {
    const test = setUp();
    await test.find('shop', { web: [finding()] });
    await setUp(test.double).write();
    assert.equal(test.report('shop'), undefined);
  });

  it('list the most severe findings if the limit is exceeded, and count all of them', async () => {
    const test = setUp();
    const many = Array.from({ length: MOST_RESULTS }, (_, n) => finding({ consequence: 'warn', field: `f${n}` }));
    await test.find('shop', { a: many, b: [finding()] });
    const report = test.report('shop');
    assert.equal(report?.results.length, MOST_RESULTS);
    assert.equal(report.results[0]?.result, 'fail');
    assert.deepEqual(report.summary, { pass: 0, fail: 1, warn: MOST_RESULTS, error: 0, skip: 0 });
  });

  it('are restored if a user deletes or changes them', async () => {
    const test = setUp();
    await test.find('shop', { web: [finding()] });
    test.remove('shop');
    await test.write();
    test.tamper('shop', { results: [] });
    await test.write();
    assert.equal(test.report('shop')?.results.length, 1);
    assert.deepEqual(test.writes, ['create reports shop', 'create reports shop', 'patch reports shop']);
  });

  it('are written only once if the API server drops one of their fields', async () => {
    const test = setUp();
    test.setPruned('source');
    await test.find('shop', { web: [finding()] });
    await test.write();
    await test.find('shop', { web: [finding()] });
    assert.deepEqual(test.writes, ['create reports shop']);
  });

  it('wait until the available kinds are known', async () => {
    const test = setUp();
    test.setState('reports', 'unknown');
    test.setState('policyreports', 'served');
    await test.find('shop', { web: [finding()] });
    assert.deepEqual(test.writes, []);
    test.setState('reports', 'absent');
    await test.write();
    assert.deepEqual(test.writes, ['create policyreports shop']);
    assert.equal(test.report('shop', 'policyreports')?.source, undefined);
  });

  it('move to the preferred kind when it exists, and back when it does not', async () => {
    const test = setUp();
    test.setState('reports', 'absent');
    test.setState('policyreports', 'served');
    await test.find('shop', { web: [finding()] });
    test.setState('reports', 'served');
    await test.write();
    assert.equal(test.report('shop', 'policyreports'), undefined);
    assert.equal(test.report('shop')?.results.length, 1);
    test.remove('shop');
    test.setState('reports', 'absent');
    await test.write();
    assert.equal(test.report('shop', 'policyreports')?.results.length, 1);
  });

  it('skip a kind that the controller may not list', async () => {
    const test = setUp();
    test.setState('reports', 'closed');
    test.setState('policyreports', 'served');
    await test.find('shop', { web: [finding()] });
    assert.deepEqual(test.writes, ['create policyreports shop']);
  });

  it('log a missing permission a single time, and are written after it is granted', async () => {
    const test = setUp();
    test.setFailure(FORBIDDEN);
    for (const namespace of ['a', 'b', 'c']) await test.find(namespace, { web: [finding()] });
    await test.clock.advance(20 * MINUTE_MS);
    await test.write();
    assert.equal(test.failuresLogged(), 1);
    test.setFailure(undefined);
    await test.write();
    assert.deepEqual([test.writes, test.reports.isDirty], [[], false]);
    await test.clock.advance(20 * MINUTE_MS);
    await test.write();
    assert.equal(test.writes.length, 3);
  });

  it('are written in all other namespaces while a namespace rejects them', async () => {
    const test = setUp();
    test.setFailure(FORBIDDEN, 'a');
    for (const namespace of ['a', 'b', 'c']) await test.find(namespace, { web: [finding()] });
    assert.deepEqual(test.writes, ['create reports b', 'create reports c']);
    test.setFailure(undefined);
    await test.clock.advance(11 * MINUTE_MS);
    await test.write();
    assert.deepEqual([test.writes.at(-1), test.failuresLogged()], ['create reports a', 1]);
  });

  it('are retried a few times per minute while no write is allowed', async () => {
    const test = setUp();
    test.setFailure(FORBIDDEN);
    for (let n = 0; n < 100; n++) test.note(`ns-${n}`, { web: [finding()] });
    for (let minute = 0; minute < 60; minute++) {
      await test.write();
      await test.clock.advance(MINUTE_MS);
    }
    assert.ok(test.tries() >= 100 && test.tries() <= 300, `tried ${test.tries()} times in an hour`);
    assert.equal(test.failuresLogged(), 1);
  });

  it('are not delayed by any number of namespaces that reject them', async () => {
    const test = setUp();
    const bad = Array.from({ length: 60 }, (_, n) => `bad-${n}`);
    for (const namespace of bad) test.setFailure(FORBIDDEN, namespace);
    for (const namespace of [...bad, 'shop']) test.note(namespace, { web: [finding()] });
    for (let minute = 0; minute < 30; minute++) {
      for (const namespace of bad) test.note(namespace, { web: [finding({ message: `found ${minute}` })] });
      await test.write();
      await test.clock.advance(MINUTE_MS);
    }
    assert.deepEqual(test.writes, ['create reports shop']);
  });

  it('do not wait for a report of another kind that cannot be deleted or is foreign', async () => {
    const test = setUp();
    test.setState('policyreports', 'served');
    for (let n = 0; n < 60; n++) {
      test.place('portcullis', `bad-${n}`);
      test.setFailure(FORBIDDEN, `bad-${n}`);
      test.place(`x${n}`, 'evil');
    }
    await test.find('shop', { web: [finding()] });
    for (let minute = 0; minute < 10; minute++) {
      await test.clock.advance(MINUTE_MS);
      await test.write();
    }
    assert.deepEqual(test.writes, ['create reports shop']);
  });

  for (const [what, error] of [
    ['is being deleted', new PortcullisError('Rejected', 'it is being terminated', { code: 'NamespaceTerminating' })],
    ['no longer exists', new PortcullisError('NotFound', 'no such namespace')],
    ['already has a foreign report of the same name', new PortcullisError('Conflict', 'it exists')],
  ] as const) {
    it(`skip a namespace that ${what}`, async () => {
      const test = setUp();
      test.setFailure(error);
      await test.find('shop', { web: [finding()] });
      assert.equal(test.reports.isDirty, false);
      assert.equal(test.failuresLogged(), 0);
    });
  }

  it('are written at a rate that leaves capacity for other writes', async () => {
    const test = setUp();
    const since = test.clock.monotonic();
    for (let n = 0; n < 120; n++) await test.find(`ns-${n}`, { web: [finding()] });
    assert.equal(test.writes.length, 120);
    assert.ok(test.clock.monotonic() - since >= 119 * 100);
  });
});
