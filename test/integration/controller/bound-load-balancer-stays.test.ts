import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { AN_AUDIT_MS, aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const MINUTES = 60_000;
const listeners = [{ port: 22, protocol: 'tcp' }];
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', listeners },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners },
    { id: 'lb-api', name: 'api', address: '47.1.1.3', listeners, tags: { 'ack.aliyun.com': 'c1' } },
  ],
};
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const OVERRIDE = { 'force-override-listeners': 'true' };
const REUSED = annotated({ id: 'lb-a', ...OVERRIDE });
const BLOCKED = ['False', 'LoadBalancerChangeNotSupported'];
const NOT_FOUND = ['False', 'LoadBalancerNotFound'];

/** Returns the load balancers with the listeners of the Service, and their backend instances. */
const serving = (run: Running) =>
  loadBalancers(run)
    .filter((each) => each.listeners.some(({ port }) => port !== 22))
    .map(({ id, listeners: has, serverGroups }) => ({
      id,
      ports: has.map(({ port }) => port).filter((port) => port !== 22),
      instances: [...new Set(serverGroups.flatMap(({ backends }) => backends.map(({ serverId }) => serverId)))],
    }));

/** Returns a cluster that serves a Service in Local mode with a pod on one Node. */
async function servedOn(node: string, annotations: Readonly<Record<string, string>>): Promise<Running> {
  const run = await running({}, SEED);
  const service = aService({ annotations });
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, [node]));
  run.cluster.kubernetes.put(SERVICES, {
    ...service,
    spec: { ...service.spec, externalTrafficPolicy: 'Local', ports: service.spec?.ports?.slice(0, 1) ?? [] },
  });
  await run.cluster.quiet();
  assert.equal(statusAndReason(run)[0], 'True');
  return run;
}

async function restarted({ cluster, process }: Running): Promise<Running> {
  await process.stop();
  const next = cluster.start();
  await cluster.quiet(5 * MINUTES);
  return { cluster, process: next };
}

const remove = async ({ cluster }: Running): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, keyOf(aService()));
  await cluster.quiet(10 * MINUTES);
};

/** A Service must not move to another load balancer while its address is published, because clients use the address. */
describe('a Service that is served', () => {
  const changed = {
    'its own load balancer, while the annotation id names a user-managed one': [{}, 'lb-b'],
    'its own load balancer, while the annotation id names a missing load balancer': [{}, 'lb-none'],
    'its own load balancer, while the annotation id names that of an API server': [{}, 'lb-api'],
    'a user-managed load balancer, while the annotation id names another': [REUSED, 'lb-b'],
    'a user-managed load balancer, although a user removed the annotation id': [REUSED, null],
  } as const;
  const how = {
    '': {},
    ' and the status is empty': { status: { loadBalancer: null } },
    ' and the label changes in the same way': { isLabelled: true },
  };
  for (const [what, [first, id]] of Object.entries(changed))
    for (const [also, { status, isLabelled = false }] of Object.entries<{ status?: object; isLabelled?: boolean }>(how))
      for (const isRestarted of [false, true])
        it(`stays with ${what}${also}${isRestarted ? ', after a restart' : ''}`, async () => {
          const first_ = await servedOn('n1', first);
          const before = serving(first_);
          const address = ingress(first_);
          const since = callCount(first_);
          if (isRestarted) await first_.process.stop();
          const labels = isLabelled ? { labels: { [ID_LABEL]: id } } : {};
          await patch(first_, {
            ...(status === undefined ? {} : { status }),
            metadata: { annotations: annotated({ id, ...OVERRIDE }), ...labels },
          });
          const { cluster } = first_;
          const run = isRestarted ? { cluster, process: cluster.start() } : first_;
          await run.cluster.quiet(5 * MINUTES);
          assert.deepEqual([changes(run, since), serving(run)], [[], before]);
          assert.deepEqual([statusAndReason(run), ingress(run)], [BLOCKED, address]);
          run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n2']));
          const ports = [{ name: 'p80', port: 8080, protocol: 'TCP', targetPort: 8080, nodePort: 30_080 }];
          await patch(run, { spec: { ports } });
          await run.cluster.quiet(10 * MINUTES);
          assert.deepEqual(serving(run), [{ ...before[0], ports: [8080], instances: ['i-2'] }]);
          assert.deepEqual([statusAndReason(run), ingress(run)], [BLOCKED, address]);
          const back = (first as Record<string, string>)[Object.keys(annotated({ id: '' }))[0] ?? ''] ?? null;
          await patch(run, { metadata: { annotations: annotated({ id: back }) } });
          assert.deepEqual([statusAndReason(run)[0], ingress(run)], ['True', address]);
          await run.process.stop();
        });

  it('reports which load balancer stays, and how to move', async () => {
    const run = await servedOn('n1', REUSED);
    await patch(run, { metadata: { annotations: annotated({ id: 'lb-b' }) } });
    assert.match(
      messageOf(run),
      /lb-b.*load balancer lb-a still serves the Service.*set the annotation id back to lb-a; to move, create a second Service/,
    );
    assert.deepEqual(events(run, 'SyncLoadBalancerFailed').length, 1);
    const [since, written] = [callCount(run), run.cluster.service()?.metadata.resourceVersion];
    await run.cluster.quiet(10 * MINUTES);
    assert.deepEqual([callCount(run), run.cluster.service()?.metadata.resourceVersion], [since, written]);
    await run.process.stop();
  });

  it('leaves nothing behind if it is deleted while id names another load balancer', async () => {
    for (const [first, id] of Object.values(changed)) {
      const run = await running({}, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run, { annotations: first });
      await patch(run, { metadata: { annotations: annotated({ id }) } });
      await remove(run);
      assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
      await run.process.stop();
    }
  });

  for (const isRestarted of [false, true])
    it(`keeps its own load balancer if the annotation id names it${isRestarted ? ', after a restart' : ''}`, async () => {
      const first = await servedOn('n1', {});
      const [own] = serving(first);
      const since = callCount(first);
      await patch(first, { metadata: { annotations: annotated({ id: own?.id ?? '' }) } });
      const run = isRestarted ? await restarted(first) : first;
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([changes(run, since), statusAndReason(run)[0]], [[], 'True']);
      assert.match(events(run, 'EnsuredLoadBalancer').at(-1) ?? '', /annotation id .* no effect/);
      await remove(run);
      assert.deepEqual([loadBalancers(run).length, run.cluster.service()], [3, undefined]);
      await run.process.stop();
    });
});

describe('a Service whose load balancer a user deleted', () => {
  /** Deletes the load balancer, and sets the annotation `id`. */
  async function withDeleted(first: Readonly<Record<string, string>>, id: string | null, isRestarted: boolean) {
    const run = await servedOn('n1', first);
    const [one] = serving(run);
    run.cluster.simulator.seed({ remove: [one?.id ?? ''] });
    await patch(run, { metadata: { annotations: annotated({ id, ...OVERRIDE }) } });
    const next = isRestarted ? await restarted(run) : run;
    await next.cluster.quiet(AN_AUDIT_MS);
    return next;
  }
  const rows = {
    'its own load balancer, without the annotation id': [{}, null],
    'its own load balancer, and id names a user-managed one': [{}, 'lb-b'],
    'a user-managed load balancer, and id names another': [REUSED, 'lb-b'],
    'a user-managed load balancer, and id still names it': [REUSED, 'lb-a'],
    'a user-managed load balancer, without the annotation id': [REUSED, null],
  } as const;
  for (const [what, [first, id]] of Object.entries(rows))
    for (const isRestarted of [false, true])
      it(`reports the loss, and moves only after its status is cleared: ${what}${isRestarted ? ', after a restart' : ''}`, async () => {
        const run = await withDeleted(first, id, isRestarted);
        const [there, address] = [loadBalancers(run), ingress(run)];
        assert.deepEqual([statusAndReason(run), serving(run)], [NOT_FOUND, []]);
        await run.cluster.quiet(AN_AUDIT_MS);
        assert.deepEqual([loadBalancers(run), ingress(run)], [there, address]);
        await patch(run, { status: { loadBalancer: null } });
        await run.cluster.quiet(10 * MINUTES);
        if (id === 'lb-a') assert.deepEqual([statusAndReason(run)[0], ingress(run)], ['False', undefined]);
        else {
          assert.deepEqual([statusAndReason(run)[0], serving(run).length], ['True', 1]);
          assert.notDeepEqual(ingress(run), address);
          assert.equal(serving(run)[0]?.id === 'lb-b', id === 'lb-b');
        }
        await run.process.stop();
      });

  for (const isRestarted of [false, true])
    it(`is bound at once to the named load balancer if its address is the same${isRestarted ? ', after a restart' : ''}`, async () => {
      const run = await withDeleted(REUSED, 'lb-b', isRestarted);
      run.cluster.simulator.seed({
        loadBalancers: [{ id: 'lb-again', name: 'again', address: '47.1.1.1', listeners }],
      });
      await patch(run, { metadata: { annotations: annotated({ id: 'lb-again' }) } });
      assert.deepEqual([statusAndReason(run)[0], ingress(run)], ['True', [{ ip: '47.1.1.1' }]]);
      assert.deepEqual(serving(run)[0]?.id, 'lb-again');
      await run.process.stop();
    });

  it('gets another load balancer if its status is cleared before the loss is noticed', async () => {
    const run = await servedOn('n1', {});
    const [address, [own]] = [ingress(run), serving(run)];
    run.cluster.simulator.seed({ remove: [own?.id ?? ''] });
    await patch(run, { status: { loadBalancer: null } });
    assert.deepEqual([statusAndReason(run)[0], serving(run).length], ['True', 1]);
    assert.notDeepEqual(ingress(run), address);
    await run.process.stop();
  });
});

describe('a Service that becomes ClusterIP and a LoadBalancer again with another id', () => {
  const become = (type: string, id: string | null) => ({
    spec: { type },
    ...(type === 'ClusterIP' ? { status: { loadBalancer: null } } : {}),
    metadata: { annotations: annotated({ id, ...OVERRIDE }) },
  });
  for (const [first, id, next] of [
    [{}, 'lb-b', 'lb-b'],
    [REUSED, 'lb-b', 'lb-b'],
    [REUSED, null, undefined],
  ] as const) {
    it(`moves from ${first === REUSED ? 'a user-managed' : 'its own'} load balancer to ${id ?? 'its own'} after the cleanup as ClusterIP`, async () => {
      const run = await servedOn('n1', first);
      await patch(run, become('ClusterIP', id));
      assert.deepEqual([serving(run), run.cluster.service()?.metadata.finalizers ?? []], [[], []]);
      await patch(run, become('LoadBalancer', id));
      assert.deepEqual([statusAndReason(run)[0], serving(run).length], ['True', 1]);
      if (next !== undefined) assert.equal(serving(run)[0]?.id, next);
      await run.process.stop();
    });

    for (const isRestarted of [false, true])
      it(`stays with ${first === REUSED ? 'a user-managed' : 'its own'} load balancer if the controller misses the type ClusterIP, and finds ${id === null ? 'no id' : `the id ${id}`}${isRestarted ? ', after a restart' : ''}`, async () => {
        const run = await servedOn('n1', first);
        const [before, address] = [serving(run), ingress(run)];
        if (isRestarted) await run.process.stop();
        run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
          ...become('LoadBalancer', id),
          status: { loadBalancer: null },
        });
        const process = isRestarted ? run.cluster.start() : run.process;
        await run.cluster.quiet(5 * MINUTES);
        assert.deepEqual([statusAndReason(run), serving(run), ingress(run)], [BLOCKED, before, address]);
        await process.stop();
      });
  }
});
