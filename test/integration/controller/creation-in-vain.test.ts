import assert from 'node:assert/strict';
import { annotated, apply, now, patch, running, standing } from '../../support/running.ts';

const SEED = {
  loadBalancers: [{ id: 'lb-b', name: 'b', address: '47.1.1.2', listeners: [{ port: 443, protocol: 'tcp' }] }],
};
const REFUSED = { action: 'CreateLoadBalancer', effect: 'refuse', code: 'QuotaExceeded', count: 'forever' };

describe('a Service that names a load balancer on which people have one of its ports, as its own was not made', () => {
  for (const isRestarted of [false, true])
    it(`is served there without anything written or looked for again and again${isRestarted ? ', nor by the next process' : ''}`, async () => {
      const run = await running({}, SEED);
      const { cluster } = run;
      cluster.simulator.faults([REFUSED]);
      await apply(run, { ports: [80, 443] });
      assert.deepEqual(standing(run), ['False', 'QuotaExceeded']);
      if (isRestarted) await run.process.stop();
      const process = isRestarted ? cluster.start() : run.process;
      await patch(run, { metadata: { annotations: annotated({ id: 'lb-b', 'force-override-listeners': 'true' }) } });
      await cluster.quiet(10 * 60_000);
      assert.deepEqual(standing(run), ['False', 'PortOwner']);
      const [written, since] = [cluster.kubernetes.writes.length, now(run)];
      await cluster.quiet(60 * 60_000);
      assert.deepEqual(cluster.kubernetes.writes.slice(written), []);
      assert.ok(!cluster.journal(since).some(({ action }) => action === 'DescribeLoadBalancers'));
      await process.stop();
    });
});
