import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createCloud } from '../../../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../../../src/alibaba/metrics.ts';
import { createInventoryController } from '../../../src/controller/inventory.ts';
import type { KubernetesWriter } from '../../../src/controller/port.ts';
import { PortcullisError } from '../../../src/errors.ts';
import { INVENTORY_KEY } from '../../../src/inventory/cached-facts.ts';
import {
  CLASSIC_LOAD_BALANCERS,
  CLOUD_INVENTORIES,
  type ClassicLoadBalancer,
} from '../../../src/inventory/resource.ts';
import type { SeedInput } from '../../../src/local/simulator/seed.ts';
import { CONFIG_MAPS, SERVICES, objectKey } from '../../../src/objects.ts';
import { virtualClock } from '../../support/clock.ts';
import { transportTo } from '../../support/controller-process.ts';
import { aClb } from '../../support/inventory.ts';
import { KubernetesDouble } from '../../support/kubernetes-double.ts';
import { aService } from '../../support/service.ts';
import { aNetwork, aSimulator } from '../../support/simulator.ts';
import type { WatchedDouble } from '../../support/watched.ts';

type LoadBalancerSeed = NonNullable<SeedInput['loadBalancers']>[number];
const MINUTE = 60_000;
const PROTECTED = objectKey('portcullis-protected', 'portcullis-system');
const API_SERVER = { 'ack.aliyun.com': 'c1' };
const OTHERS = { 'kubernetes.do.not.delete': 'axyz', 'ack.aliyun.com': 'c2' };

/** Load balancers that nobody owns, with a listener each. */
const reusable = (count: number): LoadBalancerSeed[] =>
  Array.from({ length: count }, (_, n) => ({ id: `lb-r${n}`, listeners: [{ port: 80, protocol: 'tcp' }] }));
const owned = (count: number): LoadBalancerSeed[] =>
  Array.from({ length: count }, (_, n) => ({ id: `lb-o${n}`, tags: OTHERS }));

interface Said {
  readonly loadBalancers?: LoadBalancerSeed[];
  readonly protectedIds?: string[];
  /** Takes the place of methods of the writer. */
  readonly writer?: (real: KubernetesWriter) => Partial<KubernetesWriter>;
}

const bench = ({ loadBalancers = [], protectedIds = [], writer = () => ({}) }: Said = {}) => {
  const clock = virtualClock();
  const simulator = aSimulator({ clock, world: { ...aNetwork(), loadBalancers } });
  const kubernetes = new KubernetesDouble();
  const client = kubernetes.connect();
  const registry = new Registry();
  const lines: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line: string) => void lines.push(line) });
  const { region } = createCloud({
    regionId: 'cn-hangzhou',
    transport: async () => Promise.reject(new Error('the inventory has a transport of its own')),
    inventoryTransport: transportTo(simulator, 'portcullis-inventory'),
    guard: () => false,
    clock,
    log,
    metrics: createCloudMetrics(registry),
  });
  const controller = createInventoryController({
    region,
    writer: { ...client.writer, ...writer(client.writer) },
    classicLoadBalancers: client.classicLoadBalancers,
    services: client.services,
    cluster: {
      regionId: 'cn-hangzhou',
      vpcId: 'vpc-1',
      clusterId: 'c1',
      clusterCidrs: ['10.244.0.0/16'],
      backendType: 'ecs',
      disablePublicSLB: false,
    },
    protectedIds: new Set(protectedIds),
    clock,
    log,
    registry,
    random: () => 0.5,
  });
  const stop = new AbortController();
  const running = controller.run(stop.signal).catch((reason: unknown) => reason);
  return {
    ...{ clock, simulator, kubernetes, controller, registry, lines },
    cache: client.classicLoadBalancers as WatchedDouble<ClassicLoadBalancer>,
    calls: (since = 0) => simulator.journal(since).map(({ action }) => action),
    mirror: () =>
      [...client.classicLoadBalancers.values()].map(({ metadata, status }) => [metadata.name, status?.owner]),
    observedAt: () => kubernetes.get(CLOUD_INVENTORIES, INVENTORY_KEY)?.status?.observedAt,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'));
      assert.match(String(await running), /the test is over/);
      assert.equal(clock.sleeping, 0);
    },
  };
};

describe('the inventory', () => {
  it('mirrors the region, protects the API server, and says of the cluster what it knows', async () => {
    await using stand = bench({
      loadBalancers: [{ id: 'lb-api', tags: API_SERVER }, { id: 'lb-other', tags: OTHERS }, ...reusable(1)],
      protectedIds: ['lb-named'],
    });
    await stand.clock.advance(0);
    assert.deepEqual(stand.mirror(), [
      ['lb-api', 'api-server'],
      ['lb-other', 'other-cluster'],
      ['lb-r0', 'nobody'],
    ]);
    const mirrored = stand.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-r0'));
    assert.deepEqual(mirrored?.status?.listeners, [{ port: 80, protocol: 'tcp' }]);
    assert.deepEqual(stand.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, {
      'lb-api': 'api-server',
      'lb-named': 'api-server',
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

  it('names the Service that a load balancer of ours was made for', async () => {
    await using stand = bench({
      loadBalancers: [
        { id: 'lb-1', tags: { 'kubernetes.do.not.delete': 'a5e4dbfc9c2ae4642b0335607860aef6', ...API_SERVER } },
      ],
    });
    stand.kubernetes.put(SERVICES, aService());
    await stand.clock.advance(MINUTE);
    assert.equal(stand.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey('lb-1'))?.status?.service, 'shop/web');
  });

  describe('costs (B25)', () => {
    for (const [ours, free, expected] of [
      [0, 0, 1],
      [1, 0, 1],
      [90, 10, 1 + 1],
      [90, 11, 2 + 2],
      [150, 100, 3 + 10],
    ] as const) {
      it(`${expected} calls a minute for ${ours} owned and ${free} reusable load balancers`, async () => {
        await using stand = bench({ loadBalancers: [...owned(ours), ...reusable(free)] });
        await stand.clock.advance(MINUTE - 1);
        assert.equal(stand.calls().length, expected);
        await stand.clock.advance(MINUTE);
        assert.equal(stand.calls().length, 2 * expected);
      });
    }

    it('its calls under a user agent of its own', async () => {
      await using stand = bench({ loadBalancers: reusable(1) });
      await stand.clock.advance(0);
      assert.deepEqual(
        [...new Set(stand.simulator.journal().map(({ userAgent }) => userAgent))],
        ['portcullis-inventory'],
      );
    });

    it('one write a minute when nothing changes: the time it was seen', async () => {
      await using stand = bench({ loadBalancers: [{ id: 'lb-api', tags: API_SERVER }, ...reusable(3)] });
      await stand.clock.advance(0);
      const before = stand.kubernetes.writes.length;
      await stand.clock.advance(MINUTE);
      assert.deepEqual(
        stand.kubernetes.writes.slice(before).map(({ verb, plural }) => `${verb} ${plural}`),
        ['patch cloudinventories'],
      );
      assert.equal(stand.observedAt(), '2026-01-02T03:05:05.000Z');
    });
  });

  it('follows what is made and deleted by hand, also in the mirror itself', async () => {
    await using stand = bench({ loadBalancers: reusable(2) });
    await stand.clock.advance(0);
    stand.simulator.seed({ loadBalancers: [{ id: 'lb-new' }], remove: ['lb-r0'] });
    stand.kubernetes.put(CLASSIC_LOAD_BALANCERS, aClb('lb-invented'));
    stand.kubernetes.patch(CLASSIC_LOAD_BALANCERS, objectKey('lb-r1'), { status: { owner: 'this-cluster' } });
    stand.kubernetes.patch(CONFIG_MAPS, PROTECTED, { data: { 'lb-r1': 'api-server' } });
    await stand.clock.advance(MINUTE);
    assert.deepEqual(stand.mirror(), [
      ['lb-r1', 'nobody'],
      ['lb-new', 'nobody'],
    ]);
    assert.deepEqual(stand.kubernetes.get(CONFIG_MAPS, PROTECTED)?.data, {});
  });

  it('deletes nothing and is not complete when any page fails, and says so once', async () => {
    await using stand = bench({ loadBalancers: owned(150) });
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
    await using stand = bench({ loadBalancers: reusable(1) });
    stand.simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'refuse', code: 'Forbidden.RAM', count: 3 }]);
    await stand.clock.advance(2 * MINUTE);
    assert.equal(stand.mirror().length, 1);
  });

  it('calls a throttled API no more until its window is over', async () => {
    await using stand = bench({ loadBalancers: reusable(1) });
    stand.simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'throttle' }]);
    await stand.clock.advance(MINUTE - 1);
    assert.deepEqual(stand.calls(), ['DescribeLoadBalancers']);
    await stand.clock.advance(MINUTE);
    assert.equal(stand.mirror().length, 1);
  });

  it('refreshes soon when asked, but not more often than every five seconds', async () => {
    await using stand = bench();
    await stand.clock.advance(1000);
    for (let n = 0; n < 10; n += 1) stand.controller.refreshSoon();
    await stand.clock.advance(3_999);
    assert.equal(stand.calls().length, 1);
    await stand.clock.advance(1);
    assert.equal(stand.calls().length, 2);
    await stand.clock.advance(MINUTE - 1);
    assert.equal(stand.calls().length, 2);
    stand.controller.refreshSoon();
    await stand.clock.advance(0);
    assert.equal(stand.calls().length, 3);
  });

  it('says that the CRDs are missing and what to install, protects all the same, and goes on when they are there', async () => {
    let installed = false;
    await using stand = bench({
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
    await using stand = bench({ loadBalancers: reusable(1) });
    stand.cache.setSynced(false);
    await stand.clock.advance(MINUTE);
    assert.deepEqual(stand.mirror(), []);
    assert.match(stand.lines[0] ?? '', /caches of Services and ClassicLoadBalancers are not complete yet/);
    stand.cache.setSynced(true);
    await stand.clock.advance(MINUTE);
    assert.equal(stand.mirror().length, 1);
  });

  it('writes all that can be written when one object is refused, and is not complete then', async () => {
    await using stand = bench({
      loadBalancers: reusable(3),
      writer: (real) => ({
        mergePatch: async (resource, key, ...rest) => {
          if (key === 'lb-r1') throw new PortcullisError('Rejected', 'status.address is invalid');
          return real.mergePatch(resource, key, ...rest);
        },
      }),
    });
    await stand.clock.advance(0);
    assert.deepEqual(stand.mirror(), [
      ['lb-r0', 'nobody'],
      ['lb-r1', undefined],
      ['lb-r2', 'nobody'],
    ]);
    assert.equal(stand.observedAt(), undefined);
  });

  it('mirrors also when the ConfigMap cannot be written, and reports it', async () => {
    await using stand = bench({
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
