import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotation,
  apply,
  changes,
  events,
  loadBalancers,
  now,
  patch,
  running,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const REUSING = { [annotation('id')]: 'lb-shared', [annotation('force-override-listeners')]: 'true' };
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const SEED = {
  loadBalancers: [
    { id: 'lb-plain', address: '47.1.1.3' },
    { id: 'lb-other', address: '47.1.1.2', tags: { 'kubernetes.reused.by.user': 'true' } },
    { id: 'lb-shared', address: '47.1.1.1', tags: { cost: '7' }, listeners: [{ port: 22, protocol: 'tcp' as const }] },
  ],
};

/** A Service that ceases to ask for a load balancer, and what else is changed at that moment. */
const leave = (run: Running, annotations: Record<string, string | null>, labels = {}): Promise<void> =>
  patch(run, { spec: { type: 'ClusterIP' }, metadata: { annotations, labels } });
const finalizers = ({ cluster }: Running) => cluster.service()?.metadata.finalizers;

describe('a Service whose id is changed while it goes', () => {
  const own = {
    'its label names': {},
    'its label no longer names': { [ID_LABEL]: null },
    'its label forges': { [ID_LABEL]: 'lb-plain' },
  };
  for (const [which, labels] of Object.entries(own)) {
    it(`leaves nothing of its own load balancer behind, which ${which}, and none of others’ is touched`, async () => {
      const run = await running({}, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run);
      assert.equal(loadBalancers(run).length, 4);
      await leave(run, REUSING, labels);
      assert.deepEqual(cloudPicture(run.cluster.simulator), before);
      assert.deepEqual(finalizers(run), []);
      await run.process.stop();
    });
  }

  it('leaves nothing of its own load balancer behind when it is deleted', async () => {
    const run = await running({}, SEED);
    const before = cloudPicture(run.cluster.simulator);
    await apply(run);
    await patch(run, { metadata: { annotations: REUSING } });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
    await run.process.stop();
  });

  for (const isPreserved of [false, true])
    it(`${isPreserved ? 'keeps' : 'leaves nothing of'} its own load balancer that it names, which has no effect`, async () => {
      const run = await running({}, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run);
      const id = loadBalancers(run).find(({ name }) => name.startsWith('a5e4'))?.id ?? '';
      const since = now(run);
      const preserving = isPreserved ? { [annotation('preserve-lb-on-delete')]: 'true' } : {};
      await patch(run, { metadata: { annotations: { [annotation('id')]: id, ...preserving } } });
      assert.deepEqual(changes(run, since), []);
      assert.match(events(run, 'EnsuredLoadBalancer').at(-1) ?? '', /has no effect; remove the annotation/);
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      assert.equal(run.cluster.service(), undefined);
      const left = loadBalancers(run).find((each) => each.id === id);
      if (!isPreserved) assert.deepEqual(cloudPicture(run.cluster.simulator), before);
      else assert.deepEqual([left?.tags, left?.listeners.length, left?.serverGroups.length], [{}, 1, 1]);
      assert.equal(events(run, 'PreservedOnDelete').length, isPreserved ? 1 : 0);
      await run.process.stop();
    });

  const reused = {
    'names none any more': { [annotation('id')]: null },
    'names none any more, nor says whose the listeners are': {
      [annotation('id')]: null,
      [annotation('force-override-listeners')]: null,
    },
    'names another': { [annotation('id')]: 'lb-other' },
  };
  for (const [what, annotations] of Object.entries(reused)) {
    it(`leaves the load balancer that it reused as it was, although it ${what}`, async () => {
      const run = await running({}, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run, { annotations: REUSING });
      await leave(run, annotations);
      assert.deepEqual(cloudPicture(run.cluster.simulator), before);
      assert.deepEqual(finalizers(run), []);
      await run.process.stop();
    });
  }

  it('goes on where it was when a call fails in the middle', async () => {
    const run = await running({}, SEED);
    const before = cloudPicture(run.cluster.simulator);
    await apply(run, { annotations: REUSING });
    run.cluster.simulator.faults([{ action: 'DeleteVServerGroup', effect: 'refuse', code: 'InternalError', count: 5 }]);
    await leave(run, { [annotation('id')]: 'lb-other' });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(cloudPicture(run.cluster.simulator), before);
    assert.deepEqual(finalizers(run), []);
    await run.process.stop();
  });

  it('is looked at as it is then, as others may have begun or ceased to use it', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: REUSING });
    const since = now(run);
    await leave(run, {});
    assert.deepEqual(changes(run, since), ['DeleteLoadBalancerListener', 'DeleteVServerGroup']);
    assert.deepEqual(
      run.cluster.calls(since).filter((action) => !changes(run, since).includes(action)),
      [
        'DescribeLoadBalancerAttribute',
        'DescribeLoadBalancerListeners',
        'DescribeVServerGroups',
        'DescribeVServerGroupAttribute',
      ],
    );
    await run.process.stop();
  });
});
