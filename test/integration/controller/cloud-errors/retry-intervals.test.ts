import assert from 'node:assert/strict';
import { aCluster, aSlice, ENDPOINT_SLICES, keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import { aPodSlice, interfacesOf } from '../../../support/pods.ts';
import {
  annotated,
  apply,
  events,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';
import { anotherService, during, listenerPorts, STATES } from '../../../support/service-changes.ts';
import { aNetwork } from '../../../support/simulator.ts';

const REUSING = annotated({ id: 'lb-a', 'force-override-listeners': 'true' });

/** Changes the backends thirty times, once a second. */
async function rollingUpdate(run: Running, roll: (step: number) => void): Promise<void> {
  for (let step = 2; step < 32; step += 1) {
    roll(step);
    await run.cluster.quiet(1_000);
  }
}
const countOf = (run: Running, since: number, action: string): number =>
  run.cluster.calls(since).filter((each) => each === action).length;
const servers = (run: Running): readonly string[] =>
  loadBalancers(run)
    .flatMap(({ serverGroups }) => serverGroups.flatMap(({ backends }) => backends.map(({ serverId }) => serverId)))
    .toSorted();

/** A rejected change must be retried rarely. Otherwise its calls would use up the rate limit of other Services. */
describe('a port that another Service or a user has on a shared load balancer', () => {
  it('is not looked up at a change of the backends, and is used as soon as it is free', async () => {
    const SEED = { networkInterfaces: interfacesOf(40), loadBalancers: [{ id: 'lb-a', address: '47.1.1.1' }] };
    const annotations = { 'service.beta.kubernetes.io/backend-type': 'eni', ...REUSING };
    const web = aService({ ports: [80, 443], annotations });
    const first = anotherService({ ports: [443], annotations });
    const run = await running({}, SEED);
    const roll = (from: number) =>
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(web, [from, from + 1, from + 2]));
    roll(1);
    for (const service of [first, web]) {
      run.cluster.kubernetes.put(SERVICES, service);
      await run.cluster.quiet();
    }
    assert.deepEqual(statusAndReason(run), ['False', 'PortUnavailable']);
    const since = callCount(run);
    await rollingUpdate(run, roll);
    for (const action of ['DescribeLoadBalancerAttribute', 'DescribeLoadBalancerListeners'])
      assert.equal(countOf(run, since, action), 0);
    run.cluster.kubernetes.delete(SERVICES, keyOf(first));
    roll(1);
    await run.cluster.quiet(5_000);
    const { listeners = [] } = loadBalancers(run)[0] ?? {};
    const owners = listeners.map(({ attributes }) => String(attributes['Description']).split('/')[2]);
    assert.deepEqual(
      [listenerPorts(run), owners],
      [
        [80, 443],
        ['web', 'web'],
      ],
    );
    await run.process.stop();
  });

  for (const [by, state] of Object.entries(STATES))
    it(`costs neither writes nor lookups${by} after a creation was rejected`, async () => {
      const listeners = [{ port: 443, protocol: 'tcp' }];
      const run = await running({}, { loadBalancers: [{ id: 'lb-a', name: 'a', address: '47.1.1.2', listeners }] });
      const { cluster } = run;
      const rejection = { effect: 'reject', code: 'QuotaExceeded', count: 'forever' };
      cluster.simulator.faults([{ action: 'CreateLoadBalancer', ...rejection }]);
      await apply(run, { ports: [80, 443] });
      assert.deepEqual(statusAndReason(run), ['False', 'QuotaExceeded']);
      const next = await during(run, state, () => patch(run, { metadata: { annotations: REUSING } }));
      await cluster.quiet(10 * 60_000);
      assert.deepEqual(statusAndReason(run), ['False', 'PortUnavailable']);
      const [written, since] = [cluster.kubernetes.writes.length, callCount(run)];
      await cluster.quiet(60 * 60_000);
      assert.deepEqual(cluster.kubernetes.writes.slice(written), []);
      assert.equal(countOf(run, since, 'DescribeLoadBalancers'), 0);
      await next.process.stop();
    });
});

describe('a backend that the cloud rejects', () => {
  const service = aService();
  const NODES = 9;
  const [bad] = (aNetwork(NODES).instances ?? []).slice(-1);
  const nodeNames = (nodes: readonly number[]) => nodes.map((node) => `n${node}`);
  const roll = ({ cluster }: Running, ...nodes: readonly number[]) =>
    cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, nodeNames(nodes)));

  /** Returns a cluster that serves a Service in Local mode with a pod on `n1`, and with the instance of `n9` stopped. */
  async function served(): Promise<Running> {
    const cluster = aCluster({ nodes: NODES });
    cluster.simulator.seed(aNetwork(NODES));
    if (bad !== undefined) cluster.simulator.seed({ instances: [{ ...bad, status: 'Stopped' }] });
    const run = { cluster, process: cluster.start() };
    roll(run, 1);
    cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
    await cluster.quiet();
    return run;
  }

  it('is retried and reported independently, and delays no other backend', async () => {
    const run = await served();
    const since = callCount(run);
    await rollingUpdate(run, (step) => roll(run, 9, 1 + (step % 8), 1 + ((step + 1) % 8)));
    await run.cluster.quiet(3_000);
    assert.deepEqual(
      [servers(run), statusAndReason(run)],
      [
        ['i-1', 'i-8'],
        ['False', 'InvalidBackend'],
      ],
    );
    const added = countOf(run, since, 'AddVServerGroupBackendServers');
    assert.ok(added <= 26, `${added} calls`);
    const { length } = events(run, 'SyncLoadBalancerFailed');
    assert.ok(length <= 5, `${length} events`);
    if (bad !== undefined) run.cluster.simulator.seed({ instances: [bad] });
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual([servers(run), statusAndReason(run)[0]], [['i-1', 'i-8', 'i-9'], 'True']);
    await run.process.stop();
  });

  it('does not replace the last backend, even between its retries', async () => {
    const run = await served();
    roll(run, 1, 9);
    await run.cluster.quiet(1_000);
    roll(run, 9);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(servers(run), ['i-1']);
    await run.process.stop();
  });
});
