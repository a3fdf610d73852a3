import assert from 'node:assert/strict';
import {
  aCluster,
  aSlice,
  ENDPOINT_SLICES,
  keyOf,
  NODES,
  SERVICES,
  type Cluster,
} from '../../../support/simulated-cluster.ts';
import { aNode } from '../../../support/node.ts';
import { aService } from '../../../support/service.ts';

const SERVICES_COUNT = 100;
const node = (index: number, ready: 'True' | 'False' = 'True') =>
  aNode(`n${index}`, { spec: { providerID: `cn-hangzhou.i-${index}` }, ready });

/** Returns a UID for which no audit occurs during the test, because the minute of the audit depends on the UID. */
const uidOf = (index: number): string => `a${String(index).padStart(2, '0')}`;

/** Syncs a hundred Services with two ports each, in a cloud with `instances` instances. */
async function many(nodes: number, instances: number) {
  const cluster = aCluster({ nodes, cloudSettings: { loadBalancers: 200 } });
  cluster.simulator.seed({
    instances: Array.from({ length: instances }, (_, index) => ({
      id: `i-${index + 1}`,
      vSwitchId: 'vsw-1',
      privateAddresses: [`10.1.0.${index + 11}`],
    })),
  });
  const process = cluster.start();
  for (let index = 0; index < SERVICES_COUNT; index += 1)
    cluster.kubernetes.put(SERVICES, aService({ name: `s${index}`, uid: uidOf(index), ports: [80, 443] }));
  await cluster.quiet(5 * 60_000);
  return { cluster, process, since: cluster.simulator.journal().length };
}

const callsBy = (cluster: Cluster, since: number): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const action of cluster.calls(since)) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
};

/** The rate limit of the cloud is shared by all Services. More calls per change would delay changes in large clusters. Ids: docs/concepts/benchmarks.md. */
describe('within the call budgets of backends,', function () {
  this.timeout(120_000);

  for (const { where, names, calls } of [
    { where: 'new Nodes', names: ['n2', 'n3', 'n4', 'n5'], calls: { AddVServerGroupBackendServers: 2 } },
    { where: 'a known Node', names: ['n1', 'n1', 'n1', 'n1'], calls: { SetVServerGroupAttribute: 2 } },
    {
      where: 'Nodes of both kinds',
      names: ['n1', 'n2', 'n2', 'n1'],
      calls: { AddVServerGroupBackendServers: 2, SetVServerGroupAttribute: 2 },
    },
  ])
    it(`pods that start one by one on ${where} cost at most one call of a kind for each port`, async () => {
      const plain = aService({ ports: [80, 443] });
      const service = { ...plain, spec: { ...plain.spec, externalTrafficPolicy: 'Local' } };
      const cluster = aCluster({ nodes: 5 });
      const instances = [4, 5].map((at) => ({
        ...{ id: `i-${at}`, vSwitchId: 'vsw-1', privateAddresses: [`10.1.0.${10 + at}`] },
      }));
      cluster.simulator.seed({ instances });
      const process = cluster.start();
      const nodes = ['n1'];
      cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, nodes));
      cluster.kubernetes.put(SERVICES, service);
      await cluster.quiet(60_000);
      const since = cluster.simulator.journal().length;
      for (const name of names) {
        nodes.push(name);
        cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, nodes));
        await cluster.clock.advance(40);
      }
      await cluster.clock.advance(200);
      assert.deepEqual(callsBy(cluster, since), calls);
      await cluster.quiet(60_000);
      assert.deepEqual(callsBy(cluster, since), calls);
      await process.stop();
    });

  it('B11: a new Node costs a call for every port of a hundred Services, and no read', async () => {
    const { cluster, process, since } = await many(3, 4);
    cluster.kubernetes.put(NODES, node(4));
    await cluster.quiet(10 * 60_000);
    assert.deepEqual(callsBy(cluster, since), { AddVServerGroupBackendServers: 200 });
    await process.stop();
  });

  it('fifty new Nodes cost three calls for every port', async () => {
    const { cluster, process, since } = await many(3, 53);
    for (let index = 4; index <= 53; index += 1) cluster.kubernetes.put(NODES, node(index));
    await cluster.quiet(10 * 60_000);
    assert.deepEqual(callsBy(cluster, since), { AddVServerGroupBackendServers: 600 });
    await process.stop();
  });

  it('B13: a deleted Node costs a call for every port, and no read', async () => {
    const { cluster, process, since } = await many(3, 3);
    cluster.kubernetes.delete(NODES, keyOf(node(3)));
    await cluster.quiet(10 * 60_000);
    assert.deepEqual(callsBy(cluster, since), { RemoveVServerGroupBackendServers: 200 });
    await process.stop();
  });
});
