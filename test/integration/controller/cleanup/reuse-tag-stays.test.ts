import assert from 'node:assert/strict';
import { annotated, apply, changes, loadBalancers, callCount, running } from '../../../support/running-controller.ts';
import { remove } from '../../../support/service-changes.ts';

const SEED = { loadBalancers: [{ id: 'lb-a', name: 'a', address: '47.1.1.1', tags: { cost: '7' } }] };

/** The Alibaba Cloud Controller Manager keeps the tag too, and another Service may still use the load balancer. */
describe('the tag of reuse on a user-managed load balancer', () => {
  it('is set for a Service, and stays after the cleanup', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: annotated({ id: 'lb-a', 'force-override-listeners': 'true' }) });
    const tags = { cost: '7', 'kubernetes.reused.by.user': 'true' };
    assert.deepEqual(loadBalancers(run)[0]?.tags, tags);
    const before = callCount(run);
    await remove(run);
    assert.equal(run.cluster.service(), undefined);
    assert.deepEqual(changes(run, before), ['DeleteLoadBalancerListener', 'DeleteVServerGroup']);
    assert.deepEqual(loadBalancers(run)[0]?.tags, tags);
    await run.process.stop();
  });
});
