import assert from 'node:assert/strict';
import { PODS, type Pod } from '../../../src/objects.ts';
import { aSlice, ENDPOINT_SLICES, keyOf, objectKey, SERVICES } from '../../support/cluster.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import { annotated, changes, loadBalancers, now, running, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const MINUTES = 60_000;
const NAMED = 'lb-b';
const SEED = { networkInterfaces: interfacesOf(2), loadBalancers: [{ id: NAMED, name: 'b', address: '47.1.1.2' }] };
const EXCHANGE = ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers'];

/** A call that never succeeds of the load balancer that is named. */
const never = (action: string, code: string, status = 400) => ({
  action,
  effect: 'refuse',
  code,
  status,
  count: 'forever',
  filter: { LoadBalancerId: NAMED },
});
const UNREAD = {
  'may not be read': never('DescribeLoadBalancerAttribute', 'Forbidden.RAM', 403),
  'cannot be read at the time': never('DescribeLoadBalancerAttribute', 'ServiceUnavailable', 503),
  'has groups that may not be read': never('DescribeVServerGroups', 'Forbidden.RAM', 403),
};
const BUSY = { 'is busy for long': never('CreateVServerGroup', 'BackendServer.configuring') };

/** Names the load balancer, be it by the documented way to another one, which takes the address out of the status. */
const name = ({ cluster }: Running, isEmptied: boolean): void => {
  cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
    ...(isEmptied ? { status: { loadBalancer: null } } : {}),
    metadata: { annotations: annotated({ id: NAMED, 'force-override-listeners': 'true' }) },
  });
};

/** What stands behind its own load balancer. */
const ownBackends = (run: Running): readonly string[] =>
  loadBalancers(run)
    .filter(({ id }) => id !== NAMED)
    .flatMap(({ serverGroups }) => serverGroups.flatMap((group) => group.backends.map(({ serverId }) => serverId)));

describe('a Service that is served by its own load balancer, and names one that', () => {
  const rows = [
    ...Object.entries({ ...UNREAD, ...BUSY }).map(([what, fault]) => ({ what, fault, isEmptied: true })),
    ...Object.entries(UNREAD).map(([what, fault]) => ({ what, fault, isEmptied: false })),
  ];
  for (const { what, fault, isEmptied } of rows)
    for (const isRestarted of [false, true])
      it(`${what} has its pods followed${isEmptied ? ', though it says no address' : ''}${isRestarted ? ', after a restart too' : ''}`, async () => {
        const { cluster, process } = await running({}, SEED);
        const service = aService({ ports: [80] });
        const onNode = (node: string) => cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, [node]));
        onNode('n1');
        cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
        await cluster.quiet();
        cluster.simulator.faults([fault]);
        name({ cluster, process }, isEmptied);
        await cluster.quiet(10 * MINUTES);
        if (isRestarted) await process.stop();
        const run = isRestarted ? { cluster, process: cluster.start() } : { cluster, process };
        await cluster.quiet(5 * MINUTES);
        const since = now(run);
        onNode('n2');
        await cluster.quiet();
        assert.deepEqual([ownBackends(run), standing(run)[0]], [['i-2'], 'False']);
        const written = cluster.service()?.metadata.resourceVersion;
        await cluster.quiet(60 * MINUTES);
        const done = changes(run, since).filter((action) => action !== fault.action);
        assert.deepEqual([done, cluster.service()?.metadata.resourceVersion], [EXCHANGE, written]);
        await run.process.stop();
      });

  for (const [what, fault] of Object.entries({ ...UNREAD, ...BUSY }))
    it(`${what} has its pods told that they are backends`, async () => {
      const run = await running({}, SEED);
      const behindPods = aService({ ports: [80], annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(behindPods, [1]));
      run.cluster.kubernetes.put(SERVICES, behindPods);
      await run.cluster.quiet();
      run.cluster.simulator.faults([fault]);
      name(run, true);
      await run.cluster.quiet(10 * MINUTES);
      const gate = 'service.readiness.alibabacloud.com/web';
      run.cluster.kubernetes.put(PODS, {
        metadata: { name: 'pod-2', namespace: 'shop', uid: 'pod-2' },
        spec: { containers: [], readinessGates: [{ conditionType: gate }] },
        status: { conditions: [{ type: 'ContainersReady', status: 'True' }] },
      });
      const slice = aPodSlice(behindPods, [2]);
      const endpoints = slice.endpoints?.map((endpoint) => ({ ...endpoint, conditions: { ready: false } }));
      run.cluster.kubernetes.put(ENDPOINT_SLICES, { ...slice, endpoints });
      await run.cluster.quiet();
      const pod = run.cluster.kubernetes.get<Pod>(PODS, objectKey('pod-2', 'shop'));
      const told = pod?.status?.conditions?.find(({ type }) => type === gate)?.status;
      assert.deepEqual([ownBackends(run), told], [['eni-2'], 'True']);
      await run.process.stop();
    });
});

describe('a Service that is served by the load balancer that it names, which the existing controller has recorded,', () => {
  /** What is asked of the cloud in ten minutes by a process that finds these labels changed. */
  const asked = async (fault: object, labels: Readonly<Record<string, null>>): Promise<readonly string[]> => {
    const { cluster, process } = await running({}, SEED);
    cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n1']));
    cluster.kubernetes.put(SERVICES, aService({ annotations: annotated({ id: NAMED }) }));
    await cluster.quiet();
    await process.stop();
    cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { labels } });
    cluster.simulator.faults([fault]);
    const since = now({ cluster, process });
    const next = cluster.start();
    await cluster.quiet(10 * MINUTES);
    await next.stop();
    return cluster.journal(since).map(({ action }) => action);
  };
  const forgotten = { 'portcullis.io/digest': null };

  for (const [what, fault] of Object.entries(UNREAD))
    it(`is looked for nowhere else while that ${what}`, async () => {
      const calls = await asked(fault, { ...forgotten, 'portcullis.io/uses': null });
      assert.ok(calls.length > 0);
      assert.deepEqual(calls, await asked(fault, forgotten));
    });
});
