import assert from 'node:assert/strict';
import { OWNER_TAG } from '../../../src/clb/naming.ts';
import { AN_AUDIT_MS, SERVICES, keyOf } from '../../support/cluster.ts';
import {
  annotated,
  apply,
  ingress,
  loadBalancers,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
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

/** Takes off it what says whose it is. */
const unmark = (run: Running) =>
  run.cluster.ask('UntagResources', {
    ResourceType: 'instance',
    'ResourceId.1': own(run).id ?? '',
    'TagKey.1': OWNER_TAG,
    'TagKey.2': 'ack.aliyun.com',
  });

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
      assert.equal(run.cluster.binding()?.spec.operation, undefined);
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

describe('a Service that has come back, though something that it asks for is never carried out', () => {
  /** Restarts the controller, and lets so much time pass that all is read again. */
  const restarted = async (run: Running): Promise<Running> => {
    await run.process.stop();
    const next = { cluster: run.cluster, process: run.cluster.start() };
    await next.cluster.quiet(AN_AUDIT_MS);
    return next;
  };
  async function back(): Promise<Running> {
    const run = await running();
    await apply(run, { annotations: annotated({ name: 'shop' }) });
    await patch(run, { metadata: { annotations: annotated({ 'address-type': 'intranet' }) } });
    run.cluster.simulator.faults([
      { action: 'DeleteLoadBalancer', effect: 'refuse', code: 'OperationDenied', count: 1 },
    ]);
    become(run, 'ClusterIP');
    await run.cluster.quiet(1_000);
    assert.equal(run.cluster.binding()?.spec.operation?.type, 'Cleanup');
    become(run, 'LoadBalancer');
    await run.cluster.quiet(4 * MINUTES);
    assert.deepEqual(standing(run), ['False', 'Immutable']);
    return run;
  }
  it('keeps its address after a restart where its load balancer was deleted by hand', async () => {
    const run = await back();
    const told = ingress(run);
    run.cluster.simulator.seed({ remove: [own(run).id] });
    const next = await restarted(run);
    assert.deepEqual(
      [loadBalancers(next), ingress(next), standing(next)],
      [[], told, ['False', 'LoadBalancerNotFound']],
    );
    await next.process.stop();
  });

  it('keeps its address after a restart where the mark of its load balancer was taken off', async () => {
    const run = await back();
    const { id } = own(run);
    await unmark(run);
    const next = await restarted(run);
    assert.deepEqual([own(next).id, standing(next)], [id, ['False', 'OwnerTagMissing']]);
    await next.process.stop();
  });

  it('leaves a protection off that people have turned off since', async () => {
    const run = await back();
    const { id = '' } = own(run);
    await run.cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId: id, DeleteProtection: 'off' });
    await run.cluster.quiet(2 * AN_AUDIT_MS);
    assert.equal(own(run).deleteProtection, 'off');
    await run.process.stop();
  });
});

describe('a Service that comes back to a process that was killed, and whose load balancer has lost its mark', () => {
  it('is told so, and gets no second one, where it says its address still', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ name: 'shop' }) });
    const { id } = own(run);
    const told = ingress(run);
    run.cluster.simulator.faults([
      { action: 'DeleteLoadBalancer', effect: 'refuse', code: 'OperationDenied', count: 1 },
    ]);
    become(run, 'ClusterIP');
    await run.cluster.quiet(1_000);
    run.process.kill();
    become(run, 'LoadBalancer');
    run.cluster.kubernetes.patch(SERVICES, KEY, { status: { loadBalancer: { ingress: told } } });
    await unmark(run);
    const next = { cluster: run.cluster, process: run.cluster.start() };
    await next.cluster.quiet(4 * MINUTES);
    assert.deepEqual([own(next).id, standing(next)], [id, ['False', 'OwnerTagMissing']]);
    await next.process.stop();
  });
});
