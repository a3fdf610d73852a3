import assert from 'node:assert/strict';
import { aCluster, aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import { annotated, changes, loadBalancers, now, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const EXCHANGE = ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers'];
/** Long after which nothing is waited for any more. */
const HALF_AN_HOUR_MS = 30 * 60_000;
const OVERRIDE = { 'force-override-listeners': 'true' };
const HELD = [80, 443].map((port) => ({ port, protocol: 'tcp' }));

/** One on the internet that is free, and two of which people have both ports. */
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', addressType: 'internet' },
    { id: 'lb-b', name: 'b', address: '47.1.1.2', addressType: 'internet', listeners: HELD },
    { id: 'lb-inside', name: 'inside', address: '10.1.1.3', addressType: 'intranet', listeners: HELD },
  ],
};

/** Which servers stand behind its groups, by the load balancer. */
const backends = (run: Running): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    loadBalancers(run).flatMap(({ id, serverGroups }) => {
      const servers = serverGroups.flatMap((group) => group.backends.map(({ serverId }) => serverId));
      return serverGroups.length === 0 ? [] : [[id, servers]];
    }),
  );

const onNode = ({ cluster }: Running, node: string): void => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), [node]));
};

/** A cluster with a Service in Local mode whose pod is on the first Node, served by what its annotations say. */
async function served(said: Readonly<Record<string, string>>): Promise<Running> {
  const cluster = aCluster();
  cluster.simulator.seed(SEED);
  const run = { cluster, process: cluster.start() };
  const service = aService({ ports: [80, 443], annotations: annotated(said) });
  onNode(run, 'n1');
  cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
  await cluster.quiet();
  return run;
}

/** Takes the address out of its status, and has it ask for this besides. */
const move = ({ cluster }: Running, said: Readonly<Record<string, string | null>>): void => {
  cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
    status: { loadBalancer: null },
    metadata: { annotations: annotated(said) },
  });
};

describe('a Service that says no address and names a load balancer that others have', () => {
  const rows: Readonly<Record<string, { readonly disablePublicSLB?: boolean; readonly said: Record<string, string> }>> =
    {
      'names one of the same kind': { said: { id: 'lb-b' } },
      'asks for a private address with it': { said: { id: 'lb-inside', 'address-type': 'intranet' } },
      'may not begin to be public any more': { disablePublicSLB: true, said: { id: 'lb-inside' } },
    };
  for (const [why, { disablePublicSLB = false, said }] of Object.entries(rows))
    it(`has its pods followed by the one of people that serves it, where it ${why}`, async () => {
      const { cluster, process } = await served({ id: 'lb-a', ...OVERRIDE });
      await process.stop();
      const run = { cluster, process: cluster.start({ settings: { disablePublicSLB } }) };
      await cluster.quiet();
      move(run, said);
      await cluster.quiet();
      const since = now(run);
      onNode(run, 'n2');
      await cluster.quiet(HALF_AN_HOUR_MS);
      assert.deepEqual([backends(run), standing(run)[1]], [{ 'lb-a': ['i-2'] }, 'PortOwner']);
      assert.deepEqual(changes(run, since), EXCHANGE);
      await run.process.stop();
    });
});
