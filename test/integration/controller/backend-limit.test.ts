import assert from 'node:assert/strict';
import { aCluster, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import { addressOf, aPodSlice, interfacesOf } from '../../support/pods.ts';
import { changes, events, loadBalancers, now, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const LIMIT = 30;
const service = aService({ ports: [80], annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
const some = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => from + index);

/** A load balancer that takes `limit` backends and has as many. */
async function full(limit = LIMIT): Promise<Running> {
  const cluster = aCluster({ knobs: { backendsPerLoadBalancer: limit } });
  cluster.simulator.seed({ networkInterfaces: interfacesOf(200) });
  const process = cluster.start();
  cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, some(1, limit)));
  cluster.kubernetes.put(SERVICES, service);
  await cluster.quiet();
  return { cluster, process };
}

const roll = async ({ cluster }: Running, pods: readonly number[], ms = 60_000): Promise<void> => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, pods));
  await cluster.quiet(ms);
};
const addresses = (run: Running): readonly (string | undefined)[] =>
  (loadBalancers(run)[0]?.serverGroups[0]?.backends ?? []).map(({ serverIp }) => serverIp).sort();
const at = (pods: readonly number[]): readonly string[] => pods.map(addressOf).sort();

/** How many backends each changing call after the `since`-th named, removals as negative numbers; refused ones are left out. */
const steps = ({ cluster }: Running, since: number): readonly number[] =>
  cluster.journal(since).flatMap(({ action, outcome, parameters }) => {
    const count = (JSON.parse(parameters['BackendServers'] ?? '[]') as unknown[]).length;
    if (outcome !== 'OK') return [];
    if (action === 'AddVServerGroupBackendServers') return [count];
    return action === 'RemoveVServerGroupBackendServers' ? [-count] : [];
  });

describe('a load balancer that is full', () => {
  it('loses as many backends as are to come, and no more, before they are added', async () => {
    const run = await full();
    const since = now(run);
    await roll(run, [...some(1, 27), ...some(101, 2)]);
    assert.deepEqual(addresses(run), at([...some(1, 27), ...some(101, 2)]));
    assert.deepEqual(steps(run, since), [-2, 2, -1]);
    assert.deepEqual(events(run, 'SyncLoadBalancerFailed'), []);
    await run.process.stop();
  });

  it('is exchanged in parts, so that it never holds much less than before', async () => {
    const run = await full();
    const since = now(run);
    await roll(run, some(101, LIMIT));
    assert.deepEqual(addresses(run), at(some(101, LIMIT)));
    assert.deepEqual(steps(run, since), [-20, 20, -10, 10]);
    await run.process.stop();
  });

  it('is not tried again in vain while it is known to be full', async () => {
    const run = await full();
    await roll(run, [...some(1, 29), 101]);
    const since = now(run);
    await roll(run, [...some(1, 28), 101, 102]);
    assert.deepEqual(changes(run, since), ['RemoveVServerGroupBackendServers', 'AddVServerGroupBackendServers']);
    await run.process.stop();
  });

  it('takes first what there is room for', async () => {
    const run = await full();
    await roll(run, [...some(1, 29), 101]);
    await roll(run, some(1, 27));
    const since = now(run);
    await roll(run, [...some(6, 22), ...some(111, 8)]);
    assert.deepEqual(steps(run, since), [-5, 8]);
    await run.process.stop();
  });

  it('takes what fits, and people are told of the rest', async () => {
    const run = await full();
    const since = now(run);
    await roll(run, some(1, LIMIT + 5), 1_000);
    assert.equal(addresses(run).length, LIMIT);
    assert.deepEqual(steps(run, since), []);
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /InstanceBackendServerNumberOverLimit.*higher quota/);
    await roll(run, some(3, LIMIT), 10 * 60_000);
    assert.deepEqual(addresses(run), at(some(3, LIMIT)));
    await run.process.stop();
  });

  it('is asked again when its quota has been raised', async () => {
    const run = await full();
    await roll(run, some(1, LIMIT + 5), 1_000);
    run.cluster.simulator.turnKnobs({ backendsPerLoadBalancer: 100 });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(addresses(run), at(some(1, LIMIT + 5)));
    await run.process.stop();
  });

  it('moves to another group in parts, and its listener as soon as something is in it', async () => {
    const run = await full();
    const since = now(run);
    const [port] = service.spec?.ports ?? [];
    run.cluster.kubernetes.patch(SERVICES, keyOf(service), { spec: { ports: [{ ...port, targetPort: 8080 }] } });
    await run.cluster.quiet();
    const [left, ...others] = loadBalancers(run)[0]?.serverGroups ?? [];
    assert.deepEqual([left?.name, others.length], ['k8s/8080/web/shop/c1', 0]);
    assert.equal(left?.backends.length, LIMIT);
    assert.deepEqual(
      changes(run, since).filter((action) => !action.includes('refused')),
      [
        'CreateVServerGroup',
        'CreateVServerGroup',
        'AddVServerGroupBackendServers',
        'RemoveVServerGroupBackendServers',
        'AddVServerGroupBackendServers',
        'SetLoadBalancerTCPListenerAttribute',
        'DeleteVServerGroup',
        'AddVServerGroupBackendServers',
      ],
    );
    assert.deepEqual(events(run, 'SyncLoadBalancerFailed'), []);
    await run.process.stop();
  });
});
