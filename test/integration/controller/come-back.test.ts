import assert from 'node:assert/strict';
import { SERVICES, keyOf } from '../../support/cluster.ts';
import { annotated, apply, ingress, loadBalancers, running, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const MINUTES = 60_000;

const become = (run: Running, type: 'ClusterIP' | 'LoadBalancer') =>
  run.cluster.kubernetes.patch(SERVICES, KEY, { spec: { type } });

/** The one load balancer, as far as leaving takes something off it. */
const own = (run: Running) => {
  const [loadBalancer, ...others] = loadBalancers(run) as (ReturnType<typeof loadBalancers>[number] & {
    modificationProtection: string;
  })[];
  assert.deepEqual(others, []);
  const { id, tags, deleteProtection, modificationProtection } = loadBalancer ?? {};
  return { id, tags, deleteProtection, modificationProtection };
};

describe('a Service that wants a load balancer again after leaving its own was begun', () => {
  for (const isKilled of [false, true])
    it(`goes on with all that it was born with where its deletion was refused${isKilled ? ' to a process that was killed' : ''}`, async () => {
      const run = await running();
      await apply(run);
      const before = own(run);
      run.cluster.simulator.faults([
        { action: 'DeleteLoadBalancer', effect: 'refuse', code: 'OperationDenied', count: 1 },
      ]);
      become(run, 'ClusterIP');
      await run.cluster.quiet(1_000);
      assert.notDeepEqual(own(run), before);
      if (isKilled) run.process.kill();
      become(run, 'LoadBalancer');
      const next = isKilled ? { cluster: run.cluster, process: run.cluster.start() } : run;
      await run.cluster.quiet(4 * MINUTES);
      assert.deepEqual([own(next), standing(next)[0]], [before, 'True']);
      assert.equal(run.cluster.service()?.metadata.labels?.['portcullis.io/dirty'], undefined);
      await next.process.stop();
    });

  for (const isKilled of [false, true])
    it(`gets a new one where the former is preserved and nobody's already${isKilled ? ', of a process that was killed' : ''}`, async () => {
      const run = await running();
      await apply(run, { annotations: annotated({ 'preserve-lb-on-delete': 'true' }) });
      const { id } = own(run);
      run.cluster.simulator.faults([{ action: 'UntagResources', effect: 'timeout-after-commit', count: 1 }]);
      become(run, 'ClusterIP');
      await run.cluster.quiet(1_000);
      if (isKilled) run.process.kill();
      become(run, 'LoadBalancer');
      const next = isKilled ? { cluster: run.cluster, process: run.cluster.start() } : run;
      await run.cluster.quiet(4 * MINUTES);
      const [former, latter, ...others] = loadBalancers(next);
      assert.deepEqual([former?.id, former?.tags, others], [id, {}, []]);
      assert.deepEqual([ingress(next), standing(next)[0]], [[{ ip: latter?.address }], 'True']);
      await next.process.stop();
    });

  for (const isKilled of [false, true])
    it(`gets a new one where the deletion takes effect late${isKilled ? ', of a process that was killed' : ''}`, async () => {
      const run = await running();
      await apply(run);
      const before = own(run);
      run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'late-commit', ms: MINUTES, count: 1 }]);
      become(run, 'ClusterIP');
      await run.cluster.quiet(4_000);
      if (isKilled) run.process.kill();
      become(run, 'LoadBalancer');
      const next = isKilled ? { cluster: run.cluster, process: run.cluster.start() } : run;
      await run.cluster.quiet(4 * MINUTES);
      assert.notEqual(own(next).id, before.id);
      assert.deepEqual([ingress(next), standing(next)[0]], [[{ ip: loadBalancers(next)[0]?.address }], 'True']);
      await next.process.stop();
    });
});
