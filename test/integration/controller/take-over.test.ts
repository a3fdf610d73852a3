import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from '../../../src/objects.ts';
import { AN_AUDIT_MS, keyOf, SERVICES, type Cluster } from '../../support/cluster.ts';
import { BACKENDS } from '../../support/left-behind/backends.ts';
import { leaveBehind, type LeftBehind } from '../../support/left-behind/existing-controller.ts';
import { MAY_BE_WRITTEN } from '../../support/left-behind/documented.ts';
import { LISTENERS } from '../../support/left-behind/listeners.ts';
import { OWNED } from '../../support/left-behind/load-balancers.ts';
import { PUT_RIGHT } from '../../support/left-behind/put-right.ts';
import { REUSED } from '../../support/left-behind/reused.ts';

const changes = ({ simulator }: Cluster, since: number): readonly string[] =>
  simulator
    .journal(since)
    .filter(({ kind, userAgent }) => kind === 'write' && userAgent === 'portcullis')
    .map(({ action }) => action);

interface Patch {
  readonly metadata?: { readonly labels?: object };
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
}

const under = (path: string, object: object): readonly string[] => Object.keys(object).map((key) => `${path}.${key}`);

/** What a patch of a Service writes, as paths. */
function writtenBy({ metadata = {}, status = {}, ...more }: Patch): readonly string[] {
  const { labels = {}, ...marks } = metadata;
  const { conditions = [], ...told } = status;
  return [
    ...under('metadata.labels', labels),
    ...under('metadata', marks),
    ...conditions.map(({ type }) => `status.conditions.${type}`),
    ...under('status', told),
    ...Object.keys(more),
  ];
}

const CREATES_BINDING = 'create loadbalancerbindings none';

/** What was written, as far as the documentation does not say that it is. */
const unexpectedWrites = ({ kubernetes }: Cluster): readonly string[] =>
  kubernetes.writes.flatMap(({ verb, plural, subresource = 'none', patch = {} }) =>
    `${verb} ${plural} ${subresource}` === 'patch services status'
      ? writtenBy(patch).filter((path) => path !== 'metadata.uid' && !MAY_BE_WRITTEN.includes(path))
      : [`${verb} ${plural} ${subresource}`].filter((written) => written !== CREATES_BINDING),
  );

/** What a Service says of itself while nothing is wrong. */
const GOOD = 'EnsuredLoadBalancer';

async function takenOver(left: LeftBehind): Promise<void> {
  const { cluster, service } = await leaveBehind(left);
  const { simulator, kubernetes } = cluster;
  const settings = left.settings === undefined ? {} : { settings: left.settings };
  const state = () => JSON.stringify((simulator.state() as { readonly loadBalancers: object }).loadBalancers);
  const [before, since] = [state(), simulator.journal().length];
  const first = cluster.start(settings);
  await cluster.quiet();
  assert.deepEqual(changes(cluster, since), [], 'something is changed in the cloud');
  assert.equal(state(), before);
  assert.deepEqual(unexpectedWrites(cluster), []);
  const { writes } = kubernetes;
  assert.equal(writes.length, 2);
  const status = cluster.service()?.status;
  assert.deepEqual(status?.loadBalancer, service.status?.loadBalancer);
  const { standing = GOOD } = left;
  assert.deepEqual(
    status?.conditions?.map(({ reason, message }) => (reason === standing ? reason : message)),
    [standing],
  );
  await first.stop();

  const again = cluster.start(settings);
  await cluster.quiet(AN_AUDIT_MS);
  assert.deepEqual(changes(cluster, since), [], 'something is changed later');
  assert.equal(writes.length, 2, 'more is written later');
  if (left.later !== undefined) {
    const from = simulator.journal().length;
    left.later.act(cluster, service);
    await cluster.quiet();
    assert.deepEqual(changes(cluster, from), left.later.calls);
    const { syncedDigest, operation } = cluster.binding()?.spec ?? {};
    const isSynced = syncedDigest !== undefined && operation === undefined;
    assert.equal(isSynced, standing === GOOD, 'it counts as synced where all is well, and nowhere else');
  }
  await leaves(left, cluster, service);
  await again.stop();
}

/** Nothing of a Service that goes stays in the cloud, but for what is to be kept. */
async function leaves({ annotations = {} }: LeftBehind, cluster: Cluster, service: Service): Promise<void> {
  cluster.kubernetes.delete(SERVICES, keyOf(service));
  await cluster.quiet(5 * 60_000);
  assert.equal(cluster.service(), undefined, 'it does not go');
  const { loadBalancers } = cluster.simulator.state() as { readonly loadBalancers: readonly object[] };
  const isKept = annotations['id'] !== undefined || annotations['preserve-lb-on-delete'] !== undefined;
  assert.equal(loadBalancers.length, isKept ? 1 : 0);
  if (annotations['id'] === undefined) return;
  const text = JSON.stringify(loadBalancers);
  assert.doesNotMatch(text, /web\/shop\/c1/);
}

describe('what the existing controller has left behind', () => {
  const all = { 'load balancers': OWNED, listeners: LISTENERS, backends: BACKENDS, 'load balancers of people': REUSED };
  for (const [what, kinds] of Object.entries(all)) {
    describe(`of ${what} is taken over without a change, and goes as usual: a Service with`, () => {
      for (const [kind, left] of Object.entries(kinds)) it(kind, () => takenOver(left));
    });
  }

  const failures = {
    'cut off': { effect: 'cut-reply' },
    'without an answer': { effect: 'timeout-before-commit' },
    'answered with a page of HTML': { effect: 'malformed-body' },
    'over the rate': { effect: 'throttle' },
    'not allowed': { effect: 'refuse', code: 'Forbidden.RAM', status: 403 },
  };
  for (const [what, fault] of Object.entries(failures)) {
    it(`is taken over without a change where the first readings are ${what}`, async () => {
      const { cluster } = await leaveBehind({ ports: [80, 443] });
      const since = cluster.simulator.journal().length;
      const actions = ['Attribute', 'Listeners'].map((part) => `DescribeLoadBalancer${part}`);
      const all = [...actions, 'DescribeVServerGroups', 'DescribeVServerGroupAttribute'];
      cluster.simulator.faults(all.map((action) => ({ action, nth: 1, count: 2, ...fault })));
      const process = cluster.start();
      await cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(changes(cluster, since), []);
      assert.equal(cluster.service()?.status?.conditions?.[0]?.reason, GOOD);
      assert.ok(cluster.calls(since).length > all.length, 'nothing has failed');
      await process.stop();
    });
  }

  for (const [what, { left, calls }] of Object.entries(PUT_RIGHT)) {
    it(`is put right at the take-over: a Service ${what}`, async () => {
      const { cluster } = await leaveBehind(left);
      const since = cluster.simulator.journal().length;
      const process = cluster.start();
      await cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(changes(cluster, since), calls);
      await process.stop();
    });
  }

  const CLASS = 'service.beta.kubernetes.io/class';
  const givenAway: Readonly<Record<string, LeftBehind>> = {
    'another class': { spec: { loadBalancerClass: 'example.com/other' } },
    'another controller': { annotations: { [CLASS]: 'another' } },
    'a tunnel': { annotations: { 'tunnel-type': '' } },
  };
  for (const [what, left] of Object.entries(givenAway)) {
    it(`keeps its load balancer where nobody has let it go, and people are told: a Service with ${what}`, async () => {
      const { cluster, service } = await leaveBehind(left);
      const process = cluster.start();
      await cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(cluster.calls(), []);
      assert.deepEqual(cluster.kubernetes.writes, []);
      const [told, ...more] = cluster.kubernetes.told;
      assert.equal(told?.type, 'Warning');
      assert.match(told.message, /given to another controller .* is left as it is/);
      assert.deepEqual(more, []);
      await leaves(left, cluster, service);
      await process.stop();
    });
  }

  it('is served again when it is taken back from another controller before anything was done', async () => {
    const { cluster, service } = await leaveBehind({ annotations: { [CLASS]: 'another' } });
    const process = cluster.start();
    await cluster.quiet();
    cluster.kubernetes.patch(SERVICES, keyOf(service), { metadata: { annotations: { [CLASS]: null } } });
    await cluster.quiet();
    assert.deepEqual(changes(cluster, 0), []);
    assert.equal(cluster.service()?.status?.conditions?.[0]?.reason, GOOD);
    await process.stop();
  });

  it('loses its load balancer when it is given away later, also while nobody looks', async () => {
    const { cluster, service } = await leaveBehind({});
    const first = cluster.start();
    await cluster.quiet();
    await first.stop();
    cluster.kubernetes.patch(SERVICES, keyOf(service), { metadata: { annotations: { [CLASS]: 'another' } } });
    const again = cluster.start();
    await cluster.quiet();
    assert.deepEqual(changes(cluster, 0), ['SetLoadBalancerDeleteProtection', 'DeleteLoadBalancer']);
    assert.deepEqual(cluster.service()?.metadata.finalizers, []);
    await again.stop();
  });

  it('loses it also where it had been looked after, though not everything that it asks for could be done', async () => {
    const { cluster, service } = await leaveBehind({
      annotations: { 'resource-group-id': 'rg-x' },
      meant: { 'resource-group-id': '' },
    });
    const process = cluster.start();
    await cluster.quiet();
    assert.equal(cluster.service()?.status?.conditions?.[0]?.reason, 'Immutable');
    cluster.kubernetes.patch(SERVICES, keyOf(service), { metadata: { annotations: { [CLASS]: 'another' } } });
    await cluster.quiet();
    assert.deepEqual(changes(cluster, 0), ['SetLoadBalancerDeleteProtection', 'DeleteLoadBalancer']);
    assert.deepEqual([cluster.service()?.metadata.finalizers, cluster.service()?.status?.conditions ?? []], [[], []]);
    await process.stop();
  });

  const others = {
    'another class': { spec: { loadBalancerClass: 'example.com/other' } },
    'another controller': { annotations: { 'service.beta.kubernetes.io/class': 'another' } },
    'a tunnel': { annotations: { 'tunnel-type': '' } },
    'another type': { spec: { type: 'NodePort' } },
  };
  for (const [what, left] of Object.entries(others)) {
    it(`is left alone where it was let go: a Service with ${what}`, async () => {
      const { cluster, service } = await leaveBehind(left);
      cluster.kubernetes.patch(SERVICES, keyOf(service), { metadata: { finalizers: null, labels: null } });
      const since = cluster.simulator.journal().length;
      const process = cluster.start();
      await cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(cluster.calls(since), []);
      assert.deepEqual(cluster.kubernetes.writes, []);
      await process.stop();
    });
  }

  it('finds in the documentation all that a take-over may write', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/taking-over.md'), 'utf8');
    const section = /^## What is written$([^]*?)^## /m.exec(page)?.[1] ?? '';
    const documented = [...section.matchAll(/^\| (label|condition) `([^`]+)` \|/gm)].map(([, , name]) => name);
    const written = MAY_BE_WRITTEN.flatMap(
      (path) => /^(?:metadata\.labels|status\.conditions)\.(.+)$/.exec(path)?.[1] ?? [],
    );
    assert.deepEqual(documented.toSorted(), written.toSorted());
  });
});
