import assert from 'node:assert/strict';
import { deleteByHand, groupIdOf, untagByHand } from '../../support/user-changes.ts';
import { AN_AUDIT_MS, keyOf, SERVICES } from '../../support/simulated-cluster.ts';
import { ruled } from '../../support/policy-controller.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

/** The default name of the owned load balancer of Service `web`, and the value of its owner tag. */
const OWNER = 'a5e4dbfc9c2ae4642b0335607860aef6';
const OWNER_TAG = 'kubernetes.do.not.delete';
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const READY = ['True', 'EnsuredLoadBalancer'];
const MANAGING = { id: 'lb-shared', 'force-override-listeners': 'true' };
const WITH_INVENTORY = { controllers: ['service', 'inventory'] as const };

const remove = async ({ cluster }: Running, ms?: number): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, keyOf(aService()));
  await cluster.quiet(ms);
};
const find = (run: Running, id: string) => loadBalancers(run).find((each) => each.id === id);
const ownedId = (run: Running): string => loadBalancers(run).find(({ tags }) => tags[OWNER_TAG] === OWNER)?.id ?? '';

/** Only tags and names prove that a load balancer is owned. A wrong proof would delete the load balancer of a user. */
describe('a user-managed load balancer with the default name of a Service', () => {
  const SHARED = {
    ...{ id: 'lb-shared', name: OWNER, address: '47.1.1.1' },
    listeners: [{ port: 22, protocol: 'tcp' as const }],
  };
  const labels: Readonly<Record<string, ServiceInput>> = {
    'no id in a label': {},
    'another id in a label': { labels: { [ID_LABEL]: 'lb-x' } },
    'its id in a label': { labels: { [ID_LABEL]: 'lb-shared' } },
  };
  for (const [what, changed] of Object.entries(labels))
    it(`is not owned by a Service with ${what}, and stays after the deletion of the Service`, async () => {
      const run = await running({}, { loadBalancers: [{ ...SHARED, tags: { 'kubernetes.reused.by.user': 'true' } }] });
      const before = find(run, 'lb-shared');
      await apply(run, changed);
      assert.deepEqual([loadBalancers(run).length, statusAndReason(run)[0]], [2, 'True']);
      await remove(run);
      assert.deepEqual(loadBalancers(run), [before]);
      await run.process.stop();
    });

  for (const [how, options] of Object.entries({ without: {}, with: WITH_INVENTORY }))
    it(`is not owned after a user deletes the owned load balancer, ${how} the inventory`, async () => {
      const run = await running(options, { loadBalancers: [SHARED] });
      const before = find(run, 'lb-shared');
      await apply(run);
      const address = ingress(run);
      await deleteByHand(run, ownedId(run));
      await run.cluster.quiet(3 * 3_600_000);
      assert.deepEqual(
        [find(run, 'lb-shared'), ingress(run), statusAndReason(run)[1]],
        [before, address, 'LoadBalancerNotFound'],
      );
      await remove(run);
      assert.deepEqual(loadBalancers(run), [before]);
      await run.process.stop();
    });

  it('is not renamed to the default name, and the Service that requests the name is served', async () => {
    const run = await running({}, { loadBalancers: [{ ...SHARED, name: 'platform' }] });
    await apply(run, { annotations: annotated({ ...MANAGING, name: OWNER }) });
    assert.deepEqual([find(run, 'lb-shared')?.name, ingress(run)], ['platform', [{ ip: '47.1.1.1' }]]);
    assert.equal(statusAndReason(run)[1], 'ReservedName');
    assert.match(messageOf(run), /the name a5e4\S+ is reserved for owned load balancers/);
    await run.process.stop();
  });
});

describe('a load balancer that was preserved when its Service changed its type', () => {
  const CUT = { action: 'DeleteLoadBalancer', effect: 'cut-after-commit', count: 1 };
  const SLOW = { action: 'DeleteLoadBalancer', effect: 'slow', ms: 2_000, count: 1 };
  const cleanups = {
    'in the same process': { restarts: false, isKilled: false, fault: CUT },
    'after a restart': { restarts: true, isKilled: false, fault: CUT },
    'if the process is killed during cleanup': { restarts: true, isKilled: true, fault: SLOW },
  };
  for (const [when, { restarts, isKilled, fault }] of Object.entries(cleanups))
    it(`is not owned by the Service, which gets another load balancer, ${when}`, async () => {
      let run = await running();
      const { cluster } = run;
      await apply(run, { annotations: annotated({ 'preserve-lb-on-delete': 'true' }) });
      await patch(run, { spec: { type: 'ClusterIP' } });
      const [preserved] = loadBalancers(run);
      if (restarts) await run.process.stop();
      run = restarts ? { cluster, process: cluster.start() } : run;
      await patch(run, { spec: { type: 'LoadBalancer' } });
      assert.deepEqual([loadBalancers(run).length, statusAndReason(run)[0]], [2, 'True']);
      await patch(run, { metadata: { annotations: annotated({ 'preserve-lb-on-delete': null }) } });
      cluster.simulator.faults([fault]);
      await remove(run, 1_000);
      if (isKilled) run.process.kill();
      run = isKilled ? { cluster, process: cluster.start() } : run;
      await cluster.quiet(10 * 60_000);
      assert.deepEqual([loadBalancers(run), cluster.service()], [[preserved], undefined]);
      await run.process.stop();
    });
});

describe('a second load balancer with the owner tag of a Service', () => {
  it('blocks cleanup until a user removes the tag, if the inventory shows it', async () => {
    const run = await running(WITH_INVENTORY);
    await apply(run);
    const id = ownedId(run);
    const copy = { id: 'lb-copy', name: 'copy', address: '47.1.1.9' };
    const tags = { [OWNER_TAG]: OWNER, 'ack.aliyun.com': 'c1' };
    run.cluster.simulator.seed({ loadBalancers: [{ ...copy, tags }] });
    await run.cluster.quiet(2 * 60_000);
    const since = callCount(run);
    await remove(run, 5 * 60_000);
    assert.deepEqual(changes(run, since), []);
    assert.match(
      events(run, 'CleanLoadBalancerFailed')[0] ?? '',
      new RegExp(`load balancers ${id}, lb-copy all have the tag kubernetes.do.not.delete of this Service; keep one`),
    );
    await untagByHand(run, 'lb-copy', OWNER_TAG);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).map((each) => each.id), run.cluster.service()], [['lb-copy'], undefined]);
    await run.process.stop();
  });

  it('is not looked up at cleanup if the inventory shows only the bound load balancer', async () => {
    const run = await running(WITH_INVENTORY);
    await apply(run);
    await run.cluster.quiet(2 * 60_000);
    const since = callCount(run);
    await remove(run, 1_000);
    assert.deepEqual(run.cluster.calls(since), [
      'DescribeLoadBalancerAttribute',
      'SetLoadBalancerDeleteProtection',
      'DeleteLoadBalancer',
    ]);
    await run.process.stop();
  });
});

describe('a load balancer that does not exist', () => {
  it('is not looked up for a denied Service while six other Services are deleted in 1.3 s', async () => {
    const { run } = await ruled();
    const { cluster } = run;
    const others = [1, 2, 3, 4, 5, 6].map((index) => aService({ name: `other-${index}`, uid: `uid-${index}` }));
    for (const other of others) cluster.kubernetes.put(SERVICES, other);
    await apply(run);
    await patch(run, {
      metadata: { annotations: annotated({ ...MANAGING, id: 'lb-missing', scheduler: 'nonsense' }) },
    });
    assert.equal(statusAndReason(run)[0], 'False');
    const since = callCount(run);
    for (const other of others) {
      cluster.kubernetes.delete(SERVICES, keyOf(other));
      await cluster.clock.advance(220);
    }
    await cluster.clock.advance(10_000);
    const lookups = cluster.journal(since).filter(({ parameters }) => parameters['LoadBalancerId'] === 'lb-missing');
    assert.deepEqual(lookups, []);
    await run.process.stop();
  });
});

describe('after a user changes the name that proves its owner,', () => {
  const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1' }] };
  const NAME = 'k8s/80/web/shop/c1';

  const renameListener = ({ cluster }: Running, id: string, name: string): Promise<unknown> =>
    cluster.ask('SetLoadBalancerTCPListenerAttribute', { LoadBalancerId: id, ListenerPort: 80, Description: name });
  const renameGroup = async (run: Running, id: string, name: string): Promise<unknown> =>
    run.cluster.ask('SetVServerGroupAttribute', {
      VServerGroupId: await groupIdOf(run, id),
      VServerGroupName: name,
    });

  interface Renaming {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly rename: typeof renameGroup;
    readonly condition: readonly string[];
    /** Final names of the listeners. */
    readonly listeners: readonly string[];
  }
  const renamings: Readonly<Record<string, Renaming>> = {
    'an owned listener gets its name again': {
      rename: renameListener,
      condition: READY,
      listeners: [NAME],
    },
    'an owned server group is replaced': {
      rename: renameGroup,
      condition: READY,
      listeners: [NAME],
    },
    'a server group on a user-managed load balancer is replaced': {
      annotations: annotated({ id: 'lb-shared' }),
      rename: renameGroup,
      condition: READY,
      listeners: [],
    },
    'a listener on a user-managed load balancer blocks its port until the name is restored': {
      annotations: annotated(MANAGING),
      rename: renameListener,
      condition: ['False', 'PortUnavailable'],
      listeners: ['mine'],
    },
  };
  for (const [what, row] of Object.entries(renamings))
    it(what, async () => {
      const run = await running({}, SHARED);
      await apply(run, row.annotations === undefined ? {} : { annotations: row.annotations });
      const serving = () => loadBalancers(run).find(({ serverGroups }) => serverGroups.length > 0);
      const id = serving()?.id ?? '';
      await row.rename(run, id, 'mine');
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(statusAndReason(run), row.condition);
      assert.deepEqual(
        serving()?.listeners.map(({ attributes }) => attributes['Description']),
        row.listeners,
      );
      if (row.condition[0] === 'False') await row.rename(run, id, NAME);
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(statusAndReason(run), READY);
      await run.process.stop();
    });
});
