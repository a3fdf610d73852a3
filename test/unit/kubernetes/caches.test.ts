import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { INDEX } from '../../../src/controller/kubernetes-interface.ts';
import { PortcullisError } from '../../../src/base/errors.ts';
import { controllerCaches, webhookCaches } from '../../../src/kubernetes/caches.ts';
import type { ApiCall } from '../../../src/kubernetes/api-call.ts';
import { reflectorMetrics } from '../../../src/kubernetes/metrics.ts';
import { ApiScript, listEnd, type Step } from '../../support/api-script.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const added = (object: { readonly metadata: object; readonly [field: string]: unknown }): Step => ({
  type: 'ADDED',
  object: { ...object, metadata: { uid: 'u', resourceVersion: '1', ...object.metadata } },
});

const ID = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id';
const OBJECTS: Record<string, readonly Step[]> = {
  services: [
    added({
      metadata: { name: 'web', namespace: 'shop', annotations: { [ID]: 'lb-1' } },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    }),
  ],
  endpointslices: [
    added({
      metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      endpoints: [],
    }),
    added({ metadata: { name: 'stray', namespace: 'shop' }, addressType: 'IPv4', endpoints: [] }),
  ],
  pods: [
    added({
      metadata: { name: 'gated', namespace: 'shop' },
      spec: { readinessGates: [{ conditionType: 'service.readiness.alibabacloud.com/web' }], containers: [] },
    }),
    added({
      metadata: { name: 'others', namespace: 'shop' },
      spec: { readinessGates: [{ conditionType: 'example.com/ready' }], containers: [] },
    }),
    added({ metadata: { name: 'plain', namespace: 'shop' }, spec: { containers: [] } }),
  ],
  nodes: [
    added({ metadata: { name: 'n-1' }, spec: { providerID: 'cn-hangzhou.i-1' } }),
    added({ metadata: { name: 'n-2' }, spec: {} }),
  ],
};

/** The processes read the cluster only from these caches, so an incomplete cache must not count as ready. */
describe('the caches of a process', () => {
  const stop = new AbortController();
  after(() => stop.abort(new Error('the test is over')));

  const setUp = (missing?: string, unknown: readonly string[] = []) => {
    const clock = new VirtualClock();
    const script = ({ path }: ApiCall): readonly Step[] => {
      const plural = path.split('/').at(-1) ?? '';
      if (unknown.includes(plural)) return [new PortcullisError('NotFound', 'no such kind', { code: '404' })];
      return plural === missing ? ['stay'] : [...(OBJECTS[plural] ?? []), listEnd('5'), 'stay'];
    };
    const api = new ApiScript({ streams: [script] });
    const registry = new Registry();
    const options = {
      transport: api,
      clock,
      metrics: reflectorMetrics(registry),
      log: pino({ level: 'silent' }),
      random: () => 1,
    };
    /** Returns the time of the last event, by kind. */
    const heard = async (): Promise<Readonly<Record<string, number>>> => {
      const { values = [] } = (await registry.getSingleMetric('reflector_last_event_timestamp_seconds')?.get()) ?? {};
      return Object.fromEntries(values.map(({ labels, value }) => [String(labels['resource']), value]));
    };
    return { api, clock, options, heard };
  };

  it('index Services by load balancer, slices by Service, Nodes by provider ID', async () => {
    const { clock, options } = setUp();
    const caches = controllerCaches(options);
    void caches.run(stop.signal);
    await clock.complete(caches.synced(stop.signal));
    const names = (objects: readonly { metadata: { name: string } }[]) => objects.map(({ metadata }) => metadata.name);
    assert.deepEqual(names(caches.services.byIndex(INDEX.servicesByLoadBalancer, 'lb-1')), ['web']);
    assert.deepEqual(names(caches.endpointSlices.byIndex(INDEX.slicesByService, 'shop/web')), ['web-1']);
    assert.deepEqual(names(caches.nodes.byIndex(INDEX.nodesByInstance, 'cn-hangzhou.i-1')), ['n-1']);
    assert.equal(caches.nodes.byIndex(INDEX.nodesByInstance, '').length, 0);
  });

  it('keep only the pods that wait for a load balancer', async () => {
    const { clock, options } = setUp();
    const caches = controllerCaches(options);
    void caches.run(stop.signal);
    await clock.complete(caches.synced(stop.signal));
    assert.deepEqual(
      [...caches.pods.values()].map(({ metadata }) => metadata.name),
      ['gated'],
    );
  });

  it('do not wait for kinds of Portcullis without a CRD', async () => {
    const { clock, options } = setUp(undefined, ['classicloadbalancers', 'cloudinventories']);
    const caches = controllerCaches(options);
    void caches.run(stop.signal);
    await clock.complete(caches.synced(stop.signal));
    assert.equal([...caches.cloudInventories.values()].length, 0);
    assert.deepEqual(
      Object.values(caches.checks).flatMap((check) => check() ?? []),
      [],
    );
  });

  it('are ready when each has its first list, and report the missing lists', async () => {
    const { clock, options } = setUp('nodes');
    const caches = controllerCaches(options);
    void caches.run(stop.signal);
    let isSynced = false;
    const giveUp = new AbortController();
    const waiting = caches.synced(giveUp.signal).then(
      () => (isSynced = true),
      () => 'gave up',
    );
    await clock.advance(5_000);
    assert.equal(isSynced, false);
    assert.equal(caches.checks['informer-services']?.(), undefined);
    assert.equal(caches.checks['informer-nodes']?.(), 'the first list is not complete');
    giveUp.abort(new Error('no'));
    assert.equal(await waiting, 'gave up');
  });

  it('count the start as the first event of each kind, except of a kind without a CRD', async () => {
    const { clock, options, heard } = setUp('nodes', ['classicloadbalancers']);
    const beganAt = clock.now() / 1000;
    void controllerCaches(options).run(stop.signal);
    await clock.advance(60_000);
    const { nodes, classicloadbalancers } = await heard();
    assert.deepEqual([nodes, classicloadbalancers], [beganAt, undefined]);
  });

  it('keep for the webhook only the objects that its rules read', async () => {
    const { api, clock, options } = setUp();
    const caches = webhookCaches(options);
    void caches.run(stop.signal);
    await clock.complete(caches.synced(stop.signal));
    assert.deepEqual(api.calls.map(({ path }) => path.split('/').at(-1)).toSorted(), [
      'classicloadbalancers',
      'cloudinventories',
      'loadbalancerbindings',
      'services',
    ]);
    assert.equal(
      api.calls.find(({ path }) => path.endsWith('/services'))?.query?.['fieldSelector'],
      'spec.type=LoadBalancer',
    );
    assert.deepEqual(caches.services.byIndex(INDEX.servicesByLoadBalancer, 'lb-1')[0]?.spec, {
      type: 'LoadBalancer',
      ports: [{ port: 80 }],
    });
  });
});
