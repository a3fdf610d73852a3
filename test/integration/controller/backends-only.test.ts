import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, SERVICES } from '../../support/cluster.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
  changes,
  loadBalancers,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const EXCHANGE = ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers'];
/** Long after which nothing is waited for any more. */
const HALF_AN_HOUR_MS = 30 * 60_000;
const TYPES = ['eni', 'ecs'] as const;
type BackendType = (typeof TYPES)[number];

/** Two load balancers, each with a group of people and a listener of theirs on `port` that sends there. */
const withGroups = (port: number) => ({
  networkInterfaces: interfacesOf(3),
  loadBalancers: ['a', 'b'].map((name, at) => ({
    id: `lb-${name}`,
    name,
    address: `47.1.1.${at + 1}`,
    serverGroups: [{ id: `rsp-${name}`, name: `group-${name}`, backends: [] }],
    listeners: [{ port, protocol: 'tcp', attributes: { VServerGroupId: `rsp-${name}` } }],
  })),
});

/** What stands behind the groups of all load balancers: interfaces or instances. */
const backends = (run: Running): readonly string[] =>
  loadBalancers(run).flatMap(({ id, serverGroups }) =>
    serverGroups.flatMap((group) => group.backends.map(({ serverId }) => `${id} ${serverId}`)),
  );

/** Its ready pods, of which each is on the Node of its number. */
const onPods = ({ cluster }: Running, pods: readonly number[], type: BackendType, service = aService()): void => {
  const nodes = pods.map((n) => `n${n}`);
  const slice = type === 'eni' ? aPodSlice(service, pods) : aSlice(service, nodes);
  cluster.kubernetes.put(ENDPOINT_SLICES, slice);
};

/** A Service of which one pod is ready; behind Nodes it is in Local mode. */
async function served(run: Running, said: Record<string, string>, type: BackendType): Promise<void> {
  const service = aService({ annotations: annotated(said) });
  const spec = type === 'ecs' ? { ...service.spec, externalTrafficPolicy: 'Local' } : service.spec;
  onPods(run, [1], type);
  run.cluster.kubernetes.put(SERVICES, { ...service, spec });
  await run.cluster.quiet();
}

describe('a group of people that serves a Service', () => {
  const rows: Readonly<Record<string, readonly [listener: number, change: Record<string, string | null>]>> = {
    'id and vgroup-port are changed together in vain': [80, { id: 'lb-b', 'vgroup-port': 'rsp-b:80' }],
    'vgroup-port names one that is not there': [80, { 'vgroup-port': 'rsp-none:80' }],
    'vgroup-port names one that is not there, and their listener is on another port': [
      443,
      { 'vgroup-port': 'rsp-none:80' },
    ],
  };
  for (const [when, [listener, change]] of Object.entries(rows))
    for (const type of TYPES)
      for (const controllers of [['service'], ['service', 'inventory']] as const)
        it(`follows its pods while ${when} (${type}${controllers.length > 1 ? ', with the mirror' : ''})`, async () => {
          const run = await running({ controllers, settings: { backendType: type } }, withGroups(listener));
          await served(run, { id: 'lb-a', 'vgroup-port': 'rsp-a:80' }, type);
          const since = now(run);
          await patch(run, { metadata: { annotations: annotated(change) } });
          onPods(run, [1, 2], type);
          await run.cluster.quiet();
          onPods(run, [2], type);
          await run.cluster.quiet(HALF_AN_HOUR_MS);
          assert.deepEqual([backends(run), standing(run)[0]], [[`lb-a ${type === 'eni' ? 'eni-2' : 'i-2'}`], 'False']);
          assert.deepEqual(changes(run, since), EXCHANGE);
          await run.process.stop();
        });

  it('loses what is the Service’s once vgroup-port names another that is there', async () => {
    const [one, other] = withGroups(443).loadBalancers;
    const more = [...(one?.serverGroups ?? []), { id: 'rsp-c', name: 'group-c', backends: [] }];
    const seed = { ...withGroups(443), loadBalancers: [{ ...one, serverGroups: more }, other] };
    const run = await running({ settings: { backendType: 'eni' } }, seed);
    await served(run, { id: 'lb-a', 'vgroup-port': 'rsp-a:80' }, 'eni');
    await patch(run, { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-c:80' }) } });
    const sizes = loadBalancers(run)[0]?.serverGroups.map((group) => group.backends.length);
    assert.deepEqual([sizes, standing(run)[0]], [[0, 1], 'True']);
    await run.process.stop();
  });

  it('hands over to another Service what it has no more, where that is served there as well', async () => {
    const run = await running({ settings: { backendType: 'eni' } }, withGroups(80));
    const said = { id: 'lb-a', 'vgroup-port': 'rsp-a:80' };
    const uid = '00000000-0000-4000-8000-000000000002';
    const api = aService({ name: 'api', uid, annotations: annotated(said) });
    await served(run, said, 'eni');
    onPods(run, [1], 'eni', api);
    run.cluster.kubernetes.put(SERVICES, api);
    await run.cluster.quiet();
    await patch(run, { metadata: { annotations: annotated({ id: 'lb-b' }) } });
    const since = now(run);
    onPods(run, [2], 'eni');
    await run.cluster.quiet();
    assert.deepEqual(backends(run), ['lb-a eni-1', 'lb-a eni-2']);
    assert.deepEqual(changes(run, since), ['AddVServerGroupBackendServers', 'SetVServerGroupAttribute']);
    await run.process.stop();
  });
});

describe('a Service that is served by its own load balancer, while the annotation id names one that', () => {
  const NAMED = 'lb-b';
  const never = (action: string, code: string, status: number) => ({
    action,
    effect: 'refuse',
    code,
    status,
    count: 'forever',
    filter: { LoadBalancerId: NAMED },
  });
  const unread = {
    'may not be read': never('DescribeLoadBalancerAttribute', 'Forbidden.RAM', 403),
    'cannot be read at the time': never('DescribeLoadBalancerAttribute', 'ServiceUnavailable', 503),
  };
  const ownBackends = (run: Running): readonly string[] =>
    loadBalancers(run)
      .filter(({ id }) => id !== NAMED)
      .flatMap(({ serverGroups }) => serverGroups.flatMap((group) => group.backends.map(({ serverId }) => serverId)));

  for (const [what, fault] of Object.entries(unread))
    for (const isRestarted of [false, true])
      it(`${what} has its backends synced${isRestarted ? ', after a restart too' : ''}`, async () => {
        const first = await running({}, { loadBalancers: [{ id: NAMED, name: 'b', address: '47.1.1.2' }] });
        const { cluster } = first;
        await served(first, {}, 'ecs');
        cluster.simulator.faults([fault]);
        await patch(first, {
          status: { loadBalancer: null },
          metadata: { annotations: annotated({ id: NAMED, 'force-override-listeners': 'true' }) },
        });
        if (isRestarted) await first.process.stop();
        const run = isRestarted ? { cluster, process: cluster.start() } : first;
        await cluster.quiet(5 * 60_000);
        const since = now(run);
        onPods(run, [2], 'ecs');
        await cluster.quiet();
        assert.deepEqual([ownBackends(run), standing(run)[1]], [['i-2'], 'LoadBalancerChangeNotSupported']);
        assert.deepEqual(changes(run, since), EXCHANGE);
        await run.process.stop();
      });
});
