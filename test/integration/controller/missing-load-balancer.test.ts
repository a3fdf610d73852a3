import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { ruled } from '../../support/ruled.ts';
import { annotated, apply, now, patch, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const MISSING = 'lb-missing';
const OTHERS = [1, 2, 3, 4, 5, 6].map((index) => aService({ name: `other-${index}`, uid: `uid-${index}` }));

const lookUps = ({ cluster }: Running, since: number): number =>
  cluster
    .journal(since)
    .filter((call) => call.action === 'DescribeLoadBalancerAttribute' && call.parameters['LoadBalancerId'] === MISSING)
    .length;

describe('a load balancer that does not exist', () => {
  it('is not looked up for a denied Service while six other Services are deleted in 1.3 s', async () => {
    const { run } = await ruled();
    const { cluster } = run;
    for (const other of OTHERS) cluster.kubernetes.put(SERVICES, other);
    await apply(run);
    await patch(run, {
      metadata: { annotations: annotated({ id: MISSING, 'force-override-listeners': 'true', scheduler: 'nonsense' }) },
    });
    assert.equal(standing(run)[0], 'False');
    const since = now(run);
    for (const other of OTHERS) {
      cluster.kubernetes.delete(SERVICES, keyOf(other));
      await cluster.clock.advance(220);
    }
    await cluster.clock.advance(10_000);
    assert.equal(lookUps(run, since), 0);
    await run.process.stop();
  });
});
