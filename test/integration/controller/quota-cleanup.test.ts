import assert from 'node:assert/strict';
import { bindingsOf, READY } from '../../support/bindings.ts';
import { other, quota, SHARED, usageOf, USING } from '../../support/quota-cases.ts';
import { ports, ruled } from '../../support/policy-controller.ts';
import {
  apply,
  conditionOf,
  deleteBinding,
  patch,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import type { ServiceInput } from '../../support/service.ts';

/** Milliseconds within which every waiting Service is evaluated again. */
const A_WHILE_MS = 11 * 60_000;

const THIRD = { ...other([91]), name: 'third', uid: '00000000-0000-4000-8000-000000000003' };

const begin = () => ruled(quota({ listeners: 3 }), SHARED, { controllers: ['service', 'inventory'] });

/** Rejects every deletion. */
const rejectDeletions = ({ cluster }: Running): void => {
  const fault = { effect: 'reject', code: 'OperationDenied', status: 400, count: 'forever' } as const;
  const actions = ['DeleteLoadBalancer', 'DeleteLoadBalancerListener'];
  cluster.simulator.faults(actions.map((action) => ({ ...fault, action })));
};

const toClusterIp = (run: Running): Promise<void> => patch(run, { spec: { type: 'ClusterIP' } });

const USES: Readonly<Record<string, ServiceInput>> = {
  'its own load balancer': { ports: [80, 81] },
  'a user-managed load balancer': { ports: [80, 81], annotations: USING },
};

/** A deleted Service uses its quota until its resources are gone. If a quota counted the Service for longer, other Services would be denied. */
describe('while the cloud rejects cleanup, a quota', () => {
  for (const [use, input] of Object.entries(USES)) {
    it(`counts a Service on ${use}, and gives the rest to other Services`, async () => {
      const { run } = await begin();
      await apply(run, input);
      rejectDeletions(run);
      await toClusterIp(run);
      await apply(run, other());
      await apply(run, THIRD);
      assert.deepEqual([statusAndReason(run, 'api'), statusAndReason(run, 'third')[1]], [READY, 'QuotaExceeded']);
      assert.match(conditionOf(run, 'third')?.message ?? '', /listeners: used 3, requested 1, hard 3/);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(A_WHILE_MS);
      assert.deepEqual([statusAndReason(run, 'third'), bindingsOf(run).length], [READY, 2]);
      await run.process.stop();
    });

    it(`counts a Service on ${use} until the end of the cleanup, even if a user deletes its binding`, async () => {
      const { run } = await begin();
      await apply(run, input);
      rejectDeletions(run);
      await toClusterIp(run);
      deleteBinding(run);
      await run.cluster.quiet();
      await apply(run, other());
      assert.equal(statusAndReason(run, 'api')[1], 'QuotaExceeded');
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(A_WHILE_MS);
      assert.deepEqual([statusAndReason(run, 'api'), bindingsOf(run).length], [READY, 1]);
      await run.process.stop();
    });

    it(`counts a Service on ${use} that requests a load balancer again`, async () => {
      const { run } = await begin();
      await apply(run, input);
      rejectDeletions(run);
      await toClusterIp(run);
      deleteBinding(run);
      await run.cluster.quiet();
      await patch(run, { spec: { type: 'LoadBalancer', ports: ports(80) } });
      await run.cluster.quiet(A_WHILE_MS);
      await apply(run, other([90, 91]));
      assert.deepEqual([usageOf(run)?.listeners, statusAndReason(run, 'api')[1]], [2, 'QuotaExceeded']);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(A_WHILE_MS);
      assert.deepEqual([usageOf(run)?.listeners, statusAndReason(run, 'api')], [1, READY]);
      await run.process.stop();
    });
  }
});

it('a quota counts only the existing listeners of a deleted Service that requested more', async () => {
  const { run } = await begin();
  await apply(run, { ports: [80] });
  await patch(run, { spec: { ports: ports(80, 81, 82, 83) } });
  assert.equal(statusAndReason(run)[1], 'QuotaExceeded');
  rejectDeletions(run);
  await patch(run, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  await apply(run, other([90, 91]));
  await apply(run, THIRD);
  assert.deepEqual([statusAndReason(run, 'api'), statusAndReason(run, 'third')[1]], [READY, 'QuotaExceeded']);
  await run.process.stop();
});
