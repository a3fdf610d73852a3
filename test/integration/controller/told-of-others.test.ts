import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  events,
  loadBalancers,
  messageOf,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const VAULT = { name: 'vault', namespace: 'bank', uid: '6e4dbfc9-c2ae-4642-b033-5607860aef6b' };
const SEED = {
  loadBalancers: [{ id: 'lb-a', name: 'a', address: '47.1.1.1', listeners: [{ port: 80, protocol: 'tcp' as const }] }],
};
/** Each is other than what any load balancer has here. */
const UNLIKE = {
  'force-override-listeners': 'true',
  'address-type': 'intranet',
  ip: '10.9.9.9',
  'resource-group-id': 'rg-1',
};
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';

/** All that the Service is told. */
const said = (run: Running): readonly string[] => [messageOf(run), ...events(run, 'SyncLoadBalancerFailed')];

/** A Service of the namespace bank has a load balancer of its own, and one of the namespace shop perhaps, too. */
async function theirs(run: Running, isServed: boolean) {
  const { kubernetes } = run.cluster;
  kubernetes.put(SERVICES, aService({ ...VAULT, ports: [443], annotations: annotated({ spec: 'slb.s3.large' }) }));
  await run.cluster.quiet(5_000);
  const vault = loadBalancers(run).find(({ id }) => id !== 'lb-a');
  assert.ok(vault !== undefined);
  if (isServed) {
    kubernetes.put(SERVICES, aService({ ports: [443] }));
    await run.cluster.quiet(5_000);
  }
  return vault;
}

describe('a Service that names the load balancer that was made for one of another namespace', () => {
  for (const isServed of [true, false])
    it(`is told so and nothing of what that one has, where it ${isServed ? 'has one already' : 'has none'}`, async () => {
      const run = await running({}, SEED);
      const { id, address } = await theirs(run, isServed);
      const annotations = annotated({ ...UNLIKE, id });
      if (isServed) await patch(run, { metadata: { annotations } });
      else {
        run.cluster.kubernetes.put(SERVICES, aService({ ports: [443], annotations }));
        await run.cluster.quiet();
      }
      const [reason, why] = isServed
        ? ['LoadBalancerChangeNotSupported', `^the annotation id names load balancer ${id}, but nothing has moved`]
        : ['OnlyMine', `^load balancer ${id} was made by Kubernetes, [^;]*; name one[^;]*$`];
      assert.deepEqual(standing(run), ['False', reason]);
      assert.match(messageOf(run), new RegExp(why));
      for (const text of said(run)) assert.ok(![address, '443', 'slb.s3'].some((each) => text.includes(each)), text);
      await run.process.stop();
    });

  it('is told no port and no address of it by a controller whose mirror does not show it yet', async () => {
    const run = await running({ controllers: ['service', 'inventory'] }, SEED);
    const { id, address } = await theirs(run, true);
    await patch(run, { metadata: { annotations: annotated({ ...UNLIKE, id }) } });
    assert.ok(said(run).length > 1);
    for (const text of said(run)) assert.ok(![address, '443'].some((each) => text.includes(each)), text);
    await run.process.stop();
  });

  it('by its label alone is not told that it is served by it', async () => {
    const run = await running({}, SEED);
    const { id } = await theirs(run, true);
    const own = loadBalancers(run).find((each) => ![id, 'lb-a'].includes(each.id))?.id;
    await run.process.stop();
    await run.cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId: own, DeleteProtection: 'off' });
    await run.cluster.ask('DeleteLoadBalancer', { LoadBalancerId: own });
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { labels: { [ID_LABEL]: id } } });
    const next = run.cluster.start();
    await run.cluster.quiet(3 * 3600_000);
    assert.deepEqual(standing(run), ['False', 'LoadBalancerNotFound']);
    assert.match(messageOf(run), /^the load balancer with address \S+ no longer exists/);
    for (const text of said(run)) assert.ok(!text.includes(id), text);
    await next.stop();
  });
});
