import assert from 'node:assert/strict';
import { writePlaces, type Place } from '../../../src/controller/service/places.ts';
import { aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  changes,
  ingress,
  loadBalancers,
  messageOf,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', serverGroups: [{ id: 'rsp-a', name: 'a', backends: [] }] },
    { id: 'lb-b', name: 'b', address: '47.1.1.2' },
    { id: 'lb-api', name: 'api', address: '47.1.1.3', tags: { 'ack.aliyun.com': 'c1' } },
  ],
};
const REUSING = { id: 'lb-a', 'force-override-listeners': 'true' };

/** Behind all groups of the cloud. */
const backends = (run: Running): readonly string[] =>
  loadBalancers(run).flatMap(({ id, serverGroups }) =>
    serverGroups.flatMap((group) =>
      group.backends.map(
        ({ serverId }) =>
          `${id.startsWith('lb-') && SEED.loadBalancers.some((each) => each.id === id) ? id : 'own'} ${serverId}`,
      ),
    ),
  );

const slice = (run: Running, node: string): void => {
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), [node]));
};

/** A Service in Local mode whose pods are on the first Node. */
async function served(run: Running, annotations: Record<string, string>): Promise<void> {
  const service = aService({ annotations: annotated(annotations) });
  slice(run, 'n1');
  run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
  await run.cluster.quiet();
}

describe('a Service that asks in vain for another load balancer than the one that serves it', () => {
  const inVain: Readonly<
    Record<string, readonly [first: Record<string, string>, then: Record<string, string | null>]>
  > = {
    'has its own and names one of people': [{}, { id: 'lb-b' }],
    'has its own and names one that is not there': [{}, { id: 'lb-nope' }],
    'has its own and names the API server’s': [{}, { id: 'lb-api' }],
    'has its own, tells a host name, and names one of people': [{ hostname: 'web.example' }, { id: 'lb-b' }],
    'has one of people and names another': [REUSING, { id: 'lb-b' }],
    'has one of people and names it no more': [REUSING, { id: null }],
    'has a group of people and names another load balancer': [
      { id: 'lb-a', 'vgroup-port': 'rsp-a:80' },
      { id: 'lb-b' },
    ],
  };
  for (const [what, [first, then]] of Object.entries(inVain))
    for (const controllers of [['service'], ['service', 'inventory']] as const)
      for (const isRestarted of [false, true])
        it(`keeps its backends, where it ${what}${controllers.length > 1 ? ', with the mirror' : ''}${isRestarted ? ', also after a restart' : ''}`, async () => {
          const run = await running({ controllers }, SEED);
          await served(run, first);
          const where = 'id' in first ? 'lb-a' : 'own';
          assert.deepEqual(backends(run), [`${where} i-1`]);
          await patch(run, { metadata: { annotations: annotated(then) } });
          const since = now(run);
          if (isRestarted) await run.process.stop();
          const process = isRestarted ? run.cluster.start({ controllers }) : run.process;
          slice(run, 'n2');
          await run.cluster.quiet();
          assert.deepEqual(backends(run), [`${where} i-2`]);
          assert.deepEqual(changes(run, since), ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers']);
          assert.equal(standing(run)[0], 'False');
          slice(run, 'n3');
          await run.cluster.quiet(20 * 60_000);
          assert.deepEqual(backends(run), [`${where} i-3`]);
          await patch(run, { metadata: { annotations: { ...annotated({ id: null }), ...annotated(first) } } });
          assert.deepEqual([backends(run), standing(run)[0]], [[`${where} i-3`], 'True']);
          await process.stop();
        });

  it('is told what stands in the way of its backends as well', async () => {
    const run = await running({}, SEED);
    await served(run, {});
    await patch(run, { metadata: { annotations: annotated({ id: 'lb-b' }) } });
    const refused = { effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' };
    run.cluster.simulator.faults([{ ...refused, action: 'AddVServerGroupBackendServers' }]);
    slice(run, 'n2');
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([backends(run), standing(run)], [['own i-1'], ['False', 'Forbidden']]);
    assert.match(messageOf(run), /the Service already has/);
    await run.process.stop();
  });
});

describe('a Service that goes over to a load balancer on which people have one of its ports', () => {
  const PORTS = [80, 443].map((port) => ({
    name: `p${port}`,
    port,
    protocol: 'TCP',
    targetPort: port,
    nodePort: 30_000 + port,
  }));
  const listeners = (run: Running) =>
    loadBalancers(run)
      .slice(0, 2)
      .map((each) => each.listeners.map(({ port }) => port));
  const behind80 = (run: Running) =>
    loadBalancers(run)
      .slice(0, 2)
      .flatMap(({ serverGroups }) =>
        serverGroups
          .filter(({ name }) => name.startsWith('k8s/30080/'))
          .map((group) => group.backends.map(({ serverId }) => serverId)),
      );

  it('is served by the former one until it is by the other on all of them', async () => {
    const [a, b] = SEED.loadBalancers;
    const run = await running({}, { loadBalancers: [a, { ...b, listeners: [{ port: 443, protocol: 'tcp' }] }] });
    const service = aService({ annotations: annotated(REUSING) });
    slice(run, 'n1');
    run.cluster.kubernetes.put(SERVICES, {
      ...service,
      spec: { ...service.spec, externalTrafficPolicy: 'Local', ports: PORTS },
    });
    await run.cluster.quiet();
    run.cluster.kubernetes.patch(SERVICES, keyOf(service), { status: { loadBalancer: null } });
    await patch(run, { metadata: { annotations: annotated({ id: 'lb-b' }) } });
    assert.deepEqual(
      [listeners(run), ingress(run)],
      [
        [
          [80, 443],
          [80, 443],
        ],
        [{ ip: '47.1.1.2' }],
      ],
    );
    slice(run, 'n2');
    await run.cluster.quiet();
    assert.deepEqual(
      [behind80(run), standing(run)],
      [
        [['i-2'], ['i-2']],
        ['False', 'PortOwner'],
      ],
    );
    await run.cluster.ask('DeleteLoadBalancerListener', {
      LoadBalancerId: 'lb-b',
      ListenerPort: 443,
      ListenerProtocol: 'tcp',
    });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([listeners(run), standing(run)[0]], [[[], [80, 443]], 'True']);
    assert.deepEqual(
      loadBalancers(run)[0]?.serverGroups.map(({ name }) => name),
      ['a'],
    );
    await run.process.stop();
  });
});

describe('a load balancer that a Service’s labels alone say to serve it', () => {
  const HERS = { id: 'rsp-hers', name: 'hers', backends: [] };
  const labels = (id: string) => ({
    'service.k8s.alibaba/loadbalancer-id': id,
    'portcullis.io/uses': writePlaces([id as Place], aService().metadata.uid),
  });
  for (const [which, id, named] of [
    ['the API server’s', 'lb-api', 'lb-api'],
    ['one of people, beside another that it names', 'lb-a', 'lb-b'],
  ] as const)
    it(`has nothing put into a group of people, being ${which}`, async () => {
      const seed = SEED.loadBalancers.map((each) => (each.id === id ? { ...each, serverGroups: [HERS] } : each));
      const run = await running({}, { loadBalancers: seed });
      await served(run, { hostname: 'web.example' });
      const since = now(run);
      run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
        metadata: { labels: labels(id), annotations: annotated({ id: named, 'vgroup-port': 'rsp-hers:80' }) },
      });
      await run.cluster.quiet(20 * 60_000);
      assert.deepEqual([changes(run, since), standing(run)[0]], [[], 'False']);
      await run.process.stop();
    });
});

describe('a load balancer that serves a Service and is marked as a cluster’s afterwards', () => {
  for (const controllers of [['service'], ['service', 'inventory']] as const)
    it(`goes on to the Service’s pods${controllers.length > 1 ? ', with the mirror' : ''}`, async () => {
      const run = await running({ controllers }, SEED);
      await served(run, REUSING);
      const tag = { 'Tag.1.Key': 'ack.aliyun.com', 'Tag.1.Value': 'c1' };
      await run.cluster.ask('TagResources', { ResourceType: 'instance', 'ResourceId.1': 'lb-a', ...tag });
      await run.process.stop();
      const next = run.cluster.start({ controllers });
      slice(run, 'n2');
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual([backends(run), standing(run)[0]], [['lb-a i-2'], 'False']);
      await next.stop();
    });
});
