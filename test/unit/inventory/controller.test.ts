import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/base/errors.ts';
import { INVENTORY_KEY } from '../../../src/inventory/facts-from-caches.ts';
import { CLASSIC_LOAD_BALANCERS, CLOUD_INVENTORIES } from '../../../src/inventory/custom-resources.ts';
import { CONFIG_MAPS, SERVICES, objectKey } from '../../../src/base/kubernetes-objects.ts';
import { aClb } from '../../support/inventory.ts';
import {
  API_SERVER,
  MINUTE,
  OTHERS,
  PROTECTED,
  inventoryBench,
  owned,
  reusable,
} from '../../support/inventory-fixture.ts';
import { aService } from '../../support/service.ts';

/** Rules read the inventory, so a wrong object could allow the reuse of a protected load balancer. */
describe('the inventory', () => {
  it("contains the region, protects the API server's load balancers, and has the cluster's facts", async () => {
    await using bench = inventoryBench({
      loadBalancers: [{ id: 'lb-api', tags: API_SERVER }, { id: 'lb-other', tags: OTHERS }, ...reusable(1)],
      protectedIds: ['lb-named'],
    });
    await bench.clock.advance(0);
    assert.deepEqual(bench.publish(), [
      ['lb-api', 'api-server'],
      ['lb-other', 'other-cluster'],
      ['lb-r0', 'user'],
    ]);
    const clb = bench.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-r0'));
    assert.deepEqual(clb?.status?.listeners, [{ port: 80, protocol: 'tcp' }]);
    assert.equal(clb.status.ports, 'tcp/80');
    assert.deepEqual(bench.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, {
      'lb-api': 'api-server',
      'lb-named': 'api-server',
      'lb-other': 'other-cluster',
    });
    assert.deepEqual(bench.kubernetes.get(CLOUD_INVENTORIES, INVENTORY_KEY)?.status, {
      observedAt: '2026-01-02T03:04:05.000Z',
      regionId: 'cn-hangzhou',
      vpcId: 'vpc-1',
      clusterId: 'c1',
      clusterCidrs: ['10.244.0.0/16'],
      backendType: 'ecs',
      disablePublicSLB: false,
      throttledApis: [],
    });
    const metrics = await bench.registry.metrics();
    assert.match(metrics, /portcullis_inventory_load_balancers\{owner="api-server"\} 1/);
  });

  it('keeps the Lease transitions of an earlier leader until a later leader records its own', async () => {
    const records = [{ leaseTransitions: 7 }, {}, { leaseTransitions: 9 }].map((recorded) => ({ recorded }));
    let on: Parameters<typeof inventoryBench>[0] = {};
    const seen: unknown[] = [];
    for (const record of records) {
      await using bench = inventoryBench({ ...on, ...record });
      await bench.clock.advance(MINUTE);
      seen.push(bench.kubernetes.get(CLOUD_INVENTORIES, INVENTORY_KEY)?.status?.leaseTransitions);
      on = { on: bench };
    }
    assert.deepEqual(seen, [7, 7, 9]);
  });

  it('contains the Service of an owned load balancer', async () => {
    await using bench = inventoryBench({
      loadBalancers: [
        { id: 'lb-1', tags: { 'kubernetes.do.not.delete': 'a5e4dbfc9c2ae4642b0335607860aef6', ...API_SERVER } },
      ],
    });
    bench.kubernetes.put(SERVICES, aService());
    await bench.clock.advance(MINUTE);
    assert.equal(bench.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-1'))?.status?.service, 'shop/web');
  });

  it('follows changes by hand in the cloud, and undoes changes by hand of its own objects', async () => {
    await using bench = inventoryBench({ loadBalancers: reusable(2) });
    await bench.clock.advance(0);
    bench.simulator.seed({ loadBalancers: [{ id: 'lb-new' }], remove: ['lb-r0'] });
    bench.kubernetes.put(CLASSIC_LOAD_BALANCERS, aClb('lb-invented'));
    bench.kubernetes.patch(CLASSIC_LOAD_BALANCERS, objectKey('lb-r1'), { status: { owner: 'this-cluster' } });
    bench.kubernetes.patch(CONFIG_MAPS, PROTECTED, { data: { 'lb-r1': 'api-server' } });
    await bench.clock.advance(MINUTE);
    assert.deepEqual(bench.publish(), [
      ['lb-r1', 'user'],
      ['lb-new', 'user'],
    ]);
    assert.deepEqual(bench.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, {});
  });

  it('does not write a load balancer that was changed a moment ago or during its writes', async () => {
    let isFirst = true;
    await using bench = inventoryBench({
      loadBalancers: reusable(20),
      writer: (real) => ({
        create: async (resource, ...rest) => {
          const isLoadBalancer = resource.plural === 'classicloadbalancers';
          if (isFirst && isLoadBalancer) bench.contents.changed('lb-r19');
          isFirst &&= !isLoadBalancer;
          return real.create(resource, ...rest);
        },
      }),
    });
    const stored = (id: string) => bench.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey(id));
    bench.contents.changed('lb-r0');
    await bench.clock.advance(0);
    assert.deepEqual([stored('lb-r0'), stored('lb-r19'), bench.publish().length], [undefined, undefined, 18]);
    await bench.clock.advance(2 * MINUTE);
    assert.equal(bench.publish().length, 20);
  });

  it('is written once if an older CRD drops a field, and again after the update of the CRD', async () => {
    let isOld = true;
    const stored = <Body extends object>(body: Body): Body => {
      const copy = structuredClone(body) as Body & { status?: { ports?: string } };
      if (isOld) delete copy.status?.ports;
      return copy;
    };
    await using bench = inventoryBench({
      loadBalancers: reusable(3),
      writer: (real) => ({
        create: async (resource, object, signal) => real.create(resource, stored(object), signal),
        mergePatch: async (resource, key, patch, ...rest) => real.mergePatch(resource, key, stored(patch), ...rest),
      }),
    });
    const passes = async (count: number): Promise<number> => {
      const writes = () => bench.kubernetes.writes.filter(({ plural }) => plural === 'classicloadbalancers').length;
      const before = writes();
      await bench.clock.advance(count * MINUTE);
      return writes() - before;
    };
    await bench.clock.advance(0);
    assert.equal(await passes(3), 0);
    isOld = false;
    bench.simulator.seed({ loadBalancers: [{ id: 'lb-r3', listeners: [{ port: 80, protocol: 'tcp' }] }] });
    assert.equal(await passes(5), 4);
    assert.equal(bench.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-r0'))?.status?.ports, 'tcp/80');
  });

  it('deletes nothing and is incomplete if any page fails, and logs it once', async () => {
    await using bench = inventoryBench({ loadBalancers: owned(150) });
    await bench.clock.advance(0);
    const seen = bench.observedAt();
    bench.simulator.seed({ remove: ['lb-o0'] });
    bench.simulator.faults([
      {
        action: 'DescribeLoadBalancers',
        filter: { PageNumber: '2' },
        effect: 'reject',
        code: 'ServiceUnavailable',
        count: 'forever',
      },
    ]);
    await bench.clock.advance(10 * MINUTE);
    assert.equal(bench.publish().length, 150);
    assert.equal(bench.observedAt(), seen);
    assert.equal(bench.lines.length, 1);
    assert.match(bench.lines[0] ?? '', /inventory pass failed/);
  });

  it('recovers from rejected calls without a restart', async () => {
    await using bench = inventoryBench({ loadBalancers: reusable(1) });
    bench.simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'reject', code: 'Forbidden.RAM', count: 3 }]);
    await bench.clock.advance(2 * MINUTE);
    assert.equal(bench.publish().length, 1);
  });

  it('calls a throttled API only after its window', async () => {
    await using bench = inventoryBench({ loadBalancers: reusable(1) });
    bench.simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'throttle' }]);
    await bench.clock.advance(MINUTE - 1);
    assert.deepEqual(bench.calls(), ['DescribeLoadBalancers']);
    await bench.clock.advance(MINUTE);
    assert.equal(bench.publish().length, 1);
  });

  it('publishes for five minutes that an API was throttled', async () => {
    await using bench = inventoryBench({ loadBalancers: reusable(1) });
    const published = () => bench.kubernetes.get(CLOUD_INVENTORIES, INVENTORY_KEY)?.status?.throttledApis;
    bench.simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'throttle' }]);
    await bench.clock.advance(2 * MINUTE);
    assert.deepEqual(published(), ['DescribeLoadBalancers']);
    await bench.clock.advance(5 * MINUTE);
    assert.deepEqual(published(), []);
  });

  it('reports missing CRDs, still protects load balancers, and continues when they exist', async () => {
    let installed = false;
    await using bench = inventoryBench({
      loadBalancers: [{ id: 'lb-api', tags: API_SERVER }],
      writer: (real) => ({
        create: async (resource, object, signal) => {
          if (!installed && resource.group === 'portcullis.io')
            throw new PortcullisError('NotFound', 'no such resource');
          return real.create(resource, object, signal);
        },
      }),
    });
    await bench.clock.advance(5 * MINUTE);
    assert.equal(bench.lines.length, 1);
    assert.match(
      bench.lines[0] ?? '',
      /the CustomResourceDefinition cloudinventories\.portcullis\.io is not installed, .*; install the definitions/,
    );
    assert.deepEqual(bench.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, { 'lb-api': 'api-server' });
    installed = true;
    await bench.clock.advance(MINUTE);
    assert.equal(bench.publish().length, 1);
  });

  it('stays unchanged while the caches are incomplete', async () => {
    await using bench = inventoryBench({ loadBalancers: reusable(1) });
    bench.cache.setSynced(false);
    await bench.clock.advance(MINUTE);
    assert.deepEqual(bench.publish(), []);
    assert.match(bench.lines[0] ?? '', /caches of Services and ClassicLoadBalancers have not synced yet/);
    bench.cache.setSynced(true);
    await bench.clock.advance(MINUTE);
    assert.equal(bench.publish().length, 1);
  });

  it('stores all other objects if an object is rejected, and is incomplete then', async () => {
    await using bench = inventoryBench({
      loadBalancers: reusable(3),
      writer: (real) => ({
        create: async (resource, object, ...rest) => {
          if (JSON.stringify(object).includes('lb-r1'))
            throw new PortcullisError('Rejected', 'status.address is invalid');
          return real.create(resource, object, ...rest);
        },
      }),
    });
    await bench.clock.advance(0);
    assert.deepEqual(bench.publish(), [
      ['lb-r0', 'user'],
      ['lb-r2', 'user'],
    ]);
    assert.equal(bench.observedAt(), undefined);
  });

  it('is written even if the ConfigMap cannot be written, which is reported', async () => {
    await using bench = inventoryBench({
      loadBalancers: reusable(1),
      writer: (real) => ({
        create: async (resource, object, signal) => {
          if (resource.plural === 'configmaps')
            throw new PortcullisError('NotFound', 'namespaces "portcullis-system" not found');
          return real.create(resource, object, signal);
        },
      }),
    });
    await bench.clock.advance(0);
    assert.equal(bench.publish().length, 1);
    assert.notEqual(bench.observedAt(), undefined);
    assert.match(bench.lines[0] ?? '', /portcullis-system/);
  });
});
