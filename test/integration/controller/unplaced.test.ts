import assert from 'node:assert/strict';
import type { EndpointSlice, Service } from '../../../src/objects.ts';
import { aCluster, aSlice, ENDPOINT_SLICES, NODES, objectKey, SERVICES } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
  apply,
  events,
  loadBalancers,
  messageOf,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const plain = aService();
const LOCAL: Service = { ...plain, spec: { ...plain.spec, externalTrafficPolicy: 'Local' } };
const STRAY = aNode('n9', { spec: { providerID: 'k3s://n9' } });

/** The pods of a slice as people write them down: without their Nodes. */
const nodeless = (slice: EndpointSlice): EndpointSlice => ({
  ...slice,
  endpoints: (slice.endpoints ?? []).map(({ addresses, conditions }) => ({
    addresses,
    ...(conditions === undefined ? {} : { conditions }),
  })),
});

const servers = (run: Running): readonly string[] =>
  (loadBalancers(run)[0]?.serverGroups[0]?.backends ?? []).map(({ serverId }) => serverId);

/** A Service whose pods are on these Nodes, in service. */
async function local(nodeNames: readonly string[]): Promise<Running> {
  const run = await running();
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(LOCAL, nodeNames));
  run.cluster.kubernetes.put(SERVICES, LOCAL);
  await run.cluster.quiet();
  return run;
}

describe('backends of which nobody knows the instance', () => {
  it('are told in event and condition where endpoints name no Node in Local mode, and those that are there stay', async () => {
    const run = await local(['n1', 'n2']);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, nodeless(aSlice(LOCAL, ['n1', 'n2'])));
    await run.cluster.quiet();
    assert.deepEqual(servers(run), ['i-1', 'i-2']);
    assert.deepEqual(standing(run), ['False', 'InvalidBackend']);
    assert.match(messageOf(run), /name no Node .*10\.244\.0\.1, 10\.244\.0\.2/);
    assert.deepEqual(events(run, 'SkipSyncBackends'), [messageOf(run)]);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(LOCAL, ['n2']));
    await run.cluster.quiet();
    assert.deepEqual([servers(run), standing(run)[0]], [['i-2'], 'True']);
    await run.process.stop();
  });

  it('hold up none of those that are known', async () => {
    const run = await local(['n1', 'n2']);
    const slice = aSlice(LOCAL, ['n2', 'n3']);
    const unknown = nodeless(aPodSlice(LOCAL, [7]));
    const endpoints = [...(slice.endpoints ?? []), ...(unknown.endpoints ?? [])];
    run.cluster.kubernetes.put(ENDPOINT_SLICES, { ...slice, endpoints });
    await run.cluster.quiet();
    assert.deepEqual([servers(run), standing(run)[0]], [['i-2', 'i-3'], 'False']);
    await run.process.stop();
  });

  it('leave a Service ready if the Node was never a backend', async () => {
    const run = await running();
    await apply(run);
    run.cluster.kubernetes.put(NODES, STRAY);
    await run.cluster.quiet();
    assert.deepEqual([servers(run).length, standing(run)], [3, ['True', 'EnsuredLoadBalancer']]);
    assert.deepEqual(events(run, 'SkipSyncBackends'), []);
    await run.process.stop();
  });

  it('are reported if the Node was a backend before, until the Node is deleted', async () => {
    const run = await running();
    await apply(run);
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet();
    run.cluster.kubernetes.put(NODES, aNode('n3', { spec: { providerID: 'k3s://n3' } }));
    await run.cluster.quiet();
    assert.deepEqual(
      [servers(run), standing(run)],
      [
        ['i-1', 'i-2'],
        ['False', 'InvalidBackend'],
      ],
    );
    assert.match(messageOf(run), /n3 \(k3s:\/\/n3\).*service\.alibabacloud\.com\/exclude-node/);
    assert.deepEqual(events(run, 'SkipSyncBackends'), [messageOf(run)]);
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet();
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  for (const violations of [0, 1, 100])
    it(`are reported after a restart with ${violations} violations until the Node goes`, async () => {
      const run = await running();
      await apply(run);
      run.cluster.kubernetes.delete(NODES, objectKey('n3'));
      await run.cluster.quiet();
      run.cluster.kubernetes.put(NODES, aNode('n3', { spec: { providerID: 'k3s://n3' } }));
      await run.cluster.quiet();
      const said = [standing(run), messageOf(run)];
      const unread = (value: string | null) =>
        Object.fromEntries(
          Array.from({ length: violations }, (_, n) => [n === 0 ? 'scheduler' : `schedule-${n}`, value]),
        );
      await patch(run, { metadata: { annotations: annotated(unread('nonsense')) } });
      assert.equal(standing(run)[1], violations === 0 ? 'InvalidBackend' : 'InvalidObject');
      await run.process.stop();
      const since = now(run);
      const process = run.cluster.start();
      await run.cluster.quiet();
      await patch(run, { metadata: { annotations: annotated(unread(null)) } });
      assert.deepEqual([standing(run), messageOf(run), run.cluster.calls(since)], [...said, []]);
      run.cluster.kubernetes.delete(NODES, objectKey('n3'));
      await run.cluster.quiet();
      assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
      await process.stop();
    });

  it('leave a Service ready that came after the instance of the Node was gone', async () => {
    const run = await running();
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet();
    run.cluster.kubernetes.put(NODES, aNode('n3', { spec: { providerID: 'k3s://n3' } }));
    await run.cluster.quiet();
    const creationTimestamp = new Date(run.cluster.clock.now()).toISOString();
    run.cluster.kubernetes.put(SERVICES, { ...plain, metadata: { ...plain.metadata, creationTimestamp } });
    await run.cluster.quiet();
    assert.deepEqual([servers(run), standing(run)[0]], [['i-1', 'i-2'], 'True']);
    await run.process.stop();
  });

  it('leave a Service ready in Local mode while it has other pods', async () => {
    const run = await local(['n1']);
    run.cluster.kubernetes.put(NODES, STRAY);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(LOCAL, ['n1', 'n9']));
    await run.cluster.quiet();
    assert.deepEqual([servers(run), standing(run)[0], events(run, 'SkipSyncBackends')], [['i-1'], 'True', []]);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(LOCAL, ['n9']));
    await run.cluster.quiet();
    assert.deepEqual([servers(run), standing(run)[0]], [['i-1'], 'False']);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(LOCAL, ['n2', 'n9']));
    await run.cluster.quiet();
    assert.deepEqual([servers(run), standing(run)[0]], [['i-2'], 'True']);
    await run.process.stop();
  });

  it('are nobody’s concern where pods are backends themselves', async () => {
    const run = await running({}, { networkInterfaces: interfacesOf(1) });
    const service = aService({ annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
    run.cluster.kubernetes.put(NODES, STRAY);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [1]));
    run.cluster.kubernetes.put(SERVICES, service);
    await run.cluster.quiet();
    assert.deepEqual([standing(run)[0], events(run, 'SkipSyncBackends')], ['True', []]);
    await run.process.stop();
  });

  it('leave a group as it was found where it is all Nodes', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    for (const name of ['n1', 'n2', 'n3'])
      run.cluster.kubernetes.put(NODES, aNode(name, { spec: { providerID: `k3s://${name}` } }));
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([servers(run), standing(run)[0]], [['i-1', 'i-2', 'i-3'], 'False']);
    await process.stop();
  });

  it('cost nothing when the process starts anew: they are remembered with the rest', async () => {
    const run = await running();
    run.cluster.kubernetes.put(NODES, STRAY);
    await apply(run);
    await run.process.stop();
    const [since, said] = [now(run), messageOf(run)];
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([run.cluster.calls(since), messageOf(run)], [[], said]);
    await process.stop();
  });

  it('are Nodes that a new Service does without', async () => {
    const cluster = aCluster({ nodes: 0 });
    cluster.kubernetes.put(NODES, STRAY);
    const run = { cluster, process: cluster.start() };
    await apply(run);
    assert.deepEqual([servers(run), standing(run)[0]], [[], 'False']);
    await run.process.stop();
  });
});
