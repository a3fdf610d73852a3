import { AN_AUDIT_MS } from '../../../support/simulated-cluster.ts';
import assert from 'node:assert/strict';
import { ENTRIES } from '../../../../src/annotation/catalogue.ts';
import type { Protocol } from '../../../../src/annotation/value-type.ts';
import type { ServicePort } from '../../../../src/base/kubernetes-objects.ts';
import { LISTENER_ANNOTATIONS, type ListenerAnnotation } from '../../../support/listener-annotations.ts';
import {
  annotation,
  apply,
  changes,
  loadBalancers,
  callCount,
  patch,
  running,
  type Running,
} from '../../../support/running-controller.ts';

const SEED = {
  accessControlLists: ['acl-1', 'acl-2'].map((id) => ({ id, name: id })),
  certificates: ['cert-1', 'cert-2'].map((id) => ({
    id,
    commonName: 'web.example',
    expiresAt: '2030-01-01T00:00:00Z',
  })),
  loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', instanceChargeType: 'PayByCLCU' as const }],
};
const REUSING = { id: 'lb-shared', 'force-override-listeners': 'true' };

const keyed = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).map(([suffix, value]) => [annotation(suffix), value]));

const portOf = (protocol: Protocol): ServicePort => ({
  name: 'main',
  port: 443,
  protocol: protocol === 'udp' ? 'UDP' : 'TCP',
  targetPort: 8443,
  nodePort: 30_443,
});

const attributesOf = (run: Running): Readonly<Record<string, unknown>> =>
  loadBalancers(run).flatMap(({ listeners }) => listeners)[0]?.attributes ?? {};

/** Sets the values of an annotation in sequence, and then removes the annotation. */
async function play(row: ListenerAnnotation, protocol: Protocol, others: Readonly<Record<string, string>>) {
  const run = await running({}, SEED);
  const base = { 'protocol-port': `${protocol}:443`, ...(protocol === 'https' ? { 'cert-id': 'cert-1' } : {}) };
  const [first] = row.values;
  await apply(run, {
    annotations: keyed({ ...base, ...others, ...row.additional, [row.suffix]: first?.[0] ?? '' }),
    ports: [portOf(protocol)],
  });
  const seen = [attributesOf(run)[row.attribute]];
  for (const [written] of row.values.slice(1)) {
    const since = callCount(run);
    await patch(run, { metadata: { annotations: { [annotation(row.suffix)]: written } } });
    seen.push(attributesOf(run)[row.attribute]);
    assert.equal(changes(run, since).length, 1, `${written} takes one call`);
  }
  assert.deepEqual(
    seen,
    row.values.map(([, attribute]) => attribute),
  );
  if (row.default !== undefined) await assertReset(run, row, row.default);
  const since = callCount(run);
  await run.cluster.quiet(AN_AUDIT_MS);
  assert.deepEqual(changes(run, since), [], 'nothing is left to do');
  await run.process.stop();
}

async function assertReset(run: Running, { suffix, attribute }: ListenerAnnotation, expected: unknown): Promise<void> {
  await patch(run, { metadata: { annotations: { [annotation(suffix)]: null } } });
  assert.equal(attributesOf(run)[attribute], expected, 'after the annotation is removed');
}

/** Every listener annotation must have an effect at creation, on change and on removal, for each protocol. */
describe('an annotation of listeners', () => {
  for (const row of LISTENER_ANNOTATIONS) {
    for (const protocol of row.on) {
      it(`${row.suffix} is applied on ${protocol}, at creation, on change and on removal`, () =>
        play(row, protocol, {}));
    }
    const [protocol = 'tcp'] = row.on;
    it(`${row.suffix} is applied on a user-managed load balancer`, () => play(row, protocol, REUSING));
  }

  for (const protocol of ['tcp', 'udp', 'http', 'https'] as const) {
    it(`health-check-connect-port -520 is the default of a new ${protocol} listener`, async () => {
      const run = await running({}, SEED);
      const base = { 'protocol-port': `${protocol}:443`, ...(protocol === 'https' ? { 'cert-id': 'cert-1' } : {}) };
      await apply(run, {
        annotations: keyed({ ...base, 'health-check-flag': 'on', 'health-check-connect-port': '-520' }),
        ports: [portOf(protocol)],
      });
      const since = callCount(run);
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(changes(run, since), []);
      await patch(run, { metadata: { annotations: { [annotation('health-check-connect-port')]: '8080' } } });
      await patch(run, { metadata: { annotations: { [annotation('health-check-connect-port')]: '-520' } } });
      assert.equal(attributesOf(run)['HealthCheckConnectPort'], -520);
      await run.process.stop();
    });
  }

  for (const [protocol, attribute, seconds] of [
    ['tcp', 'HealthCheckConnectTimeout', [5, 50, 8, 5]],
    ['udp', 'HealthCheckConnectTimeout', [10, 50, 10, 10]],
    ['http', 'HealthCheckTimeout', [5, 50, 8, 5]],
  ] as const) {
    it(`health-check-interval raises and restores the timeout of ${protocol} in one call`, async () => {
      const run = await running({}, SEED);
      const base = { 'protocol-port': `${protocol}:443`, 'health-check-flag': 'on' };
      await apply(run, { annotations: keyed(base), ports: [portOf(protocol)] });
      const seen = [attributesOf(run)[attribute]];
      const since = callCount(run);
      for (const interval of ['50', '8', null]) {
        await patch(run, { metadata: { annotations: { [annotation('health-check-interval')]: interval } } });
        seen.push(attributesOf(run)[attribute]);
      }
      assert.deepEqual(seen, seconds);
      assert.equal(changes(run, since).length, 3);
      await run.process.stop();
    });
  }

  const ELSEWHERE = new Set(['protocol-port', 'force-override-listeners', 'domain-extensions', 'forward-port']);
  it('is in LISTENER_ANNOTATIONS for each protocol that the catalogue lists, or has its own test', () => {
    const tried = new Set(
      LISTENER_ANNOTATIONS.flatMap(({ suffix, on }) => on.map((protocol) => `${suffix} ${protocol}`)),
    );
    const known = ENTRIES.flatMap(([, { suffix, appliesTo }]) =>
      appliesTo.flatMap((part) =>
        part.startsWith('listener:') ? [`${suffix} ${part.slice('listener:'.length)}`] : [],
      ),
    ).filter((name) => !ELSEWHERE.has(name.split(' ')[0] ?? ''));
    assert.deepEqual(
      known.filter((name) => !tried.has(name)),
      [],
    );
  });
});
