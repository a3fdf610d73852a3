import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, keyOf, NODES, objectKey, SERVICES } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import { annotated, loadBalancers, messageOf, running, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SEED = {
  networkInterfaces: interfacesOf(2),
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1' },
    { id: 'lb-b', name: 'b', address: '47.1.1.2' },
  ],
};
const OVERRIDE = { 'force-override-listeners': 'true' };
const FIRST = { 'its own': {}, 'one of people': { id: 'lb-a', ...OVERRIDE } } as const;

const goOver = ({ cluster }: Running): void => {
  cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
    status: { loadBalancer: null },
    metadata: { annotations: annotated({ id: 'lb-b', ...OVERRIDE }) },
  });
};

/** The load balancers that listen on a port. */
const listening = (run: Running): readonly string[] =>
  loadBalancers(run).flatMap(({ id, listeners }) => (listeners.length === 0 ? [] : [id]));

describe('a Service that goes over to another load balancer', () => {
  for (const [which, said] of Object.entries(FIRST))
    it(`leaves ${which} although a pod of it is in another network, where no load balancer reaches it`, async () => {
      const run = await running({ settings: { backendType: 'eni' } }, SEED);
      const service = aService({ annotations: annotated(said) });
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [1, 'abroad']));
      run.cluster.kubernetes.put(SERVICES, service);
      await run.cluster.quiet();
      goOver(run);
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual([listening(run), standing(run)[0]], [['lb-b'], 'True']);
      await run.process.stop();
    });

  it('goes on to be served by both while it is not known which instance a Node is, says so, and writes that once', async () => {
    const run = await running({}, SEED);
    run.cluster.kubernetes.put(NODES, aNode('edge', { spec: { providerID: 'edge://box-7' } }));
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n1']));
    run.cluster.kubernetes.put(SERVICES, aService({ annotations: annotated(FIRST['one of people']) }));
    await run.cluster.quiet();
    goOver(run);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(
      [listening(run), standing(run)],
      [
        ['lb-a', 'lb-b'],
        ['False', 'InvalidBackend'],
      ],
    );
    assert.match(
      messageOf(run),
      /of load balancer lb-b lacks backends .*Node edge.* served by load balancer lb-a as well/,
    );
    const written = run.cluster.service()?.metadata.resourceVersion;
    await run.cluster.quiet(60 * 60_000);
    assert.equal(run.cluster.service()?.metadata.resourceVersion, written);
    run.cluster.kubernetes.delete(NODES, objectKey('edge'));
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([listening(run), standing(run)[0]], [['lb-b'], 'True']);
    await run.process.stop();
  });
});
