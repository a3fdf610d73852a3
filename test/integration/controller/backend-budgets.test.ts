import assert from 'node:assert/strict';
import { aCluster, aSlice, ENDPOINT_SLICES, keyOf, NODES, SERVICES, type Cluster } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import { aPodSlice, addressOf, interfacesOf } from '../../support/pods.ts';
import { loadBalancers } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SERVICES_COUNT = 100;
const node = (index: number, ready: 'True' | 'False' = 'True') =>
  aNode(`n${index}`, { spec: { providerID: `cn-hangzhou.i-${index}` }, ready });

/** Of Services that are not audited before all is over: the hour's minute of that follows from the uid. */
const uidOf = (index: number): string => `a${String(index).padStart(2, '0')}`;

/** A hundred Services with two ports each, all carried out, on clusters whose cloud has `instances` instances. */
async function many(nodes: number, instances: number) {
  const cluster = aCluster({ nodes, knobs: { loadBalancers: 200 } });
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

describe('call budgets of backends', function () {
  this.timeout(120_000);

  it('of pods that start one by one on new Nodes are one for each port in Local mode', async () => {
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
    for (const name of ['n2', 'n3', 'n4', 'n5']) {
      nodes.push(name);
      cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, nodes));
      await cluster.clock.advance(40);
    }
    await cluster.clock.advance(200);
    assert.deepEqual(callsBy(cluster, since), { AddVServerGroupBackendServers: 2 });
    await cluster.quiet(60_000);
    assert.deepEqual(callsBy(cluster, since), { AddVServerGroupBackendServers: 2 });
    await process.stop();
  });

  it('B08: rolling a hundred pods in a minute takes 120 calls, and none of them waits three seconds', async () => {
    const service = aService({ ports: [80, 443], annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
    const cluster = aCluster({ knobs: { backendsPerLoadBalancer: 1_000 } });
    cluster.simulator.seed({ networkInterfaces: interfacesOf(200) });
    const process = cluster.start();
    const pods = Array.from({ length: 100 }, (_, index) => index + 1);
    cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, pods));
    cluster.kubernetes.put(SERVICES, service);
    await cluster.quiet(10 * 60_000);
    const since = cluster.simulator.journal().length;
    const writes = cluster.kubernetes.writes.length;
    const readyAt = new Map<string, number>();
    const seenAt = new Map<string, number>();
    const look = (): void => {
      const members = loadBalancers({ cluster, process })[0]?.serverGroups[1]?.backends ?? [];
      for (const { serverIp = '' } of members)
        if (readyAt.has(serverIp) && !seenAt.has(serverIp)) seenAt.set(serverIp, cluster.clock.monotonic());
    };
    const passing = async (ms: number): Promise<void> => {
      for (let step = 0; step < ms / 100; step += 1) {
        await cluster.quiet(100);
        look();
      }
    };
    for (let turned = 1; turned <= 100; turned += 1) {
      readyAt.set(addressOf(100 + turned), cluster.clock.monotonic());
      cluster.kubernetes.put(
        ENDPOINT_SLICES,
        aPodSlice(
          service,
          pods.map((pod) => (pod <= turned ? 100 + pod : pod)),
        ),
      );
      await passing(600);
    }
    await passing(3_000);
    await cluster.quiet();
    const waited = [...readyAt].map(([address, at]) => (seenAt.get(address) ?? Infinity) - at).sort((a, b) => a - b);
    assert.ok((waited[98] ?? Infinity) <= 3_000, `a pod waited ${waited[98] ?? ''} ms`);
    const calls = cluster.calls(since);
    assert.ok(calls.length <= 120, `${calls.length} calls`);
    assert.ok(cluster.kubernetes.writes.length - writes <= 6, `${cluster.kubernetes.writes.length - writes} writes`);
    assert.deepEqual(
      cluster.journal(since).filter(({ outcome }) => outcome !== 'OK'),
      [],
    );
    await process.stop();
  });

  it('B11: a Node that joins costs a call for every port of a hundred Services, and no read', async () => {
    const { cluster, process, since } = await many(3, 4);
    cluster.kubernetes.put(NODES, node(4));
    await cluster.quiet(10 * 60_000);
    assert.deepEqual(callsBy(cluster, since), { AddVServerGroupBackendServers: 200 });
    await process.stop();
  });

  it('B12: fifty Nodes that join cost three calls for every port', async () => {
    const { cluster, process, since } = await many(3, 53);
    for (let index = 4; index <= 53; index += 1) cluster.kubernetes.put(NODES, node(index));
    await cluster.quiet(10 * 60_000);
    assert.deepEqual(callsBy(cluster, since), { AddVServerGroupBackendServers: 600 });
    await process.stop();
  });

  it('B13: a Node that leaves costs a call for every port, and no read', async () => {
    const { cluster, process, since } = await many(3, 3);
    cluster.kubernetes.delete(NODES, keyOf(node(3)));
    await cluster.quiet(10 * 60_000);
    assert.deepEqual(callsBy(cluster, since), { RemoveVServerGroupBackendServers: 200 });
    await process.stop();
  });
});
