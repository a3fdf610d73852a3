import assert from 'node:assert/strict';
import { PODS, type Pod } from '../../../src/objects.ts';
import { aSlice, ENDPOINT_SLICES, objectKey, SERVICES } from '../../support/cluster.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
  changes,
  loadBalancers,
  messageOf,
  now,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const GATE = 'service.readiness.alibabacloud.com/web';
const MINUTES = 60_000;
const controllers = ['service', 'inventory'] as const;
const SHARED = { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners: [{ port: 22, protocol: 'tcp' }] };
const NAMING = annotated({ id: SHARED.id, 'force-override-listeners': 'true' });
const behindPods = aService({
  ports: [80],
  annotations: { ...NAMING, 'service.beta.kubernetes.io/backend-type': 'eni' },
});
const DENIED = ['False', 'InvalidObject'];

/** Marks the load balancer as that of an API server, which no Service may use. */
async function deny({ cluster }: Running): Promise<void> {
  const tag = { 'Tag.1.Key': 'ack.aliyun.com', 'Tag.1.Value': 'c1' };
  await cluster.ask('TagResources', { ResourceType: 'instance', 'ResourceId.1': SHARED.id, ...tag });
  await cluster.quiet(2 * MINUTES);
}

async function permit({ cluster }: Running): Promise<void> {
  const resource = { ResourceType: 'instance', 'ResourceId.1': SHARED.id, 'TagKey.1': 'ack.aliyun.com' };
  await cluster.ask('UntagResources', resource);
  await cluster.quiet(2 * MINUTES);
}

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
  const run = await running({ controllers }, { networkInterfaces: interfacesOf(4), loadBalancers: [SHARED] });
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(behindPods, [1, 2]));
  run.cluster.kubernetes.put(SERVICES, behindPods);
  await run.cluster.quiet();
  await deny(run);
  assert.deepEqual(standing(run), DENIED);
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
    assert.match(messageOf(run), /10\.1\.1\.5.*lb-b/s);
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
    assert.match(messageOf(run), /DescribeNetworkInterfaces.*lb-b/s);
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

  /** A Service in Local mode that is served by a user-managed load balancer. */
  async function servedOnNodes(): Promise<{ readonly run: Running; readonly on: (node: string) => unknown }> {
    const run = await running({ controllers }, { loadBalancers: [SHARED] });
    const service = aService({ ports: [80, 443], annotations: NAMING });
    const on = (node: string) => run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, [node]));
    on('n1');
    run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
    await run.cluster.quiet();
    return { run, on };
  }

  it('has its pods followed after a restart too', async () => {
    const { run: first, on } = await servedOnNodes();
    await deny(first);
    await first.process.stop();
    const run = { ...first, process: first.cluster.start({ controllers }) };
    await run.cluster.quiet(3 * MINUTES);
    on('n2');
    await run.cluster.quiet(30 * MINUTES);
    assert.deepEqual([backends(run), standing(run)], [['i-2', 'i-2'], DENIED]);
    await run.process.stop();
  });

  it('has read again what was changed meanwhile once that is taken back, and nothing is done twice', async () => {
    const { run, on } = await servedOnNodes();
    const since = now(run);
    await deny(run);
    on('n2');
    await run.cluster.quiet();
    await permit(run);
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
    await deny(run);
    on('n2');
    await run.cluster.quiet();
    on('n1');
    await permit(run);
    assert.deepEqual([backends(run), standing(run)[0]], [['i-1', 'i-1'], 'True']);
    await run.process.stop();
  });

  it('has read again what a call has changed that took effect late', async () => {
    const run = await running({ controllers }, { loadBalancers: [SHARED] });
    const on = (node: string) => run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), [node]));
    const local = aService({ ports: [80], annotations: NAMING });
    on('n1');
    run.cluster.kubernetes.put(SERVICES, { ...local, spec: { ...local.spec, externalTrafficPolicy: 'Local' } });
    await run.cluster.quiet();
    await deny(run);
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
