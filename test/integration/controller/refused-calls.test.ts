import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  apply,
  changes,
  ingress,
  loadBalancers,
  now,
  patch,
  running,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;
const REUSING = annotated({ id: 'lb-made', 'force-override-listeners': 'true' });
const REUSABLE = { loadBalancers: [{ id: 'lb-made', name: 'by-hand', address: '47.1.1.1' }] };

const remove = async ({ cluster }: Running, ms: number): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, keyOf(aService()));
  await cluster.quiet(ms);
};
const refuse = ({ cluster }: Running, action: string, code: string, count: number): void =>
  cluster.simulator.faults([{ action, effect: 'refuse', code, count }]);
const ownId = (run: Running): string => loadBalancers(run)[0]?.id ?? '';

describe('a deletion that the cloud has refused', () => {
  it('is not carried out once the load balancer is not the Service’s any more', async () => {
    const run = await running();
    await apply(run);
    const id = ownId(run);
    refuse(run, 'DeleteLoadBalancer', 'Forbidden.RAM', 3);
    await remove(run, 2_000);
    await run.cluster.ask('SetLoadBalancerName', { LoadBalancerId: id, LoadBalancerName: 'kept' });
    await run.cluster.ask('TagResources', {
      ResourceType: 'instance',
      'ResourceId.1': id,
      'Tag.1.Key': 'kubernetes.do.not.delete',
      'Tag.1.Value': 'aother',
      'Tag.2.Key': 'ack.aliyun.com',
      'Tag.2.Value': 'c9',
    });
    await run.cluster.quiet(HALF_AN_HOUR_MS);
    assert.deepEqual([loadBalancers(run).map(({ name }) => name), run.cluster.service()], [['kept'], undefined]);
    await run.process.stop();
  });

  it('takes off a protection that came on meanwhile', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ 'delete-protection': 'off' }) });
    const id = ownId(run);
    refuse(run, 'DeleteLoadBalancer', 'Forbidden.RAM', 1);
    await remove(run, 1_000);
    await run.cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId: id, DeleteProtection: 'on' });
    await run.cluster.quiet(HALF_AN_HOUR_MS);
    assert.deepEqual([loadBalancers(run), run.cluster.service()], [[], undefined]);
    await run.process.stop();
  });

  it('finds on a load balancer that is reused what an answer before had left out', async () => {
    const run = await running({}, REUSABLE);
    await apply(run, { annotations: REUSING });
    const nothing = '{"Listeners":[],"RequestId":"x","TotalCount":0}';
    run.cluster.simulator.faults([
      { action: 'DescribeLoadBalancerListeners', effect: 'malformed-body', body: nothing, count: 1 },
    ]);
    await remove(run, HALF_AN_HOUR_MS);
    assert.deepEqual(
      loadBalancers(run).map(({ listeners, serverGroups }) => [listeners, serverGroups]),
      [[[], []]],
    );
    assert.equal(run.cluster.service(), undefined);
    await run.process.stop();
  });

  it('is tried on what is known while the cloud has only too much to do', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'throttle', count: 2 }]);
    const since = now(run);
    await remove(run, 5 * 60_000);
    assert.deepEqual(run.cluster.calls(since), [
      'DescribeLoadBalancerAttribute',
      'SetLoadBalancerDeleteProtection',
      'DeleteLoadBalancer',
      'DeleteLoadBalancer',
      'DeleteLoadBalancer',
    ]);
    await run.process.stop();
  });
});

describe('a change that the cloud has refused', () => {
  it('is planned anew on what the cloud has by then', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ 'instance-charge-type': 'PayBySpec' }) });
    await run.cluster.ask('ModifyLoadBalancerInstanceChargeType', {
      LoadBalancerId: ownId(run),
      InstanceChargeType: 'PayByCLCU',
    });
    const since = now(run);
    await patch(run, { metadata: { annotations: annotated({ spec: 'slb.s2.small', 'instance-charge-type': null }) } });
    await run.cluster.quiet(HALF_AN_HOUR_MS);
    assert.deepEqual(changes(run, since), ['ModifyLoadBalancerInstanceSpec']);
    assert.equal(ingress(run)?.length, 1);
    await run.process.stop();
  });
});
