import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import { preview } from '../../support/preview.ts';
import { annotated, changes, loadBalancers, now, running, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const EXCHANGE = ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers'];
const HALF_AN_HOUR_MS = 30 * 60_000;

/** One ready pod, on this Node. */
const onNode = ({ cluster }: Running, node: string): void => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), [node]));
};

/** What stands behind the groups of all load balancers. */
const backends = (run: Running): readonly string[] =>
  loadBalancers(run).flatMap(({ id, serverGroups }) =>
    serverGroups.flatMap((group) => group.backends.map(({ serverId }) => `${id} ${serverId}`)),
  );

describe('a Service of which a label alone tells that a load balancer of people serves it, as the existing controller leaves it', () => {
  const name = (port: number) => `k8s/${port}/web/shop/c1`;
  const backend = { serverId: 'i-1', port: 30_080, weight: 100, description: name(30_080) };
  const SEED = {
    loadBalancers: [
      {
        id: 'lb-a',
        name: 'a',
        address: '47.1.1.1',
        tags: { 'kubernetes.reused.by.user': 'true' },
        serverGroups: [{ id: 'rsp-1', name: name(30_080), backends: [backend] }],
        listeners: [{ port: 80, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-1', Description: name(80) } }],
      },
      { id: 'lb-b', name: 'b', address: '47.1.1.2' },
    ],
  };
  const LEFT = {
    finalizers: ['service.k8s.alibaba/resources'],
    labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-a', 'service.beta.kubernetes.io/hash': 'x' },
  };

  function put({ cluster }: Running, said: Record<string, string>, isTold: boolean): void {
    const { metadata, spec, ...service } = aService({ annotations: annotated(said) });
    cluster.kubernetes.put(SERVICES, {
      ...service,
      metadata: { ...metadata, ...LEFT },
      spec: { ...spec, externalTrafficPolicy: 'Local' },
      ...(isTold ? { status: { loadBalancer: { ingress: [{ ip: '47.1.1.1' }] } } } : {}),
    });
  }

  /** Served by lb-a, it asks for something else; `isTold` says whether it still tells its address. */
  async function takenOver(said: Record<string, string>, isTold: boolean, mirror: boolean): Promise<Running> {
    const run = await running(mirror ? { controllers: ['service', 'inventory'] } : {}, SEED);
    onNode(run, 'n1');
    put(run, said, isTold);
    await run.cluster.quiet();
    return run;
  }
  const has = (run: Running) =>
    loadBalancers(run).map(({ listeners, serverGroups, tags }) => [
      listeners.length,
      serverGroups.length,
      Object.keys(tags).length,
    ]);

  for (const mirror of [false, true])
    describe(mirror ? 'with the mirror' : 'without the mirror', () => {
      for (const [what, said] of [
        ['another', { id: 'lb-b', 'force-override-listeners': 'true' }],
        ['none', {}],
      ] as const)
        it(`keeps its backends there while it names ${what} in vain`, async () => {
          const run = await takenOver(said, true, mirror);
          const since = now(run);
          onNode(run, 'n2');
          await run.cluster.quiet(HALF_AN_HOUR_MS);
          assert.deepEqual([backends(run), standing(run)], [['lb-a i-2'], ['False', 'StatusTruth']]);
          assert.deepEqual(changes(run, since), EXCHANGE);
          onNode(run, 'n3');
          await run.cluster.quiet(HALF_AN_HOUR_MS);
          assert.deepEqual(backends(run), ['lb-a i-3']);
          await run.process.stop();
        });

      for (const isTold of [true, false])
        for (const [what, said, where] of [
          ['another', { id: 'lb-b', 'force-override-listeners': 'true' }, 1],
          ['none', {}, 2],
        ] as const)
          it(`leaves nothing there once it is served by ${what === 'none' ? 'its own' : 'another'}, its status having been emptied ${isTold ? 'after' : 'before'} the take-over`, async () => {
            const run = await takenOver(said, isTold, mirror);
            run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { status: { loadBalancer: null } });
            await run.cluster.quiet(10 * 60_000);
            assert.deepEqual(standing(run)[0], 'True');
            assert.deepEqual(has(run)[0], [0, 0, 0]);
            assert.equal(has(run)[where]?.[0], 1);
            run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
            await run.cluster.quiet(10 * 60_000);
            assert.equal(run.cluster.service(), undefined);
            await run.process.stop();
          });
    });

  const PLANNED: Readonly<Record<string, readonly [isTold: boolean, actions: readonly RegExp[]]>> = {
    'what is kept up there': [true, [/^add to server group.* i-2:/, /^remove from server group.* i-1:/]],
    'what is left there once it is served by another': [
      false,
      [/^tag/, /^create server/, /^create tcp/, /^start/, /^delete tcp/, /^delete server/, /^remove tags/],
    ],
  };
  for (const [what, [isTold, expected]] of Object.entries(PLANNED))
    it(`is told by a plan ${what}`, async () => {
      const run = await running({}, SEED);
      await run.process.stop();
      put(run, { id: 'lb-b', 'force-override-listeners': 'true' }, isTold);
      onNode(run, 'n2');
      const { actions } = await preview(run);
      assert.equal(actions.length, expected.length, actions.join('; '));
      for (const [index, pattern] of expected.entries()) assert.match(actions[index] ?? '', pattern);
      const since = now(run);
      const next = run.cluster.start();
      await run.cluster.quiet(10 * 60_000);
      assert.equal(changes(run, since).length, actions.length);
      await next.stop();
    });

  it('has nothing taken off one that was preserved when another Service of its name went, of which it tells by copied marks', async () => {
    const [one, ...others] = SEED.loadBalancers;
    const run = await running({}, { loadBalancers: [{ ...one, tags: {} }, ...others] });
    const { metadata, ...service } = aService();
    run.cluster.kubernetes.put(SERVICES, { ...service, metadata: { ...metadata, ...LEFT } });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([standing(run)[0], has(run)[0]], ['True', [1, 1, 0]]);
    await run.process.stop();
  });
});
