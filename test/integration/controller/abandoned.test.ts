import assert from 'node:assert/strict';
import { aCluster, keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1' },
    { id: 'lb-b', name: 'b', address: '47.1.1.2' },
  ],
};
const REUSING = annotated({ id: 'lb-a', 'force-override-listeners': 'true' });
/** Means something once the Service names a load balancer. */
const OVERRIDING = annotated({ 'force-override-listeners': 'true' });
const NO_LISTENER = {
  action: 'CreateLoadBalancerTCPListener',
  filter: { LoadBalancerId: 'lb-a' },
  effect: 'refuse',
  code: 'ListenerNumberOverLimit',
  count: 'forever',
};
const REUSED_TAG = 'kubernetes.reused.by.user';
/** Nothing in it, and no tag. */
const LEFT = [0, 0, {}];
const inside = (run: Running, id: string) => {
  const found = loadBalancers(run).find((each) => each.id === id);
  return [found?.listeners.length, found?.serverGroups.length, found?.tags];
};
const remove = async ({ cluster }: Running): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, keyOf(aService()));
  await cluster.quiet();
};

describe('a load balancer that a Service names no more before it was ever served by it', () => {
  for (const [instead, id] of Object.entries({ 'another one': 'lb-b', 'none, so as to get its own': null })) {
    it(`is left as it was, where the Service names ${instead}, which serves it; nothing is left of that either in the end`, async () => {
      const run = await running({}, SEED);
      run.cluster.simulator.faults([NO_LISTENER]);
      await apply(run, { annotations: REUSING });
      assert.deepEqual([ingress(run), inside(run, 'lb-a')[1]], [undefined, 1]);
      await patch(run, { metadata: { annotations: annotated({ id }) } });
      assert.deepEqual([inside(run, 'lb-a'), standing(run)[0]], [LEFT, 'True']);
      await remove(run);
      assert.deepEqual([inside(run, 'lb-a'), inside(run, 'lb-b')], [LEFT, LEFT]);
      assert.deepEqual([loadBalancers(run).length, run.cluster.service()], [2, undefined]);
      await run.process.stop();
    });
  }

  it('is left as it was by the next process too', async () => {
    const run = await running({}, SEED);
    run.cluster.simulator.faults([NO_LISTENER]);
    await apply(run, { annotations: REUSING });
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { annotations: annotated({ id: 'lb-b' }) } });
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([inside(run, 'lb-a'), ingress(run)], [LEFT, [{ ip: '47.1.1.2' }]]);
    await next.stop();
  });
});

describe('a Service that names another load balancer while it is being carried out on one', () => {
  it('tells the address of the other alone, and leaves nothing on the one', async () => {
    const run = await running({}, SEED);
    run.cluster.simulator.faults([{ action: 'StartLoadBalancerListener', effect: 'slow', ms: 5_000, count: 1 }]);
    run.cluster.kubernetes.put(SERVICES, aService({ annotations: REUSING }));
    await run.cluster.quiet(4_000);
    assert.deepEqual([run.cluster.calls().includes('StartLoadBalancerListener'), ingress(run)], [true, undefined]);
    await patch(run, { metadata: { annotations: annotated({ id: 'lb-b' }) } });
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual([ingress(run), standing(run)[0], inside(run, 'lb-a')], [[{ ip: '47.1.1.2' }], 'True', LEFT]);
    await run.process.stop();
  });
});

describe('a Service that was begun on one load balancer after another and is served by none', () => {
  it('leaves nothing on any of them but the one that serves it in the end', async () => {
    const ids = ['lb-bp1aaaaaaaaaaaaaaaaaaaa', 'lb-bp1bbbbbbbbbbbbbbbbbbbb', 'lb-bp1cccccccccccccccccccc', 'lb-d'];
    const run = await running({}, { loadBalancers: ids.map((id, index) => ({ id, address: `47.1.1.${index + 1}` })) });
    const [first = '', ...others] = ids;
    run.cluster.simulator.faults(
      ids.slice(0, 3).map((LoadBalancerId) => ({ ...NO_LISTENER, filter: { LoadBalancerId } })),
    );
    await apply(run, { annotations: { ...REUSING, ...annotated({ id: first }) } });
    for (const id of others) await patch(run, { metadata: { annotations: annotated({ id }) } });
    assert.deepEqual([ids.slice(0, 3).map((id) => inside(run, id)), standing(run)[0]], [[LEFT, LEFT, LEFT], 'True']);
    await run.process.stop();
  });

  it('leaves the first before it begins on the second where their ids are longer than usual, as its label has no room for both beside its own', async () => {
    const [first = '', second = ''] = ['a', 'b'].map((end) => `lb-bp1aaaaaaaaaaaaaaaaaaaaa${end}`);
    const SEEDED = { loadBalancers: [first, second].map((id, at) => ({ id, address: `47.1.1.${String(at)}` })) };
    const run = await running({}, SEEDED);
    await apply(run);
    run.cluster.simulator.faults([{ ...NO_LISTENER, filter: { LoadBalancerId: first } }]);
    await patch(run, {
      status: { loadBalancer: null },
      metadata: { annotations: { ...REUSING, ...annotated({ id: first }) } },
    });
    await patch(run, { metadata: { annotations: annotated({ id: second }) } });
    assert.deepEqual([inside(run, first), standing(run)[0], loadBalancers(run).length], [LEFT, 'True', 2]);
    await run.process.stop();
  });
});

describe('a Service whose address was taken out of its status', () => {
  const emptied = (run: Running, id: string | null) =>
    patch(run, { status: { loadBalancer: null }, metadata: { annotations: annotated({ id }) } });

  for (const controllers of [['service'], ['service', 'inventory']] as const)
    it(`keeps its own load balancer as it is when it names one that does not exist, with ${controllers.join(' and ')} running`, async () => {
      const run = await running({ controllers });
      await apply(run);
      await run.cluster.quiet(5 * 60_000);
      const [before, since] = [loadBalancers(run), now(run)];
      await emptied(run, 'lb-typo');
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual([loadBalancers(run), changes(run, since), standing(run)[0]], [before, [], 'False']);
      await run.process.stop();
    });

  it('is served by the other that it names although its listener uses what is left on the one before, which is told and goes later', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: REUSING });
    const { VServerGroups } = await run.cluster.ask('DescribeVServerGroups', { LoadBalancerId: 'lb-a' });
    const [group] = (VServerGroups as { VServerGroup: { VServerGroupId: string }[] }).VServerGroup;
    const hers = { LoadBalancerId: 'lb-a', ListenerPort: 9000 };
    const VServerGroupId = group?.VServerGroupId ?? '';
    await run.cluster.ask('CreateLoadBalancerTCPListener', { ...hers, Bandwidth: -1, VServerGroupId });
    await emptied(run, 'lb-b');
    assert.deepEqual([ingress(run), inside(run, 'lb-b').slice(0, 2)], [[{ ip: '47.1.1.2' }], [1, 1]]);
    assert.deepEqual(inside(run, 'lb-a'), [1, 1, { [REUSED_TAG]: 'true' }]);
    assert.match(events(run, 'SyncLoadBalancerFailed').at(-1) ?? '', /load balancer lb-a, .* tcp listener 9000/);
    assert.deepEqual(standing(run), ['False', 'Rejected']);
    await run.cluster.ask('DeleteLoadBalancerListener', hers);
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual([inside(run, 'lb-a'), standing(run)[0]], [LEFT, 'True']);
    await run.process.stop();
  });

  it('leaves its own load balancer in the next process, if the first dies once the other serves it', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: OVERRIDING });
    run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'timeout-before-commit', count: 1 }]);
    await emptied(run, 'lb-b');
    await run.process.stop();
    const next = run.cluster.start();
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).map(({ id }) => id), standing(run)[0]], [['lb-a', 'lb-b'], 'True']);
    await next.stop();
  });

  for (const [instead, id] of Object.entries({ another: 'lb-b', none: null })) {
    it(`leaves nothing on the load balancer that it reused when it names ${instead} instead`, async () => {
      const run = await running({}, SEED);
      await apply(run, { annotations: REUSING });
      await emptied(run, id);
      assert.deepEqual([inside(run, 'lb-a'), standing(run)[0]], [LEFT, 'True']);
      await run.process.stop();
    });
  }

  it('leaves nothing of its own load balancer when it names one of people instead', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: OVERRIDING });
    await emptied(run, 'lb-b');
    assert.deepEqual(
      loadBalancers(run).map(({ id }) => id),
      ['lb-a', 'lb-b'],
    );
    assert.deepEqual(ingress(run), [{ ip: '47.1.1.2' }]);
    await run.process.stop();
  });

  for (const [what, isServed] of Object.entries({ 'was served by it': true, 'was never served by it': false })) {
    it(`leaves nothing of its own load balancer either when that is too young to be in any list, and it ${what}`, async () => {
      const cluster = aCluster({ knobs: { listLagMs: 30_000 } });
      cluster.simulator.seed(SEED);
      await cluster.quiet();
      const run: Running = { cluster, process: cluster.start() };
      if (!isServed) cluster.simulator.faults([{ ...NO_LISTENER, filter: {}, count: 1 }]);
      cluster.kubernetes.put(SERVICES, aService());
      await cluster.quiet(3_000);
      assert.equal(loadBalancers(run).length, 3);
      const annotations = annotated({ id: 'lb-b', 'force-override-listeners': 'true' });
      await patch(run, { ...(isServed ? { status: { loadBalancer: null } } : {}), metadata: { annotations } });
      assert.deepEqual(
        [loadBalancers(run).map(({ id }) => id), ingress(run)],
        [['lb-a', 'lb-b'], [{ ip: '47.1.1.2' }]],
      );
      await run.process.stop();
    });
  }

  it('leaves it also in the next process, which waits until lists show what there is', async () => {
    const cluster = aCluster({ knobs: { listLagMs: 30_000 } });
    cluster.simulator.seed(SEED);
    await cluster.quiet();
    const first = cluster.start();
    cluster.kubernetes.put(SERVICES, aService());
    await cluster.quiet(3_000);
    await first.stop();
    const annotations = annotated({ id: 'lb-b', 'force-override-listeners': 'true' });
    const run: Running = { cluster, process: cluster.start() };
    await patch(run, { status: { loadBalancer: null }, metadata: { annotations } });
    await cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).map(({ id }) => id), standing(run)[0]], [['lb-a', 'lb-b'], 'True']);
    await run.process.stop();
  });

  it('is looked for by its id and its tag before it gets another for its own, which was deleted by hand', async () => {
    const run = await running();
    await apply(run);
    const [id = ''] = loadBalancers(run).map((each) => each.id);
    await run.cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId: id, DeleteProtection: 'off' });
    await run.cluster.ask('DeleteLoadBalancer', { LoadBalancerId: id });
    await run.process.stop();
    const since = now(run);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { status: { loadBalancer: null } });
    const next = run.cluster.start();
    await run.cluster.quiet();
    const before = run.cluster.calls(since).slice(0, run.cluster.calls(since).indexOf('CreateLoadBalancer'));
    assert.deepEqual(before, ['DescribeLoadBalancerAttribute', 'DescribeLoadBalancers']);
    await next.stop();
  });

  it('keeps its own load balancer when it still asks for it, also in the eyes of the next process', async () => {
    const run = await running({}, SEED);
    await apply(run);
    const address = ingress(run);
    await run.process.stop();
    const since = now(run);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { status: { loadBalancer: null } });
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([changes(run, since), ingress(run)], [[], address]);
    await next.stop();
  });
});
