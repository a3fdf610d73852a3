import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
  apply,
  changes,
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
  networkInterfaces: interfacesOf(2),
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1' },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', serverGroups: [{ id: 'rsp-b', name: 'gb', backends: [] }] },
  ],
};
const OVERRIDE = { 'force-override-listeners': 'true' };
const FIRST = { 'its own': {}, 'one of people': { id: 'lb-a', ...OVERRIDE } } as const;

const goOver = async (run: Running, said: Record<string, string | null>): Promise<void> => {
  run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { status: { loadBalancer: null } });
  await patch(run, { metadata: { annotations: annotated(said) } });
};

/** How many backends the groups have, where there are any and something listens. */
const serving = (run: Running): readonly number[] =>
  loadBalancers(run)
    .filter(({ listeners }) => listeners.length > 0)
    .flatMap(({ serverGroups }) => serverGroups.map(({ backends }) => backends.length))
    .filter((count) => count > 0);

describe('a Service that goes over to another load balancer without knowing where its backends are', () => {
  const service = aService();
  const { endpoints = [], ...slice } = aSlice(service, ['n1']);
  const kinds = {
    'behind Nodes, by endpoints that name none': {
      said: {},
      first: { ...slice, endpoints },
      blind: {
        ...slice,
        endpoints: endpoints.map(({ addresses, conditions }) => ({
          addresses,
          ...(conditions === undefined ? {} : { conditions }),
        })),
      },
    },
    'behind interfaces that nobody finds': {
      said: { 'service.beta.kubernetes.io/backend-type': 'eni' },
      first: aPodSlice(service, [1]),
      blind: aPodSlice(service, [3]),
    },
  };
  for (const [which, named] of Object.entries(FIRST))
    for (const [how, { said, first, blind }] of Object.entries(kinds))
      it(`is served by ${which} until they are known, ${how}`, async () => {
        const run = await running({}, SEED);
        const stored = aService({ annotations: { ...annotated(named), ...said } });
        run.cluster.kubernetes.put(ENDPOINT_SLICES, first);
        run.cluster.kubernetes.put(SERVICES, { ...stored, spec: { ...stored.spec, externalTrafficPolicy: 'Local' } });
        await run.cluster.quiet();
        run.cluster.kubernetes.put(ENDPOINT_SLICES, blind);
        await run.cluster.quiet();
        await goOver(run, { id: 'lb-b', ...OVERRIDE });
        await run.cluster.quiet(10 * 60_000);
        assert.deepEqual([serving(run), standing(run)], [[1], ['False', 'InvalidBackend']]);
        run.cluster.kubernetes.put(ENDPOINT_SLICES, first);
        await run.cluster.quiet(10 * 60_000);
        assert.deepEqual(
          [
            loadBalancers(run)
              .filter(({ listeners }) => listeners.length > 0)
              .map(({ id }) => id),
            standing(run)[0],
          ],
          [['lb-b'], 'True'],
        );
        await run.process.stop();
      });
});

describe('a Service that goes over to a load balancer on which people have no listener', () => {
  const rows = {
    'to a group of its own': { id: 'lb-b' },
    'to a group of people': { id: 'lb-b', 'vgroup-port': 'rsp-b:80' },
  };
  for (const [which, named] of Object.entries(FIRST))
    for (const [how, said] of Object.entries(rows))
      it(`is served by ${which} until one sends ${how}, and says so`, async () => {
        const run = await running({}, SEED);
        run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n1']));
        run.cluster.kubernetes.put(SERVICES, aService({ annotations: annotated(named) }));
        await run.cluster.quiet();
        const since = now(run);
        await goOver(run, { 'force-override-listeners': null, ...said });
        await run.cluster.quiet(10 * 60_000);
        assert.deepEqual([serving(run), standing(run)], [[3], ['False', 'GroupUnused']]);
        assert.ok(!changes(run, since).some((action) => action.startsWith('Delete')));
        assert.match(messageOf(run), /no running listener of load balancer lb-b sends to server group/);
        const former = which === 'its own' ? 'its own load balancer' : 'load balancer lb-a';
        assert.ok(messageOf(run).includes(`is served by ${former} alone`));
        const group = loadBalancers(run)
          .find(({ id }) => id === 'lb-b')
          ?.serverGroups.find(({ backends }) => backends.length > 0) as { id: string } | undefined;
        const port = { LoadBalancerId: 'lb-b', ListenerPort: 80 };
        await run.cluster.ask('CreateLoadBalancerTCPListener', { ...port, Bandwidth: -1, VServerGroupId: group?.id });
        await run.cluster.quiet(10 * 60_000);
        assert.deepEqual(
          [serving(run), standing(run)],
          [
            [3, 3],
            ['False', 'GroupUnused'],
          ],
        );
        await run.cluster.ask('StartLoadBalancerListener', { ...port, ListenerProtocol: 'tcp' });
        await run.cluster.quiet(10 * 60_000);
        assert.deepEqual(
          [
            loadBalancers(run)
              .filter(({ listeners }) => listeners.length > 0)
              .map(({ id }) => id),
            standing(run)[0],
          ],
          [['lb-b'], 'True'],
        );
        await run.process.stop();
      });

  it('is served by its own until one sends to a group of people in which all of its backends are already', async () => {
    const [, there] = SEED.loadBalancers;
    const ids = ['i-1', 'i-2', 'i-3'];
    const backends = ids.map((serverId) => ({ serverId, port: 30_080, description: 'k8s/30080/web/shop/c1' }));
    const tags = { 'kubernetes.reused.by.user': 'true' };
    const run = await running(
      {},
      { loadBalancers: [{ ...there, tags, serverGroups: [{ id: 'rsp-b', name: 'gb', backends }] }] },
    );
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n1']));
    await apply(run);
    const since = now(run);
    await goOver(run, { id: 'lb-b', 'vgroup-port': 'rsp-b:80' });
    await run.cluster.quiet(30 * 60_000);
    assert.deepEqual([changes(run, since), serving(run), standing(run)], [[], [3], ['False', 'GroupUnused']]);
    assert.match(run.cluster.service()?.metadata.labels?.['portcullis.io/uses'] ?? '', /^own\.lb-b\./);
    await run.process.stop();
  });

  it('leaves its own at once where nothing ever sent to the Service there', async () => {
    const run = await running({}, SEED);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n1']));
    const refused = { effect: 'refuse', code: 'ListenerNumberOverLimit', count: 'forever' };
    run.cluster.simulator.faults([{ action: 'CreateLoadBalancerTCPListener', ...refused }]);
    run.cluster.kubernetes.put(SERVICES, aService());
    await run.cluster.quiet();
    assert.deepEqual([loadBalancers(run).length, serving(run), standing(run)[0]], [3, [], 'False']);
    await goOver(run, { id: 'lb-b' });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).map(({ id }) => id), standing(run)[0]], [['lb-a', 'lb-b'], 'True']);
    await run.process.stop();
  });
});

describe('a Service that goes over to a load balancer that is not active', () => {
  const listening = (attributes: object) => [{ port: 80, protocol: 'tcp', attributes }];
  const ids = (run: Running) => loadBalancers(run).map(({ id }) => id);
  const activate = (run: Running) =>
    run.cluster.ask('SetLoadBalancerStatus', { LoadBalancerId: 'lb-b', LoadBalancerStatus: 'active' });
  const begun = async (lacking: object) => {
    const [, idle] = SEED.loadBalancers;
    const run = await running({}, { loadBalancers: [{ ...idle, ...lacking }] });
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n1']));
    await apply(run);
    return { run, since: now(run) };
  };

  it('is served by its own until that is active again, whatever listens there, and says so', async () => {
    const { run, since } = await begun({ status: 'inactive', listeners: listening({ VServerGroupId: 'rsp-b' }) });
    await goOver(run, { id: 'lb-b', 'vgroup-port': 'rsp-b:80' });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(
      [serving(run), standing(run)],
      [
        [3, 3],
        ['False', 'GroupUnused'],
      ],
    );
    assert.match(messageOf(run), /no running listener of load balancer lb-b, which is inactive, sends/);
    assert.ok(!changes(run, since).some((action) => action.startsWith('Delete')));
    await activate(run);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([ids(run), standing(run)[0]], [['lb-b'], 'True']);
    await run.process.stop();
  });

  it('leaves its own at once where the cloud makes that active by the listeners that it gets', async () => {
    const { run } = await begun({ status: 'inactive' });
    await goOver(run, { id: 'lb-b', ...OVERRIDE });
    assert.deepEqual([ids(run), standing(run)[0]], [['lb-b'], 'True']);
    await run.process.stop();
  });

  it('is served by its own until that is active again, where what listens there is its own, and says so', async () => {
    const { run, since } = await begun({
      status: 'inactive',
      listeners: listening({ Description: 'k8s/80/web/shop/c1' }),
    });
    await goOver(run, { id: 'lb-b', ...OVERRIDE });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([ids(run).length, standing(run)], [2, ['False', 'NotRunning']]);
    assert.match(messageOf(run), /listener 80\/tcp of load balancer lb-b, which is inactive, is not running/);
    assert.ok(!changes(run, since).some((action) => action.startsWith('Delete')));
    await activate(run);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([ids(run), standing(run)[0]], [['lb-b'], 'True']);
    await run.process.stop();
  });
});
