import assert from 'node:assert/strict';
import { PODS, type Pod } from '../../../src/objects.ts';
import { aSlice, ENDPOINT_SLICES, keyOf, objectKey, SERVICES } from '../../support/cluster.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
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

const GATE = 'service.readiness.alibabacloud.com/web';
const MINUTES = 60_000;
/** The load balancer of an API server, which no Service may use. */
const API = { id: 'lb-api', name: 'api', address: '47.1.1.3', tags: { 'ack.aliyun.com': 'c1' } };
const REFUSED = { metadata: { annotations: annotated({ id: API.id }) } };
const behindPods = aService({ ports: [80], annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });

/** Pod `pod-<n>`, which waits for nothing but the load balancer. */
const aPod = (n: number): object => ({
  metadata: { name: `pod-${n}`, namespace: 'shop', uid: `pod-${n}` },
  spec: { containers: [], readinessGates: [{ conditionType: GATE }] },
  status: { conditions: [{ type: 'ContainersReady', status: 'True' }] },
});

/** Its pods are all to be rolled out anew. */
const onPods = ({ cluster }: Running, pods: readonly number[]): void => {
  const slice = aPodSlice(behindPods, pods);
  const endpoints = slice.endpoints?.map((endpoint) => ({ ...endpoint, conditions: { ready: false } }));
  for (const n of pods) cluster.kubernetes.put(PODS, aPod(n));
  cluster.kubernetes.put(ENDPOINT_SLICES, { ...slice, endpoints });
};

const gates = ({ cluster }: Running, pods: readonly number[]) =>
  pods.map((n) => {
    const pod = cluster.kubernetes.get<Pod>(PODS, objectKey(`pod-${n}`, 'shop'));
    return pod?.status?.conditions?.find(({ type }) => type === GATE)?.status;
  });

/** What stands behind its own load balancer. */
const backends = (run: Running): readonly string[] =>
  loadBalancers(run).flatMap(({ serverGroups }) =>
    serverGroups.flatMap((group) => group.backends.map(({ serverId }) => serverId)),
  );

/** A Service behind pods that is served, and refused since. */
async function refusedBehindPods(): Promise<Running> {
  const run = await running(
    { controllers: ['service', 'inventory'] },
    { networkInterfaces: interfacesOf(4), loadBalancers: [API] },
  );
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(behindPods, [1, 2]));
  run.cluster.kubernetes.put(SERVICES, behindPods);
  await run.cluster.quiet();
  await patch(run, REFUSED);
  assert.deepEqual(standing(run), ['False', 'InvalidObject']);
  return run;
}

describe('a Service that a rule refuses which protects others, though it is served', () => {
  it('has its pods told that they are backends', async () => {
    const run = await refusedBehindPods();
    onPods(run, [3, 4]);
    await run.cluster.quiet();
    assert.deepEqual(
      [backends(run), gates(run, [3, 4])],
      [
        ['eni-3', 'eni-4'],
        ['True', 'True'],
      ],
    );
    await run.process.stop();
  });

  it('has a pod looked for again whose interface shows late, and says that it is left out until then', async () => {
    const run = await refusedBehindPods();
    onPods(run, [3, 5]);
    await run.cluster.quiet(2_000);
    assert.match(messageOf(run), /lb-api.*10\.1\.1\.5/s);
    await run.cluster.quiet(8_000);
    run.cluster.simulator.seed({ networkInterfaces: interfacesOf(5) });
    await run.cluster.quiet(5 * MINUTES);
    assert.deepEqual(
      [backends(run), gates(run, [3, 5])],
      [
        ['eni-3', 'eni-5'],
        ['True', 'True'],
      ],
    );
    await run.process.stop();
  });

  it('has its pods told where the lookup of another fails for long, and people what fails beside what is refused', async () => {
    const run = await refusedBehindPods();
    onPods(run, [3]);
    await run.cluster.quiet();
    const fault = { action: 'DescribeNetworkInterfaces', effect: 'refuse', code: 'Forbidden.RAM', count: 'forever' };
    run.cluster.simulator.faults([fault]);
    onPods(run, [3, 4]);
    await run.cluster.quiet(5 * MINUTES);
    assert.deepEqual(gates(run, [3, 4]), ['True', undefined]);
    assert.match(messageOf(run), /DescribeNetworkInterfaces.*lb-api/s);
    await run.process.stop();
  });

  it('has a backend tried again that the cloud did not take', async () => {
    const run = await refusedBehindPods();
    const refusal = { effect: 'refuse', code: 'ObtainIpFail', status: 400, count: 3 };
    run.cluster.simulator.faults([{ ...refusal, action: 'AddVServerGroupBackendServers' }]);
    onPods(run, [1, 3]);
    await run.cluster.quiet(30 * MINUTES);
    assert.deepEqual([backends(run).toSorted(), gates(run, [3])], [['eni-1', 'eni-3'], ['True']]);
    await run.process.stop();
  });

  /** A Service in Local mode that is served by its own load balancer, and may be by one of people, who have one of its ports there. */
  async function servedOnNodes(): Promise<{ readonly run: Running; readonly on: (node: string) => unknown }> {
    const people = { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners: [{ port: 443, protocol: 'tcp' }] };
    const run = await running({ controllers: ['service', 'inventory'] }, { loadBalancers: [API, people] });
    const service = aService({ ports: [80, 443] });
    const on = (node: string) => run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, [node]));
    on('n1');
    run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
    await run.cluster.quiet();
    return { run, on };
  }
  const goOver = ({ cluster }: Running, id: string): void => {
    cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
      status: { loadBalancer: null },
      metadata: { annotations: annotated({ id, 'force-override-listeners': 'true' }) },
    });
  };

  for (const isRestarted of [false, true]) {
    const restart = async (run: Running): Promise<Running> => {
      if (!isRestarted) return run;
      await run.process.stop();
      const process = run.cluster.start({ controllers: ['service', 'inventory'] });
      await run.cluster.quiet(3 * MINUTES);
      return { ...run, process };
    };
    const when = isRestarted ? ', after a restart too' : '';

    it(`has its pods followed though it says no address any more${when}`, async () => {
      const { run: first, on } = await servedOnNodes();
      goOver(first, API.id);
      await first.cluster.quiet();
      const run = await restart(first);
      on('n2');
      await run.cluster.quiet(30 * MINUTES);
      assert.deepEqual(
        [backends(run), standing(run)],
        [
          ['i-2', 'i-2'],
          ['False', 'InvalidObject'],
        ],
      );
      await run.process.stop();
    });

    it(`has its pods followed by both load balancers that serve it${when}`, async () => {
      const { run: first, on } = await servedOnNodes();
      goOver(first, 'lb-b');
      await first.cluster.quiet(10 * MINUTES);
      assert.deepEqual([backends(first), standing(first)[1]], [['i-1', 'i-1', 'i-1'], 'PortOwner']);
      await patch(first, REFUSED);
      const run = await restart(first);
      on('n2');
      await run.cluster.quiet(30 * MINUTES);
      assert.deepEqual([backends(run), standing(run)[1]], [['i-2', 'i-2', 'i-2'], 'InvalidObject']);
      await run.process.stop();
    });
  }

  it('has read again what was changed meanwhile once that is taken back, and nothing is done twice', async () => {
    const { run, on } = await servedOnNodes();
    const since = now(run);
    await patch(run, REFUSED);
    on('n2');
    await run.cluster.quiet();
    await patch(run, { metadata: { annotations: annotated({ id: null }) } });
    const exchange = ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers'];
    assert.deepEqual(
      [backends(run), changes(run, since)],
      [
        ['i-2', 'i-2'],
        [...exchange, ...exchange],
      ],
    );
    await run.process.stop();
  });

  it('has its pods followed that are back where they were at the moment in which it is taken back', async () => {
    const { run, on } = await servedOnNodes();
    await patch(run, REFUSED);
    on('n2');
    await run.cluster.quiet();
    on('n1');
    await patch(run, { metadata: { annotations: annotated({ id: null }) } });
    assert.deepEqual([backends(run), standing(run)[0]], [['i-1', 'i-1'], 'True']);
    await run.process.stop();
  });

  it('has read again what a call has changed that took effect late', async () => {
    const run = await running({ controllers: ['service', 'inventory'] }, { loadBalancers: [API] });
    const on = (node: string) => run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), [node]));
    const local = aService({ ports: [80] });
    on('n1');
    run.cluster.kubernetes.put(SERVICES, { ...local, spec: { ...local.spec, externalTrafficPolicy: 'Local' } });
    await run.cluster.quiet();
    await patch(run, REFUSED);
    const late = { action: 'RemoveVServerGroupBackendServers', effect: 'late-commit', ms: MINUTES, count: 1 };
    run.cluster.simulator.faults([late]);
    on('n2');
    await run.cluster.quiet(20_000);
    on('n1');
    await run.cluster.quiet(5 * MINUTES);
    assert.deepEqual(backends(run), ['i-1']);
    await run.process.stop();
  });
});
