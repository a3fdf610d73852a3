import assert from 'node:assert/strict';
import { aCluster, aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  changes,
  ingress,
  loadBalancers,
  messageOf,
  now,
  standing,
  type Running,
} from '../../support/running.ts';
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
async function served(said: Readonly<Record<string, string>>, seed: object = SEED): Promise<Running> {
  const cluster = aCluster();
  cluster.simulator.seed(seed);
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

describe('a Service of which two load balancers serve a port each, and that is to go over to a third', () => {
  /** Longer than usual: the label has no room for two of them beside its own. */
  const [partly, named] = ['b', 'c'].map((letter) => `lb-bp1${letter.repeat(20)}`) as [string, string];
  const seedOf = (id: string) => ({
    loadBalancers: [
      ...SEED.loadBalancers,
      { id, name: 'partly', address: '47.1.1.4', listeners: [{ port: 443, protocol: 'tcp' }] },
      { id: named, name: 'named', address: '47.1.1.5' },
    ],
  });
  const refused = (action: string) => ({ action, effect: 'refuse', code: 'QuotaExceeded', count: 'forever' });
  const forbidden = { ...refused('DeleteLoadBalancerListener'), code: 'Forbidden.RAM', status: 403 };
  const free = async ({ cluster }: Running, id: string): Promise<void> => {
    await cluster.ask('DeleteLoadBalancerListener', {
      LoadBalancerId: id,
      ListenerPort: 443,
      ListenerProtocol: 'tcp',
    });
  };

  const unread = (action: string, filter: object) => ({
    ...refused(action),
    code: 'Forbidden.RAM',
    status: 403,
    filter,
  });
  const rows: Readonly<Record<string, readonly [id: string | null, reason: string]>> = {
    'is its own, which cannot be made': [null, 'QuotaExceeded'],
    'may not be read': ['lb-b', 'Forbidden'],
    'has its ports taken by people': ['lb-inside', 'PortOwner'],
    'does not exist': ['lb-typo', 'OnlyMine'],
  };
  for (const [what, [id, reason]] of Object.entries(rows))
    for (const isForbidden of [false, true])
      it(`goes on to be served by both while that ${what}${isForbidden ? ', and nothing can be left' : ''}`, async () => {
        const run = await served({ id: 'lb-a', ...OVERRIDE }, seedOf('lb-partly'));
        move(run, { id: 'lb-partly' });
        await run.cluster.quiet();
        assert.deepEqual(ingress(run), [{ ip: '47.1.1.4' }]);
        const failing = [
          refused('CreateLoadBalancer'),
          unread('DescribeLoadBalancerAttribute', { LoadBalancerId: 'lb-b' }),
        ];
        run.cluster.simulator.faults([...failing, ...(isForbidden ? [forbidden] : [])]);
        const since = now(run);
        move(run, { id });
        await run.cluster.quiet(10 * 60_000);
        onNode(run, 'n2');
        await run.cluster.quiet(HALF_AN_HOUR_MS);
        assert.deepEqual([backends(run), standing(run)[1]], [{ 'lb-a': ['i-2'], 'lb-partly': ['i-2'] }, reason]);
        const done = changes(run, since).filter((action) => action !== 'CreateLoadBalancer');
        assert.deepEqual(done, [...EXCHANGE, ...EXCHANGE]);
        await run.process.stop();
      });

  it('goes on to be served by both while it says the address of the second', async () => {
    const run = await served({ id: 'lb-a', ...OVERRIDE }, seedOf('lb-partly'));
    move(run, { id: 'lb-partly' });
    await run.cluster.quiet();
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { annotations: annotated({ id: named }) } });
    await run.cluster.quiet();
    onNode(run, 'n2');
    await run.cluster.quiet(HALF_AN_HOUR_MS);
    assert.deepEqual([backends(run), standing(run)[1]], [{ 'lb-a': ['i-2'], 'lb-partly': ['i-2'] }, 'StatusTruth']);
    await run.process.stop();
  });

  it('is not begun there while its label has no room for it, and goes over once one of them serves it all', async () => {
    const run = await served(OVERRIDE, seedOf(partly));
    move(run, { id: partly });
    await run.cluster.quiet();
    const since = now(run);
    move(run, { id: named });
    await run.cluster.quiet();
    onNode(run, 'n2');
    await run.cluster.quiet(HALF_AN_HOUR_MS);
    const servers = Object.values(backends(run));
    assert.deepEqual([servers, standing(run)[1], ingress(run)], [[['i-2'], ['i-2']], 'NoRoom', undefined]);
    assert.match(messageOf(run), /then take the address out of the status again, and name this one$/);
    assert.deepEqual(changes(run, since), [...EXCHANGE, ...EXCHANGE]);
    await free(run, partly);
    move(run, { id: partly });
    await run.cluster.quiet(10 * 60_000);
    move(run, { id: named });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([backends(run), standing(run)[0]], [{ [named]: ['i-2'] }, 'True']);
    await run.process.stop();
  });

  it('has its pods followed by both though the listeners of one may not be read, so that it cannot be told whether to leave that', async () => {
    const run = await served(OVERRIDE, seedOf(partly));
    move(run, { id: partly });
    await run.cluster.quiet();
    run.cluster.simulator.faults([unread('DescribeLoadBalancerListeners', { 'LoadBalancerId.1': partly })]);
    move(run, { id: named });
    await run.cluster.quiet(10 * 60_000);
    onNode(run, 'n2');
    await run.cluster.quiet(HALF_AN_HOUR_MS);
    const own = loadBalancers(run).at(-1)?.id ?? assert.fail();
    assert.deepEqual([backends(run)[own], ingress(run), standing(run)[1]], [['i-2'], undefined, 'Forbidden']);
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(10 * 60_000);
    const servers = Object.values(backends(run)).flat();
    assert.deepEqual([servers.filter((server) => server !== 'i-2'), standing(run)[1]], [[], 'NoRoom']);
    await run.process.stop();
  });

  it('keeps its pods where it was begun on another in vain that cannot be left for want of room, until that can', async () => {
    const run = await served(OVERRIDE, seedOf(partly));
    const own = loadBalancers(run).at(-1)?.id ?? assert.fail();
    const notMade = { ...refused('CreateLoadBalancerTCPListener'), filter: { LoadBalancerId: partly } };
    run.cluster.simulator.faults([notMade, { ...forbidden, action: 'DeleteVServerGroup' }]);
    move(run, { id: partly });
    await run.cluster.quiet();
    move(run, { id: named });
    await run.cluster.quiet(10 * 60_000);
    onNode(run, 'n2');
    await run.cluster.quiet(HALF_AN_HOUR_MS);
    assert.deepEqual([backends(run)[own], standing(run)[1]], [['i-2'], 'NoRoom']);
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(HALF_AN_HOUR_MS);
    assert.deepEqual([backends(run), standing(run)[0]], [{ [named]: ['i-2'] }, 'True']);
    await run.process.stop();
  });
});
