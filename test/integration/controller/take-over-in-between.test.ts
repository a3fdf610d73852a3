import assert from 'node:assert/strict';
import { aCluster, keyOf, SERVICES, type Cluster } from '../../support/cluster.ts';
import { aService } from '../../support/service.ts';

const OWNER = 'a5e4dbfc9c2ae4642b0335607860aef6';
/** In which lists show what the existing controller has made, and certainly what it had asked for. */
const SETTLED_MS = 10 * 60_000;

/** The existing controller has put its finalizer on, made the load balancer a moment ago, and is gone. */
async function diedCreating(isCreated: boolean): Promise<Cluster> {
  const cluster = aCluster({ knobs: { listLagMs: 30_000 } });
  const service = aService();
  const metadata = { ...service.metadata, finalizers: ['service.k8s.alibaba/resources'] };
  cluster.kubernetes.put(SERVICES, { ...service, metadata });
  if (isCreated)
    await cluster.ask('CreateLoadBalancer', {
      LoadBalancerName: OWNER,
      AddressType: 'internet',
      InstanceChargeType: 'PayByCLCU',
      ClientToken: 'other',
      'Tag.1.Key': 'kubernetes.do.not.delete',
      'Tag.1.Value': OWNER,
      'Tag.2.Key': 'ack.aliyun.com',
      'Tag.2.Value': 'c1',
    });
  return cluster;
}
const ids = ({ simulator }: Cluster): readonly string[] =>
  (simulator.state() as { readonly loadBalancers: readonly { readonly id: string }[] }).loadBalancers.map(
    ({ id }) => id,
  );

describe('a take-over in the middle of a creation of the existing controller, which lists do not show yet', () => {
  it('goes on with the load balancer that was made, and makes no second one', async () => {
    const cluster = await diedCreating(true);
    const made = ids(cluster);
    await cluster.quiet(16_000);
    const process = cluster.start();
    await cluster.quiet(SETTLED_MS);
    assert.deepEqual(ids(cluster), made);
    assert.equal(cluster.service()?.status?.loadBalancer?.ingress?.length, 1);
    await process.stop();
  });

  it('makes one where none was made after all', async () => {
    const cluster = await diedCreating(false);
    const process = cluster.start();
    await cluster.quiet(SETTLED_MS);
    assert.equal(ids(cluster).length, 1);
    await process.stop();
  });

  for (const isCreated of [true, false])
    it(`leaves nothing behind of a Service that is deleted meanwhile, ${isCreated ? 'which has' : 'and lets one go that has not'} got one`, async () => {
      const cluster = await diedCreating(isCreated);
      await cluster.quiet(10_000);
      cluster.kubernetes.delete(SERVICES, keyOf(aService()));
      const process = cluster.start();
      await cluster.quiet(SETTLED_MS);
      assert.deepEqual([ids(cluster), cluster.service()], [[], undefined]);
      await process.stop();
    });
});
