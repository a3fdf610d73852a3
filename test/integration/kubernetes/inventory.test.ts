import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { createInventoryController } from '../../../src/controller/inventory/controller.ts';
import { createRegionContents } from '../../../src/inventory/missing-load-balancers.ts';
import { createFacts } from '../../../src/inventory/facts-from-caches.ts';
import { controllerKubernetes, webhookKubernetes } from '../../../src/kubernetes/controller-webhook-clients.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { borrowControlPlane } from '../../support/borrowed-control-plane.ts';
import type { TestControlPlane } from '../../support/control-plane.ts';
import { inventoryCloud } from '../../support/inventory-fixture.ts';
import { access, until } from '../../support/kubernetes-access.ts';
import { root } from '../../support/manifests.ts';
import { aNetwork, aSimulator } from '../../support/simulator.ts';

const ACCOUNT = 'portcullis-system/portcullis-controller';
const LOAD_BALANCERS = [
  { id: 'lb-api', tags: { 'ack.aliyun.com': 'c1' } },
  { id: 'lb-other', tags: { 'kubernetes.do.not.delete': 'ax', 'ack.aliyun.com': 'c2' } },
  {
    id: 'lb-free',
    address: '47.96.0.7',
    listeners: [
      { port: 443, protocol: 'https' as const },
      { port: 80, protocol: 'http' as const },
      { port: 53, protocol: 'tcp' as const, attributes: { Description: 'k8s/53/dns/shop/c1', Scheduler: 'sch' } },
    ],
  },
];

/** Runs on a real API server, because RBAC, CRDs and printed columns exist only there. */
describe('the inventory in a real API server, with the shipped RBAC', function () {
  this.timeout(180_000);
  let plane: TestControlPlane;
  let kubeconfig: string;
  const clock = new VirtualClock(Date.now());
  const simulator = aSimulator({ world: { ...aNetwork(), loadBalancers: LOAD_BALANCERS } });
  const lines: string[] = [];

  const apply = (...files: string[]) =>
    plane.kubectl('apply', '--server-side', ...files.flatMap((file) => ['-f', join(root, 'manifests', file)]));
  /** Starts a controller process's inventory. A test advances its clock, and everything else runs in real time. */
  const start = async () => {
    const options = await access(kubeconfig);
    const kubernetes = controllerKubernetes({ ...options, identity: 'test' });
    const stop = new AbortController();
    const registry = new Registry();
    const { region, throttledApis, log } = inventoryCloud(simulator, clock, registry, lines);
    const controller = createInventoryController({
      region,
      throttledApis,
      writer: kubernetes.api.writer,
      classicLoadBalancers: kubernetes.caches.classicLoadBalancers,
      services: kubernetes.caches.services,
      bindings: kubernetes.caches.bindings,
      regionComparison: createRegionContents(clock),
      leadership: { toRecord: () => ({}), toRecordAtStart: () => ({}) },
      cluster: {
        regionId: 'cn-hangzhou',
        vpcId: 'vpc-1',
        clusterId: 'c1',
        clusterCidrs: ['10.244.0.0/16'],
        backendType: 'ecs',
        disablePublicSLB: false,
      },
      protectedIds: new Set(['lb-named']),
      clock,
      log,
      registry,
      random: () => 0.5,
    });
    const running = Promise.allSettled([kubernetes.run(stop.signal), controller.run(stop.signal)]);
    return {
      caches: kubernetes.caches,
      [Symbol.asyncDispose]: async () => {
        stop.abort(new Error('the test is over'));
        await running;
        await kubernetes[Symbol.asyncDispose]();
      },
    };
  };
  const get = async (...args: string[]) =>
    JSON.parse(await plane.kubectl('get', ...args, '-o', 'json')) as KubernetesList;
  const observedAt = async (): Promise<unknown> => (await get('cloudinventories')).items[0]?.status?.['observedAt'];
  /** Advances the clock by minutes until the next pass is complete. */
  const nextPass = async () => {
    const before = await observedAt();
    await until('the next complete pass', async () => {
      await clock.advance(60_000);
      return (await observedAt()) !== before;
    });
  };

  before(async () => {
    plane = await borrowControlPlane();
    await apply('namespace/namespace.yaml');
    await apply(
      ...['service-account', 'cluster-role', 'cluster-role-binding', 'role-protected', 'role-binding-protected'].map(
        (name) => `controller/${name}.yaml`,
      ),
    );
    kubeconfig = await plane.kubeconfigFor(ACCOUNT);
  });
  after(() => plane[Symbol.asyncDispose]());

  it('reports missing CRDs, still protects load balancers, and is written as soon as CRDs exist', async () => {
    await using process = await start();
    await until('the message about the missing CRDs', () =>
      lines.some((line) => line.includes('CustomResourceDefinition')),
    );
    const configMap = JSON.parse(
      await plane.kubectl('get', 'configmap', '-n', 'portcullis-system', 'portcullis-protected', '-o', 'json'),
    ) as { data: object };
    assert.deepEqual(configMap.data, { 'lb-api': 'api-server', 'lb-named': 'api-server', 'lb-other': 'other-cluster' });
    await apply('crds/classic-load-balancers.yaml', 'crds/cloud-inventories.yaml');
    await until('the caches', () => process.caches.classicLoadBalancers.hasSynced());
    // kubectl caches the list of resources, and would not find a short name that the cached list lacks.
    await until('the resources in the discovery of the API server', async () => {
      const found = await plane.client.find('/apis/portcullis.io/v1alpha1');
      return ['classicloadbalancers', 'cloudinventories'].every((name) => JSON.stringify(found ?? {}).includes(name));
    });
    await until('the inventory', async () => {
      await clock.advance(60_000);
      return (await get('clb')).items.length === 3;
    });
    await until('a complete pass', async () => {
      await clock.advance(60_000);
      return (await observedAt()) !== undefined;
    });
  });

  it('is printed by kubectl get clb', async () => {
    const [, ...rows] = (await plane.kubectl('get', 'clb')).trim().split('\n');
    assert.deepEqual(
      rows.map((row) =>
        row
          .split(/\s+/)
          .slice(0, 4)
          .map((cell, index) => (index === 1 && cell !== '47.96.0.7' ? '…' : cell)),
      ),
      [
        ['lb-api', '…', 'internet', 'api-server'],
        ['lb-free', '47.96.0.7', 'internet', 'user'],
        ['lb-other', '…', 'internet', 'other-cluster'],
      ],
    );
    const free = (await get('clb')).items.find(({ metadata }) => metadata.name === 'lb-free');
    assert.deepEqual(free?.status?.['listeners'], [
      { port: 53, protocol: 'tcp', service: 'shop/dns', scheduler: 'sch' },
      { port: 80, protocol: 'http' },
      { port: 443, protocol: 'https' },
    ]);
    const [header = '', , wide = ''] = (await plane.kubectl('get', 'clb', '-o', 'wide')).split('\n');
    assert.deepEqual([header.includes(' PORTS '), wide.includes(' tcp/53,http/80,https/443 ')], [true, true], wide);
  });

  it('writes only its time while nothing changes, also after a restart', async () => {
    const versions = async () => (await get('clb')).items.map(({ metadata }) => metadata.resourceVersion);
    const before = await versions();
    await using process = await start();
    await until('the caches', () => process.caches.classicLoadBalancers.hasSynced());
    await nextPass();
    await nextPass();
    assert.deepEqual(await versions(), before);
  });

  it('changes with the cloud, and so do the facts of the webhook', async () => {
    await using process = await start();
    await until('the caches', () => process.caches.classicLoadBalancers.hasSynced());
    const options = await access(plane.kubeconfig);
    const reader = webhookKubernetes(options);
    const stop = new AbortController();
    const following = reader.run(stop.signal);
    const facts = createFacts({ ...reader, clock: options.clock });
    await until('the facts', () => facts.freshness().kind !== 'absent');
    assert.equal(facts.loadBalancer('lb-api')?.owner, 'api-server');
    assert.equal(facts.cluster()?.clusterId, 'c1');
    simulator.seed({ loadBalancers: [{ id: 'lb-new' }], remove: ['lb-other'] });
    await nextPass();
    await until('the new load balancer', () => facts.loadBalancer('lb-new')?.owner === 'user');
    await until('the old one to be gone', () => facts.loadBalancer('lb-other') === undefined);
    assert.equal(facts.freshness().kind, 'fresh');
    stop.abort(new Error('the test is over'));
    await following;
    await reader[Symbol.asyncDispose]();
  });

  it('needs no further permission', async () => {
    const audit = (await plane.auditLog())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent);
    const own = audit.filter(
      ({ user }) => user?.username === 'system:serviceaccount:portcullis-system:portcullis-controller',
    );
    assert.ok(own.length > 0);
    assert.deepEqual(
      own.filter(({ responseStatus }) => responseStatus?.code === 403).map(({ requestURI }) => requestURI),
      [],
    );
  });
});

interface KubernetesList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly status?: Readonly<Record<string, unknown>>;
  }[];
}

interface AuditEvent {
  readonly user?: { readonly username?: string };
  readonly requestURI?: string;
  readonly responseStatus?: { readonly code?: number };
}
