import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/base/errors.ts';
import { INVENTORY_KEY } from '../../../src/inventory/cached-facts.ts';
import { CLASSIC_LOAD_BALANCERS, CLOUD_INVENTORIES } from '../../../src/inventory/resource.ts';
import { CONFIG_MAPS, SERVICES, objectKey } from '../../../src/base/objects.ts';
import { aClb } from '../../support/inventory.ts';
import {
  API_SERVER,
  MINUTE,
  OTHERS,
  PROTECTED,
  inventoryStand,
  owned,
  reusable,
} from '../../support/inventory-bench.ts';
import { aService } from '../../support/service.ts';

describe('the inventory', () => {
  it('mirrors the region, protects the API server, and says of the cluster what it knows', async () => {
    await using stand = inventoryStand({
      loadBalancers: [{ id: 'lb-api', tags: API_SERVER }, { id: 'lb-other', tags: OTHERS }, ...reusable(1)],
      protectedIds: ['lb-named'],
    });
    await stand.clock.advance(0);
    assert.deepEqual(stand.mirror(), [
      ['lb-api', 'api-server'],
      ['lb-other', 'other-cluster'],
      ['lb-r0', 'user'],
    ]);
    const mirrored = stand.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-r0'));
    assert.deepEqual(mirrored?.status?.listeners, [{ port: 80, protocol: 'tcp' }]);
    assert.deepEqual(stand.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, {
      'lb-api': 'api-server',
      'lb-named': 'api-server',
      'lb-other': 'other-cluster',
    });
    assert.deepEqual(stand.kubernetes.get(CLOUD_INVENTORIES, INVENTORY_KEY)?.status, {
      observedAt: '2026-01-02T03:04:05.000Z',
      regionId: 'cn-hangzhou',
      vpcId: 'vpc-1',
      clusterId: 'c1',
      clusterCidrs: ['10.244.0.0/16'],
      backendType: 'ecs',
      disablePublicSLB: false,
    });
    const metrics = await stand.registry.metrics();
    assert.match(metrics, /portcullis_inventory_load_balancers\{owner="api-server"\} 1/);
  });

  it('keeps what is recorded of an earlier lead until it records its own', async () => {
    const stands = [{ leaseTransitions: 7 }, {}, { leaseTransitions: 9 }].map((recorded) => ({ recorded }));
    let on: Parameters<typeof inventoryStand>[0] = {};
    const seen: unknown[] = [];
    for (const said of stands) {
      await using stand = inventoryStand({ ...on, ...said });
      await stand.clock.advance(MINUTE);
      seen.push(stand.kubernetes.get(CLOUD_INVENTORIES, INVENTORY_KEY)?.status?.leaseTransitions);
      on = { on: stand };
    }
    assert.deepEqual(seen, [7, 7, 9]);
  });

  it('names the Service that a load balancer of ours was made for', async () => {
    await using stand = inventoryStand({
      loadBalancers: [
        { id: 'lb-1', tags: { 'kubernetes.do.not.delete': 'a5e4dbfc9c2ae4642b0335607860aef6', ...API_SERVER } },
      ],
    });
    stand.kubernetes.put(SERVICES, aService());
    await stand.clock.advance(MINUTE);
    assert.equal(stand.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-1'))?.status?.service, 'shop/web');
  });

  it('follows what is made and deleted by hand, also in the mirror itself', async () => {
    await using stand = inventoryStand({ loadBalancers: reusable(2) });
    await stand.clock.advance(0);
    stand.simulator.seed({ loadBalancers: [{ id: 'lb-new' }], remove: ['lb-r0'] });
    stand.kubernetes.put(CLASSIC_LOAD_BALANCERS, aClb('lb-invented'));
    stand.kubernetes.patch(CLASSIC_LOAD_BALANCERS, objectKey('lb-r1'), { status: { owner: 'this-cluster' } });
    stand.kubernetes.patch(CONFIG_MAPS, PROTECTED, { data: { 'lb-r1': 'api-server' } });
    await stand.clock.advance(MINUTE);
    assert.deepEqual(stand.mirror(), [
      ['lb-r1', 'user'],
      ['lb-new', 'user'],
    ]);
    assert.deepEqual(stand.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, {});
  });

  it('brings no listener back that was deleted while the region was read or lags behind, until it is there again', async () => {
    await using stand = inventoryStand({ loadBalancers: reusable(2) });
    const deleted = { port: 80, protocol: 'tcp' } as const;
    const listeners = () =>
      ['lb-r0', 'lb-r1'].map((id) => stand.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey(id))?.status?.listeners);
    stand.deletedListeners.deleted('lb-r0', deleted);
    await stand.clock.advance(0);
    assert.deepEqual(listeners(), [[], [deleted]]);
    await stand.clock.advance(2 * MINUTE);
    assert.deepEqual(listeners(), [[deleted], [deleted]]);
  });

  it('brings no listener back that was deleted while its own writes were under way', async () => {
    let isFirst = true;
    await using stand = inventoryStand({
      loadBalancers: reusable(20),
      writer: (real) => ({
        create: async (resource, ...rest) => {
          const isLoadBalancer = resource.plural === 'classicloadbalancers';
          if (isFirst && isLoadBalancer) stand.deletedListeners.deleted('lb-r19', { port: 80, protocol: 'tcp' });
          isFirst &&= !isLoadBalancer;
          return real.create(resource, ...rest);
        },
      }),
    });
    await stand.clock.advance(0);
    assert.deepEqual(stand.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-r19'))?.status?.listeners, []);
  });

  it('deletes nothing and is not complete when any page fails, and says so once', async () => {
    await using stand = inventoryStand({ loadBalancers: owned(150) });
    await stand.clock.advance(0);
    const seen = stand.observedAt();
    stand.simulator.seed({ remove: ['lb-o0'] });
    stand.simulator.faults([
      {
        action: 'DescribeLoadBalancers',
        filter: { PageNumber: '2' },
        effect: 'refuse',
        code: 'ServiceUnavailable',
        count: 'forever',
      },
    ]);
    await stand.clock.advance(10 * MINUTE);
    assert.equal(stand.mirror().length, 150);
    assert.equal(stand.observedAt(), seen);
    assert.equal(stand.lines.length, 1);
    assert.match(stand.lines[0] ?? '', /inventory pass failed/);
  });

  it('recovers by itself', async () => {
    await using stand = inventoryStand({ loadBalancers: reusable(1) });
    stand.simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'refuse', code: 'Forbidden.RAM', count: 3 }]);
    await stand.clock.advance(2 * MINUTE);
    assert.equal(stand.mirror().length, 1);
  });

  it('calls a throttled API no more until its window is over', async () => {
    await using stand = inventoryStand({ loadBalancers: reusable(1) });
    stand.simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'throttle' }]);
    await stand.clock.advance(MINUTE - 1);
    assert.deepEqual(stand.calls(), ['DescribeLoadBalancers']);
    await stand.clock.advance(MINUTE);
    assert.equal(stand.mirror().length, 1);
  });

  it('says that the CRDs are missing and what to install, protects all the same, and goes on when they are there', async () => {
    let installed = false;
    await using stand = inventoryStand({
      loadBalancers: [{ id: 'lb-api', tags: API_SERVER }],
      writer: (real) => ({
        create: async (resource, object, signal) => {
          if (!installed && resource.group === 'portcullis.io')
            throw new PortcullisError('NotFound', 'no such resource');
          return real.create(resource, object, signal);
        },
      }),
    });
    await stand.clock.advance(5 * MINUTE);
    assert.equal(stand.lines.length, 1);
    assert.match(
      stand.lines[0] ?? '',
      /does not know cloudinventories\.portcullis\.io: install the CustomResourceDefinitions/,
    );
    assert.deepEqual(stand.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, { 'lb-api': 'api-server' });
    installed = true;
    await stand.clock.advance(MINUTE);
    assert.equal(stand.mirror().length, 1);
  });

  it('leaves the mirror alone while its own caches are not complete', async () => {
    await using stand = inventoryStand({ loadBalancers: reusable(1) });
    stand.cache.setSynced(false);
    await stand.clock.advance(MINUTE);
    assert.deepEqual(stand.mirror(), []);
    assert.match(stand.lines[0] ?? '', /caches of Services and ClassicLoadBalancers are not complete yet/);
    stand.cache.setSynced(true);
    await stand.clock.advance(MINUTE);
    assert.equal(stand.mirror().length, 1);
  });

  it('writes all that can be written when one object is refused, and is not complete then', async () => {
    await using stand = inventoryStand({
      loadBalancers: reusable(3),
      writer: (real) => ({
        create: async (resource, object, ...rest) => {
          if (JSON.stringify(object).includes('lb-r1'))
            throw new PortcullisError('Rejected', 'status.address is invalid');
          return real.create(resource, object, ...rest);
        },
      }),
    });
    await stand.clock.advance(0);
    assert.deepEqual(stand.mirror(), [
      ['lb-r0', 'user'],
      ['lb-r2', 'user'],
    ]);
    assert.equal(stand.observedAt(), undefined);
  });

  it('mirrors also when the ConfigMap cannot be written, and reports it', async () => {
    await using stand = inventoryStand({
      loadBalancers: reusable(1),
      writer: (real) => ({
        create: async (resource, object, signal) => {
          if (resource.plural === 'configmaps')
            throw new PortcullisError('NotFound', 'namespaces "portcullis-system" not found');
          return real.create(resource, object, signal);
        },
      }),
    });
    await stand.clock.advance(0);
    assert.equal(stand.mirror().length, 1);
    assert.notEqual(stand.observedAt(), undefined);
    assert.match(stand.lines[0] ?? '', /portcullis-system/);
  });
});
