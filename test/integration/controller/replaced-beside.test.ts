import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import { annotated, loadBalancers, running, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const OVERRIDE = { 'force-override-listeners': 'true' };
/** People have one of the Service's ports on `lb-b`, and nothing on the other. */
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1' },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners: [{ port: 443, protocol: 'tcp' }] },
  ],
};
const SERVICE = aService({ ports: [80, 443] });

const onNode = ({ cluster }: Running, node: string): void => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(SERVICE, [node]));
};

/** Which servers stand behind the groups of each load balancer. */
const backends = (run: Running) =>
  loadBalancers(run).map(({ serverGroups }) =>
    serverGroups.flatMap((group) => group.backends.map((each) => each.serverId)),
  );

/** A Service whose one port goes on to be served by the first, as people have it on the other. */
async function halfMoved(run: Running, first: Readonly<Record<string, string>>): Promise<void> {
  onNode(run, 'n1');
  run.cluster.kubernetes.put(SERVICES, {
    ...SERVICE,
    metadata: { ...SERVICE.metadata, annotations: annotated(first) },
    spec: { ...SERVICE.spec, externalTrafficPolicy: 'Local' },
  });
  await run.cluster.quiet();
  run.cluster.kubernetes.patch(SERVICES, keyOf(SERVICE), {
    status: { loadBalancer: null },
    metadata: { annotations: annotated({ id: 'lb-b', ...OVERRIDE }) },
  });
  await run.cluster.quiet();
}

/** Writes its own manifest over it, as `kubectl replace` does without the webhook. */
function replace({ cluster }: Running): void {
  const stored = cluster.service() ?? assert.fail();
  const { name, namespace, uid, resourceVersion, annotations = {} } = stored.metadata;
  cluster.kubernetes.put(SERVICES, { ...stored, metadata: { name, namespace, uid, resourceVersion, annotations } });
}

describe('a Service of which two load balancers serve a port each, replaced by its own manifest', () => {
  for (const controllers of [['service'], ['service', 'inventory']] as const)
    for (const [what, first] of [
      ['its own', {}],
      ['one of people', { id: 'lb-a', ...OVERRIDE }],
    ] as const)
      it(`is known to have been served by ${what} before, which follows its pods and is left in the end${controllers.length > 1 ? ', with the mirror' : ''}`, async () => {
        const run = await running({ controllers }, SEED);
        await halfMoved(run, first);
        replace(run);
        onNode(run, 'n2');
        await run.cluster.quiet(30 * 60_000);
        assert.deepEqual([new Set(backends(run).flat()), standing(run)[1]], [new Set(['i-2']), 'PortOwner']);
        run.cluster.kubernetes.delete(SERVICES, keyOf(SERVICE));
        await run.cluster.quiet(10 * 60_000);
        assert.deepEqual([backends(run), run.cluster.service()], [[[], []], undefined]);
        await run.process.stop();
      });
});
