import assert from 'node:assert/strict';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import { aCluster, AN_AUDIT_MS, keyOf, SERVICES, type Cluster } from '../../support/simulated-cluster.ts';
import type { ControllerProcess } from '../../support/simulated-controller.ts';
import { creationParameters } from '../../support/takeover/annotation-parameters.ts';
import { BACKENDS } from '../../support/takeover/backends.ts';
import { leaveBehind, type LeftBehind } from '../../support/takeover/existing-controller.ts';
import { MAY_BE_WRITTEN } from '../../support/takeover/permitted-writes.ts';
import { LISTENERS } from '../../support/takeover/listeners.ts';
import { OWNED } from '../../support/takeover/load-balancers.ts';
import { CORRECTIONS } from '../../support/takeover/corrections.ts';
import { REUSED } from '../../support/takeover/reused.ts';
import { aService } from '../../support/service.ts';
import { FINALIZER } from '../../support/service-changes.ts';

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

/** Returns the paths that a patch of a Service writes. */
function writtenBy({ metadata = {}, status = {}, ...more }: Patch): readonly string[] {
  const { labels = {}, ...marks } = metadata;
  const { conditions = [], ...published } = status;
  return [
    ...under('metadata.labels', labels),
    ...under('metadata', marks),
    ...conditions.map(({ type }) => `status.conditions.${type}`),
    ...under('status', published),
    ...Object.keys(more),
  ];
}

const CREATES_BINDING = 'create loadbalancerbindings none';

/** Returns the writes that the documentation does not name. */
const unexpectedWrites = ({ kubernetes }: Cluster): readonly string[] =>
  kubernetes.writes.flatMap(({ verb, plural, subresource = 'none', patch = {} }) =>
    `${verb} ${plural} ${subresource}` === 'patch services status'
      ? writtenBy(patch).filter((path) => path !== 'metadata.uid' && !MAY_BE_WRITTEN.includes(path))
      : [`${verb} ${plural} ${subresource}`].filter((written) => written !== CREATES_BINDING),
  );

interface Adopting {
  readonly cluster: Cluster;
  readonly service: Service;
  /** The number of calls of the Alibaba Cloud Controller Manager. */
  readonly since: number;
  readonly start: () => ControllerProcess;
}

const READY = 'EnsuredLoadBalancer';
const CLASS = 'service.beta.kubernetes.io/class';
const reasonOf = (cluster: Cluster): string | undefined => cluster.service()?.status?.conditions?.[0]?.reason;

/** Starts the controller in a cluster whose Service the existing controller synced. */
async function adopting(left: LeftBehind, change?: object): Promise<Adopting> {
  const { cluster, service } = await leaveBehind(left);
  if (change !== undefined) cluster.kubernetes.patch(SERVICES, keyOf(service), change);
  const since = cluster.simulator.journal().length;
  return { cluster, service, since, start: () => cluster.start({ settings: left.settings ?? {} }) };
}

async function assertAdopted(left: LeftBehind): Promise<void> {
  const { cluster, service, since, start } = await adopting(left);
  const { simulator, kubernetes } = cluster;
  const state = () => JSON.stringify((simulator.state() as { readonly loadBalancers: object }).loadBalancers);
  const before = state();
  const first = start();
  await cluster.quiet();
  assert.deepEqual(changes(cluster, since), [], 'something is changed in the cloud');
  assert.equal(state(), before);
  assert.deepEqual(unexpectedWrites(cluster), []);
  const { writes } = kubernetes;
  assert.equal(writes.length, 2);
  const status = cluster.service()?.status;
  assert.deepEqual(status?.loadBalancer, service.status?.loadBalancer);
  const { standing = READY } = left;
  assert.deepEqual(
    status?.conditions?.map(({ reason, message }) => (reason === standing ? reason : message)),
    [standing],
  );
  await first.stop();

  const again = start();
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
    assert.equal(isSynced, standing === READY, 'only a Service that is ready counts as synced');
  }
  await assertCleanedUp(left, cluster, service);
  await again.stop();
}

/** Deletes the Service, and checks that only preserved resources stay. */
async function assertCleanedUp({ annotations = {} }: LeftBehind, cluster: Cluster, service: Service): Promise<void> {
  cluster.kubernetes.delete(SERVICES, keyOf(service));
  await cluster.quiet(5 * 60_000);
  assert.equal(cluster.service(), undefined, 'it keeps its finalizer');
  const { loadBalancers } = cluster.simulator.state() as { readonly loadBalancers: readonly object[] };
  const isKept = annotations['id'] !== undefined || annotations['preserve-lb-on-delete'] !== undefined;
  assert.equal(loadBalancers.length, isKept ? 1 : 0);
  if (annotations['id'] === undefined) return;
  const text = JSON.stringify(loadBalancers);
  assert.doesNotMatch(text, /web\/shop\/c1/);
}

/** A migration must change nothing in the cloud: a changing call at the start of Portcullis could interrupt the traffic of every Service. */
describe('a Service of the existing controller', () => {
  for (const [kind, left] of Object.entries({ ...OWNED, ...LISTENERS, ...BACKENDS, ...REUSED }))
    it(`is adopted without a change, and cleaned up later: ${kind}`, () => assertAdopted(left));

  const FAILURES = {
    'have truncated responses': { effect: 'cut-reply' },
    'get no response': { effect: 'timeout-before-commit' },
    'get an HTML page as response': { effect: 'malformed-body' },
    'are throttled': { effect: 'throttle' },
    'are forbidden': { effect: 'reject', code: 'Forbidden.RAM', status: 403 },
  };
  for (const [what, fault] of Object.entries(FAILURES))
    it(`is adopted without a change if the first calls to the cloud ${what}`, async () => {
      const { cluster, since, start } = await adopting({ ports: [80, 443] });
      const reads = ['DescribeLoadBalancerAttribute', 'DescribeLoadBalancerListeners'];
      const all = [...reads, 'DescribeVServerGroups', 'DescribeVServerGroupAttribute'];
      cluster.simulator.faults(all.map((action) => ({ action, nth: 1, count: 2, ...fault })));
      const process = start();
      await cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([changes(cluster, since), reasonOf(cluster)], [[], READY]);
      assert.ok(cluster.calls(since).length > all.length, 'nothing has failed');
      await process.stop();
    });

  for (const [what, { left, calls }] of Object.entries(CORRECTIONS))
    it(`is corrected during the adoption: ${what}`, async () => {
      const { cluster, since, start } = await adopting(left);
      const process = start();
      await cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(changes(cluster, since), calls);
      await process.stop();
    });
});

describe('a Service that moved from the existing controller to a third controller', () => {
  const OTHERS: Readonly<Record<string, LeftBehind>> = {
    'a foreign load balancer class': { spec: { loadBalancerClass: 'example.com/other' } },
    'an annotation with the class of a third controller': { annotations: { [CLASS]: 'another' } },
    'a tunnel type': { annotations: { 'tunnel-type': '' } },
  };
  for (const [what, left] of Object.entries(OTHERS))
    it(`keeps its load balancer and gets an event if the Service has ${what}`, async () => {
      const { cluster, service, start } = await adopting(left);
      const process = start();
      await cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([cluster.calls(), cluster.kubernetes.writes], [[], []]);
      const [event, ...more] = cluster.kubernetes.events;
      assert.deepEqual([event?.type, more], ['Warning', []]);
      assert.match(event?.message ?? '', /^Another controller manages this Service, .* is unchanged/);
      await assertCleanedUp(left, cluster, service);
      await process.stop();
    });

  for (const [what, left] of Object.entries({ ...OTHERS, 'the type NodePort': { spec: { type: 'NodePort' } } }))
    it(`is ignored if the Service has no finalizer, but ${what}`, async () => {
      const { cluster, since, start } = await adopting(left, { metadata: { finalizers: null, labels: null } });
      const process = start();
      await cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([cluster.calls(since), cluster.kubernetes.writes], [[], []]);
      await process.stop();
    });

  interface Row {
    readonly left?: LeftBehind;
    readonly reason: string;
    /** True if the Service moves while Portcullis does not run. */
    readonly isStopped?: true;
  }
  const LATER: Readonly<Record<string, Row>> = {
    'after the adoption': { reason: READY },
    'after the adoption, while Portcullis does not run': { reason: READY, isStopped: true },
    'before the adoption is complete': {
      left: { annotations: { 'resource-group-id': 'rg-x' }, meant: { 'resource-group-id': '' } },
      reason: 'Immutable',
    },
  };
  for (const [what, { left = {}, reason, isStopped = false }] of Object.entries(LATER))
    it(`loses its load balancer if the Service moves ${what}`, async () => {
      const { cluster, service, start } = await adopting(left);
      const first = start();
      await cluster.quiet();
      assert.equal(reasonOf(cluster), reason);
      if (isStopped) await first.stop();
      cluster.kubernetes.patch(SERVICES, keyOf(service), { metadata: { annotations: { [CLASS]: 'another' } } });
      const last = isStopped ? start() : first;
      await cluster.quiet();
      assert.deepEqual(changes(cluster, 0), ['SetLoadBalancerDeleteProtection', 'DeleteLoadBalancer']);
      assert.deepEqual([cluster.service()?.metadata.finalizers, reasonOf(cluster)], [[], undefined]);
      await last.stop();
    });

  it('is adopted without a change when it moves to Portcullis', async () => {
    const { cluster, service, start } = await adopting({ annotations: { [CLASS]: 'another' } });
    const process = start();
    await cluster.quiet();
    cluster.kubernetes.patch(SERVICES, keyOf(service), { metadata: { annotations: { [CLASS]: null } } });
    await cluster.quiet();
    assert.deepEqual([changes(cluster, 0), reasonOf(cluster)], [[], READY]);
    await process.stop();
  });
});

describe('a Service whose load balancer the existing controller was creating when it stopped', () => {
  interface Row {
    /** True if the load balancer exists, which lists of the cloud omit for half a minute. */
    readonly isCreated: boolean;
    /** Milliseconds from the creation to the start of the controller. */
    readonly ms?: number;
    readonly isDeleted?: true;
  }
  const ROWS: Readonly<Record<string, Row>> = {
    'gets the created load balancer': { isCreated: true, ms: 16_000 },
    'gets a new load balancer if the cloud has none': { isCreated: false },
    'is cleaned up together with the created load balancer': { isCreated: true, ms: 10_000, isDeleted: true },
    'loses its finalizer if the cloud has no load balancer': { isCreated: false, ms: 10_000, isDeleted: true },
  };
  const OWNER = 'a5e4dbfc9c2ae4642b0335607860aef6';
  for (const [title, { isCreated, ms = 0, isDeleted = false }] of Object.entries(ROWS))
    it(title, async () => {
      const cluster = aCluster({ cloudSettings: { listLagMs: 30_000 } });
      const ids = () =>
        (cluster.simulator.state() as { loadBalancers: { id: string }[] }).loadBalancers.map(({ id }) => id);
      const service = aService();
      cluster.kubernetes.put(SERVICES, { ...service, metadata: { ...service.metadata, finalizers: [FINALIZER] } });
      if (isCreated) await cluster.ask('CreateLoadBalancer', creationParameters({}, OWNER, 'c1'));
      const created = ids();
      await cluster.quiet(ms);
      if (isDeleted) cluster.kubernetes.delete(SERVICES, keyOf(service));
      const process = cluster.start();
      await cluster.quiet(10 * 60_000);
      if (isDeleted) assert.deepEqual([ids(), cluster.service()], [[], undefined]);
      else {
        assert.equal(ids().length, 1);
        if (isCreated) assert.deepEqual(ids(), created);
        assert.equal(cluster.service()?.status?.loadBalancer?.ingress?.length, 1);
      }
      await process.stop();
    });

  it('is cleaned up together with the created load balancer, although the cloud throttles calls', async () => {
    const cluster = aCluster({ cloudSettings: { listLagMs: 45_000 } });
    cluster.simulator.seed({ loadBalancers: [{ id: 'lb-made', name: 'by-hand' }] });
    const { metadata, ...service } = aService({
      type: 'ClusterIP',
      annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id': 'lb-made' },
    });
    cluster.kubernetes.put(SERVICES, { ...service, metadata: { ...metadata, finalizers: [FINALIZER] } });
    await cluster.ask('CreateLoadBalancer', creationParameters({}, OWNER, 'c1'));
    cluster.simulator.faults([{ action: 'DescribeLoadBalancerListeners', effect: 'throttle', count: 'forever' }]);
    const process = cluster.start();
    await cluster.quiet(3 * 60_000);
    cluster.simulator.clearFaults();
    await cluster.quiet(20 * 60_000);
    const { loadBalancers } = cluster.simulator.state() as { loadBalancers: { id: string }[] };
    assert.deepEqual([loadBalancers.map(({ id }) => id), cluster.service()?.metadata.finalizers], [['lb-made'], []]);
    await process.stop();
  });
});
