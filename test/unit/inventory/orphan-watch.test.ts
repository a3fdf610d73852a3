import assert from 'node:assert/strict';
import { defaultLoadBalancerName } from '../../../src/clb/model/naming.ts';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/custom-resources.ts';
import { CONFIG_MAPS, keyOf, objectKey, SERVICES } from '../../../src/base/kubernetes-objects.ts';
import { aBinding } from '../../support/invariants/history-builders.ts';
import { inventoryBench, MINUTE, owned, PROTECTED, type LoadBalancerSeed } from '../../support/inventory-fixture.ts';
import { aService } from '../../support/service.ts';

const SERVICE = aService();
const { uid } = SERVICE.metadata;
const OWN: LoadBalancerSeed = {
  id: 'lb-own',
  tags: { 'kubernetes.do.not.delete': defaultLoadBalancerName(uid), 'ack.aliyun.com': 'c1' },
};
const SHARED: LoadBalancerSeed = {
  id: 'lb-shared',
  tags: { 'kubernetes.reused.by.user': 'true' },
  listeners: [
    { port: 80, protocol: 'tcp', attributes: { Description: 'k8s/80/web/shop/c1' } },
    { port: 22, protocol: 'tcp' },
  ],
};
const FOREIGN = { ...aBinding(), spec: { ...aBinding().spec, clusterUID: 'another-cluster' } };
const FAILURE = {
  action: 'DescribeLoadBalancers',
  effect: 'reject',
  code: 'ServiceUnavailable',
  count: 1,
} as const;

type Bench = ReturnType<typeof inventoryBench>;

/** Creates a region after the first pass, with an owned load balancer, and a listener on a user-managed load balancer. */
async function bench(input: Parameters<typeof inventoryBench>[0] = {}): Promise<Bench> {
  const made = inventoryBench({ loadBalancers: [OWN, SHARED], ...input });
  made.kubernetes.put(SERVICES, SERVICE);
  await made.clock.advance(0);
  return made;
}

const vanish = ({ kubernetes }: Bench): void => kubernetes.delete(SERVICES, keyOf(SERVICE));

const ownerOf = ({ kubernetes }: Bench, id = 'lb-own'): string | undefined =>
  kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey(id))?.status?.owner;

const orphanedPorts = ({ kubernetes }: Bench): readonly number[] =>
  (kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-shared'))?.status?.listeners ?? []).flatMap(
    ({ port, orphan }) => (orphan === true ? [port] : []),
  );

async function counted({ registry }: Bench): Promise<Readonly<Record<string, number>>> {
  const lines = (await registry.metrics()).matchAll(/^portcullis_inventory_orphans\{kind="([a-z-]+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, kind = '', count]) => [kind, Number(count)]));
}

/** Users delete orphans by hand, so a load balancer in use must never be reported as an orphan. */
describe('the orphans of a region', () => {
  it('are reported and counted after the second complete pass', async () => {
    await using region = await bench();
    vanish(region);
    await region.clock.advance(MINUTE);
    assert.deepEqual([ownerOf(region), orphanedPorts(region)], ['this-cluster', []]);
    assert.deepEqual(await counted(region), { 'load-balancer': 0, listener: 0, binding: 0 });
    await region.clock.advance(MINUTE);
    assert.deepEqual([ownerOf(region), orphanedPorts(region)], ['orphan', [80]]);
    assert.deepEqual(await counted(region), { 'load-balancer': 1, listener: 1, binding: 0 });
    assert.match(await region.registry.metrics(), /portcullis_inventory_load_balancers\{owner="orphan"\} 1/);
  });

  it('stay in the cloud, and protected from reuse', async () => {
    await using region = await bench();
    vanish(region);
    await region.clock.advance(10 * MINUTE);
    assert.deepEqual(region.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, { 'lb-own': 'this-cluster' });
    assert.deepEqual(
      region.calls().filter((action) => !action.startsWith('Describe')),
      [],
    );
  });

  it('are none while a binding of this cluster exists for the cleanup', async () => {
    await using region = await bench();
    region.kubernetes.put(LOAD_BALANCER_BINDINGS, aBinding());
    vanish(region);
    await region.clock.advance(10 * MINUTE);
    assert.deepEqual([ownerOf(region), orphanedPorts(region)], ['this-cluster', []]);
    region.kubernetes.delete(LOAD_BALANCER_BINDINGS, objectKey(uid));
    await region.clock.advance(2 * MINUTE);
    assert.deepEqual([ownerOf(region), orphanedPorts(region)], ['orphan', [80]]);
  });

  it('include a binding of another cluster', async () => {
    await using region = await bench();
    region.kubernetes.put(LOAD_BALANCER_BINDINGS, FOREIGN);
    vanish(region);
    await region.clock.advance(2 * MINUTE);
    assert.deepEqual(await counted(region), { 'load-balancer': 1, listener: 1, binding: 1 });
  });

  it('are not confirmed by a failed pass', async () => {
    await using region = await bench();
    vanish(region);
    await region.clock.advance(MINUTE);
    region.simulator.faults([FAILURE]);
    await region.clock.advance(MINUTE);
    assert.equal(ownerOf(region), 'this-cluster');
    await region.clock.advance(MINUTE);
    assert.equal(ownerOf(region), 'orphan');
  });

  it('are none if a Service is back before the second pass', async () => {
    await using region = await bench();
    vanish(region);
    await region.clock.advance(MINUTE);
    region.kubernetes.put(SERVICES, SERVICE);
    await region.clock.advance(MINUTE);
    vanish(region);
    await region.clock.advance(MINUTE);
    assert.equal(ownerOf(region), 'this-cluster');
  });

  it('end when a Service of their UID exists', async () => {
    await using region = await bench();
    vanish(region);
    await region.clock.advance(2 * MINUTE);
    region.kubernetes.put(SERVICES, SERVICE);
    await region.clock.advance(MINUTE);
    assert.deepEqual([ownerOf(region), orphanedPorts(region)], ['this-cluster', []]);
    assert.deepEqual(await counted(region), { 'load-balancer': 0, listener: 0, binding: 0 });
  });

  it('are not reported while the cache of bindings is incomplete', async () => {
    await using region = await bench();
    region.bindings.setSynced(false);
    vanish(region);
    await region.clock.advance(10 * MINUTE);
    assert.equal(ownerOf(region), 'this-cluster');
    region.bindings.setSynced(true);
    await region.clock.advance(2 * MINUTE);
    assert.equal(ownerOf(region), 'orphan');
  });

  it('are none in a cluster with the default id', async () => {
    const tags = { ...OWN.tags, 'ack.aliyun.com': 'clusterid' };
    await using region = await bench({ clusterId: 'clusterid', loadBalancers: [{ ...OWN, tags }] });
    vanish(region);
    await region.clock.advance(10 * MINUTE);
    assert.equal(ownerOf(region), 'this-cluster');
  });

  it('stay orphans after a restart of the controller, without a write', async () => {
    const region = await bench();
    vanish(region);
    await region.clock.advance(2 * MINUTE);
    await region[Symbol.asyncDispose]();
    const written = region.kubernetes.writes.length;
    await using next = inventoryBench({ on: region });
    await next.clock.advance(0);
    assert.equal(ownerOf(next), 'orphan');
    assert.deepEqual(await counted(next), { 'load-balancer': 1, listener: 1, binding: 0 });
    const plurals = region.kubernetes.writes.slice(written).map(({ plural }) => plural);
    assert.deepEqual(
      plurals.filter((plural) => plural === 'classicloadbalancers'),
      [],
    );
  });

  it('cost no additional call to the cloud', async () => {
    const loadBalancers = [OWN, SHARED, ...owned(200)];
    await using region = await bench({ loadBalancers });
    const usual = region.calls().length;
    vanish(region);
    await region.clock.advance(2 * MINUTE);
    assert.equal(ownerOf(region), 'orphan');
    assert.equal(region.calls().length, 3 * usual);
  });
});
