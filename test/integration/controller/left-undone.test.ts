import assert from 'node:assert/strict';
import type { Service } from '../../../src/objects.ts';
import { aCluster, aSlice, ENDPOINT_SLICES, objectKey, SERVICES } from '../../support/cluster.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
  apply,
  events,
  loadBalancers,
  now,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';
import { aNetwork } from '../../support/simulator.ts';

const A_ROLLING_UPDATE = Array.from({ length: 30 }, (_, index) => index + 2);
const OTHER_UID = '90000000-0000-4000-8000-000000000000';

/** How often each call was made since the `since`-th. */
const counted = (run: Running, since: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...Map.groupBy(run.cluster.calls(since), (action) => action)].map(([key, all]) => [key, all.length]),
  );

describe('a port that another has, on a load balancer that is shared', () => {
  const REUSING = {
    'service.beta.kubernetes.io/backend-type': 'eni',
    ...annotated({ id: 'lb-made', 'force-override-listeners': 'true' }),
  };
  const SAID = { ports: [80, 443], annotations: REUSING };
  const SEED = { networkInterfaces: interfacesOf(40), loadBalancers: [{ id: 'lb-made', address: '47.1.1.1' }] };
  const roll = ({ cluster }: Running, from: number) =>
    cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(aService(SAID), [from, from + 1, from + 2]));
  const portsOf = (run: Running) =>
    loadBalancers(run).flatMap(({ listeners }) =>
      listeners.map(({ port, attributes }) => `${port} of ${String(attributes['Description']).split('/')[2]}`),
    );

  it('is not looked for at every change of the backends, and taken as soon as it is free', async () => {
    const run = await running({}, SEED);
    run.cluster.kubernetes.put(SERVICES, aService({ ...SAID, name: 'first', uid: OTHER_UID, ports: [443] }));
    await run.cluster.quiet();
    roll(run, 1);
    await apply(run, SAID);
    assert.deepEqual(standing(run), ['False', 'PortOwner']);
    const since = now(run);
    for (const from of A_ROLLING_UPDATE) {
      roll(run, from);
      await run.cluster.quiet(1_000);
    }
    const { DescribeLoadBalancerAttribute: looks = 0, DescribeLoadBalancerListeners: lists = 0 } = counted(run, since);
    assert.deepEqual([looks, lists], [0, 0]);
    run.cluster.kubernetes.delete(SERVICES, objectKey('first', 'shop'));
    roll(run, 1);
    await run.cluster.quiet(5_000);
    assert.deepEqual(portsOf(run).toSorted(), ['443 of web', '80 of web']);
    await run.process.stop();
  });
});

describe('a backend that the cloud does not take', () => {
  const PLAIN = aService();
  const SERVICE: Service = { ...PLAIN, spec: { ...PLAIN.spec, externalTrafficPolicy: 'Local' } };
  const NODES = 9;
  const [bad] = (aNetwork(NODES).instances ?? []).slice(-1);
  const servers = (run: Running) =>
    loadBalancers(run).flatMap(({ serverGroups }) =>
      serverGroups.flatMap((group) => group.backends.map((each) => each.serverId)),
    );
  const roll = ({ cluster }: Running, ...nodes: readonly number[]) =>
    cluster.kubernetes.put(
      ENDPOINT_SLICES,
      aSlice(
        SERVICE,
        nodes.map((node) => `n${node}`),
      ),
    );

  /** A Service with a pod on `n1`, and the instance of `n9` at a standstill. */
  async function served(): Promise<Running> {
    const cluster = aCluster({ nodes: NODES });
    cluster.simulator.seed(aNetwork(NODES));
    if (bad !== undefined) cluster.simulator.seed({ instances: [{ ...bad, status: 'Stopped' }] });
    const run = { cluster, process: cluster.start() };
    roll(run, 1);
    cluster.kubernetes.put(SERVICES, SERVICE);
    await cluster.quiet();
    return run;
  }

  it('is tried again in its own time and told then, and holds up no other', async () => {
    const run = await served();
    const since = now(run);
    for (const from of A_ROLLING_UPDATE) {
      roll(run, 9, 1 + (from % 8), 1 + ((from + 1) % 8));
      await run.cluster.quiet(1_000);
    }
    await run.cluster.quiet(3_000);
    assert.deepEqual(servers(run).toSorted(), ['i-1', 'i-8']);
    const { AddVServerGroupBackendServers: added = 0 } = counted(run, since);
    assert.ok(added <= 26, `${added} calls`);
    assert.ok(
      events(run, 'SyncLoadBalancerFailed').length <= 5,
      `${events(run, 'SyncLoadBalancerFailed').length} events`,
    );
    assert.deepEqual(standing(run), ['False', 'InvalidBackend']);
    if (bad !== undefined) run.cluster.simulator.seed({ instances: [bad] });
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual([servers(run).toSorted(), standing(run)[0]], [['i-1', 'i-8', 'i-9'], 'True']);
    await run.process.stop();
  });

  it('has the last one stay that it was to take the place of, also while it is not tried', async () => {
    const run = await served();
    roll(run, 1, 9);
    await run.cluster.quiet(1_000);
    roll(run, 9);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(servers(run), ['i-1']);
    await run.process.stop();
  });
});
