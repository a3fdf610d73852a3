import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/simulated-cluster.ts';
import {
  apply,
  loadBalancers,
  messageOf,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const OTHERS = Array.from({ length: 2_000 }, (_, at) => `example.com/finalizer-${at}`);
const LABELS = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`label-${at}`, 'a']));
const NO_LABELS = Object.fromEntries(Object.keys(LABELS).map((label) => [label, null]));

const portsOf = (ports: readonly number[]) => aService({ ports }).spec?.ports;
const FEW = portsOf([80, 443]);
/** The served ports are last, where a cache does not keep them. */
const MANY = portsOf([...Array.from({ length: 2_000 }, (_, at) => at + 1_000), 80, 443]);

const listeners = (run: Running): readonly number[] =>
  loadBalancers(run).flatMap((balancer) => balancer.listeners.map(({ port }) => port));
const backends = (run: Running): readonly string[] =>
  loadBalancers(run).flatMap(({ serverGroups }) =>
    serverGroups.flatMap((group) => group.backends.map(({ serverId }) => serverId)),
  );
const onNodes = async (run: Running, names: readonly string[]): Promise<void> => {
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), names));
  await run.cluster.quiet();
};
const metadataOf = ({ cluster }: Running) => (cluster.service() ?? assert.fail()).metadata;

/** Caches keep only a part of a very large Service. The controller must not take the missing part for deleted. */
describe('a Service that is too large', () => {
  it('is served with thousands of other finalizers, and keeps them', async () => {
    const run = await running();
    const service = aService();
    run.cluster.kubernetes.put(SERVICES, { ...service, metadata: { ...service.metadata, finalizers: OTHERS } });
    await run.cluster.quiet();
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    assert.deepEqual(metadataOf(run).finalizers, [...OTHERS, FINALIZER]);
    await patch(run, { spec: { type: 'ClusterIP' } });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).length, metadataOf(run).finalizers], [0, OTHERS]);
    await run.process.stop();
  });

  it('syncs only its backends if it has thousands of labels, and reports that', async () => {
    const run = await running();
    await apply(run);
    await patch(run, { spec: { externalTrafficPolicy: 'Local' } });
    await onNodes(run, ['n1']);
    const [before] = [backends(run)];
    await patch(run, { metadata: { labels: LABELS } });
    assert.deepEqual(statusAndReason(run), ['False', 'Invalid']);
    assert.match(
      messageOf(run),
      /^metadata\.labels: Too long: may not be more than 64 labels of 4096 bytes in total; /,
    );
    await patch(run, { spec: { ports: FEW } });
    await onNodes(run, ['n1', 'n2']);
    assert.deepEqual([listeners(run), before.length, backends(run).length], [[80], 1, 2]);
    assert.equal(metadataOf(run).labels?.['label-1999'], 'a');
    await patch(run, { metadata: { labels: NO_LABELS } });
    assert.deepEqual([statusAndReason(run)[0], listeners(run)], ['True', [80, 443]]);
    await run.process.stop();
  });

  it('keeps its resources when it gets thousands of ports, and reports that', async () => {
    const run = await running();
    await apply(run, { ports: [80, 443] });
    const before = [listeners(run), backends(run)];
    await patch(run, { spec: { ports: MANY } });
    assert.deepEqual(statusAndReason(run), ['False', 'Invalid']);
    assert.match(messageOf(run), /^spec\.ports: Too many: must have at most 100 items; /);
    assert.deepEqual([listeners(run), backends(run)], before);
    await patch(run, { spec: { ports: FEW } });
    assert.equal(statusAndReason(run)[0], 'True');
    await run.process.stop();
  });

  it('gets no load balancer if it is new, and leaves nothing behind when it is deleted', async () => {
    const run = await running();
    await apply(run, { ports: (MANY ?? []).map(({ port }) => port) });
    assert.deepEqual([statusAndReason(run), loadBalancers(run)], [['False', 'Invalid'], []]);
    await patch(run, { spec: { ports: FEW } });
    await patch(run, { spec: { ports: MANY } });
    run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([run.cluster.service(), loadBalancers(run)], [undefined, []]);
    await run.process.stop();
  });
});
