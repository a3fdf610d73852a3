import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { annotation, apply, changes, loadBalancers, now, running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const REUSING = { [annotation('id')]: 'lb-shared', [annotation('force-override-listeners')]: 'true' };
const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1', tags: { cost: '7' } }] };

describe('the reuse tag of a user-managed load balancer', () => {
  it('is set for a Service, and stays when the Service is gone', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: REUSING });
    const tags = { cost: '7', 'kubernetes.reused.by.user': 'true' };
    assert.deepEqual(loadBalancers(run)[0]?.tags, tags);
    const before = now(run);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.equal(run.cluster.service(), undefined);
    assert.deepEqual(changes(run, before), ['DeleteLoadBalancerListener', 'DeleteVServerGroup']);
    assert.deepEqual(loadBalancers(run)[0]?.tags, tags);
    await run.process.stop();
  });
});
