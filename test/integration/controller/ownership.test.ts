import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  messageOf,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';

const KEY = keyOf(aService());
/** The name that the own load balancer of the Service `web` has by default. */
const DEFAULT_NAME = 'a5e4dbfc9c2ae4642b0335607860aef6';
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const PRESERVING = annotated({ 'preserve-lb-on-delete': 'true' });

const remove = async ({ cluster }: Running, ms?: number): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, KEY);
  await cluster.quiet(ms);
};
const find = (run: Running, id: string) => loadBalancers(run).find((each) => each.id === id);
const ownId = (run: Running): string =>
  loadBalancers(run).find(({ tags }) => tags['kubernetes.do.not.delete'] === DEFAULT_NAME)?.id ?? '';

describe('a load balancer of people that is called as a Service’s own would be', () => {
  const SHARED = {
    id: 'lb-shared',
    name: DEFAULT_NAME,
    address: '47.1.1.1',
    listeners: [{ port: 22, protocol: 'tcp' as const }],
  };
  const marked = { ...SHARED, tags: { 'kubernetes.reused.by.user': 'true' } };
  const labelled: Readonly<Record<string, ServiceSaid>> = {
    'nothing says that it had one': {},
    'a label says that it had another': { labels: { [ID_LABEL]: 'lb-x' } },
    'a label says that it is that one': { labels: { [ID_LABEL]: 'lb-shared' } },
  };
  for (const [what, said] of Object.entries(labelled))
    it(`is not its own, where ${what}: it gets one, and that alone goes with it`, async () => {
      const run = await running({}, { loadBalancers: [marked] });
      const before = find(run, 'lb-shared');
      await apply(run, said);
      assert.deepEqual([loadBalancers(run).length, standing(run)[0]], [2, 'True']);
      await remove(run);
      assert.deepEqual(loadBalancers(run), [before]);
      await run.process.stop();
    });

  for (const inventory of [[], ['inventory']] as const)
    it(`is not its own either once that was deleted by hand, ${inventory.length === 0 ? 'without' : 'with'} the mirror`, async () => {
      const run = await running({ controllers: ['service', ...inventory] }, { loadBalancers: [SHARED] });
      const before = find(run, 'lb-shared');
      await apply(run);
      const address = ingress(run);
      const id = ownId(run);
      await run.cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId: id, DeleteProtection: 'off' });
      await run.cluster.ask('DeleteLoadBalancer', { LoadBalancerId: id });
      await run.cluster.quiet(3 * 3600_000);
      assert.deepEqual(
        [find(run, 'lb-shared'), ingress(run), standing(run)[1]],
        [before, address, 'LoadBalancerNotFound'],
      );
      await remove(run);
      assert.deepEqual(loadBalancers(run), [before]);
      await run.process.stop();
    });

  it('does not get that name from a Service that reuses it, which is served all the same', async () => {
    const run = await running({}, { loadBalancers: [{ ...SHARED, name: 'platform' }] });
    const annotations = annotated({ id: 'lb-shared', name: DEFAULT_NAME, 'force-override-listeners': 'true' });
    await apply(run, { annotations });
    assert.deepEqual([find(run, 'lb-shared')?.name, ingress(run)], ['platform', [{ ip: '47.1.1.1' }]]);
    assert.equal(standing(run)[1], 'ReservedName');
    assert.match(messageOf(run), /the name a5e4\S+ is kept for load balancers that are made for Services/);
    await run.process.stop();
  });
});

describe('a load balancer that was kept when its Service ceased to ask for one', () => {
  /** Kept; then the Service asks for one again, and for nothing to be kept any more. */
  async function back({ cluster, ...run }: Running, restarted: boolean) {
    const again = { cluster, ...run };
    await apply(again, { annotations: PRESERVING });
    await patch(again, { spec: { type: 'ClusterIP' } });
    const kept = loadBalancers(again)[0];
    if (restarted) await run.process.stop();
    const process = restarted ? cluster.start() : run.process;
    await patch(again, { spec: { type: 'LoadBalancer' } });
    assert.deepEqual([loadBalancers(again).length, standing(again)[0]], [2, 'True']);
    await patch(again, { metadata: { annotations: annotated({ 'preserve-lb-on-delete': null }) } });
    return { kept, process };
  }

  for (const restarted of [false, true]) {
    const when = restarted ? 'after a restart' : 'in the same process';
    it(`is nobody’s for good: the Service gets another, and that alone goes with it, ${when}`, async () => {
      const run = await running();
      const { kept, process } = await back(run, restarted);
      run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'cut-after-commit', count: 1 }]);
      await remove(run, 600_000);
      assert.deepEqual([loadBalancers(run), run.cluster.service()], [[kept], undefined]);
      await process.stop();
    });
  }

  it('stays also where the deletion is carried on by another process', async () => {
    const run = await running();
    const { kept, process } = await back(run, true);
    run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'slow', ms: 2_000, count: 1 }]);
    await remove(run, 1_000);
    process.kill();
    const next = run.cluster.start();
    await run.cluster.quiet(600_000);
    assert.deepEqual([loadBalancers(run), run.cluster.service()], [[kept], undefined]);
    await next.stop();
  });
});

describe('a second load balancer with the tag of a Service that goes', () => {
  const TAGS = { 'kubernetes.do.not.delete': DEFAULT_NAME, 'ack.aliyun.com': 'c1' };

  it('is seen in the mirror: nothing is deleted until people have said which is the Service’s', async () => {
    const run = await running({ controllers: ['service', 'inventory'] });
    await apply(run);
    const id = ownId(run);
    run.cluster.simulator.seed({ loadBalancers: [{ id: 'lb-copy', name: 'copy', address: '47.1.1.9', tags: TAGS }] });
    await run.cluster.quiet(2 * 60_000);
    const since = now(run);
    await remove(run, 5 * 60_000);
    assert.deepEqual(changes(run, since), []);
    assert.match(
      events(run, 'CleanLoadBalancerFailed')[0] ?? '',
      new RegExp(`load balancers ${id}, lb-copy are all marked as this Service's; delete all but one`),
    );
    const untag = { ResourceType: 'instance', 'ResourceId.1': 'lb-copy', 'TagKey.1': 'kubernetes.do.not.delete' };
    await run.cluster.ask('UntagResources', untag);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).map((each) => each.id), run.cluster.service()], [['lb-copy'], undefined]);
    await run.process.stop();
  });

  it('is not looked for where the mirror shows the one that was recorded, and no other', async () => {
    const run = await running({ controllers: ['service', 'inventory'] });
    await apply(run);
    await run.cluster.quiet(2 * 60_000);
    const since = now(run);
    await remove(run, 1_000);
    assert.deepEqual(run.cluster.calls(since), [
      'DescribeLoadBalancerAttribute',
      'SetLoadBalancerDeleteProtection',
      'DeleteLoadBalancer',
    ]);
    await run.process.stop();
  });
});
