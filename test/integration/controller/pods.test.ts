import assert from 'node:assert/strict';
import type { Service } from '../../../src/objects.ts';
import { aCluster, ENDPOINT_SLICES, keyOf, NODES, SERVICES } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import { aPodSlice, interfacesOf, addressOf } from '../../support/pods.ts';
import { changes, events, loadBalancers, now, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const ENI = { 'service.beta.kubernetes.io/backend-type': 'eni' };
const withSelector = (service: Service, spec: object = {}): Service => ({
  ...service,
  spec: { ...service.spec, selector: { app: 'web' }, ...spec },
});
const service = (ports = [80, 443], annotations: Record<string, string> = ENI): Service =>
  withSelector(aService({ ports, annotations }));

/** A Service with these pods behind it, carried out. */
async function served(pods: readonly number[], said: Service = service(), known = 120): Promise<Running> {
  const cluster = aCluster();
  cluster.simulator.seed({ networkInterfaces: interfacesOf(known) });
  const process = cluster.start();
  cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(said, pods));
  cluster.kubernetes.put(SERVICES, said);
  await cluster.quiet();
  return { cluster, process };
}

const roll = async ({ cluster }: Running, pods: readonly number[], said = service(), ms = 60_000): Promise<void> => {
  cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(said, pods));
  await cluster.quiet(ms);
};
const addresses = (run: Running, group = 0): readonly (string | undefined)[] =>
  (loadBalancers(run)[0]?.serverGroups[group]?.backends ?? []).map(({ serverIp }) => serverIp).sort();
const at = (...pods: readonly number[]): readonly string[] => pods.map(addressOf).sort();
const asked = ({ cluster }: Running, since = 0): readonly string[] => cluster.calls(since);

describe('pods as backends', () => {
  it('B01: cost the calls that Nodes cost, and one lookup for up to a hundred of them', async () => {
    const run = await served([1, 2, 3]);
    assert.equal(asked(run).length, 9);
    assert.deepEqual(
      asked(run).filter((action) => action.startsWith('Describe')),
      ['DescribeNetworkInterfaces', 'DescribeLoadBalancers'],
    );
    assert.deepEqual(addresses(run), at(1, 2, 3));
    await run.process.stop();
  });

  it('are looked up a hundred at a time', async () => {
    const many = Array.from({ length: 101 }, (_, index) => index + 1);
    const run = await served(many, service([80]));
    assert.equal(asked(run).filter((action) => action === 'DescribeNetworkInterfaces').length, 2);
    assert.equal(addresses(run).length, 101);
    await run.process.stop();
  });

  it('B02: cost no call when nothing has changed, also after a restart', async () => {
    const run = await served([1, 2]);
    const [since, writes] = [now(run), run.cluster.kubernetes.writes.length];
    await run.process.stop();
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual(asked(run, since), []);
    assert.equal(run.cluster.kubernetes.writes.length, writes);
    await next.stop();
  });

  it('B06: one more costs a lookup, and a call for each port', async () => {
    const run = await served([1, 2]);
    const since = now(run);
    await roll(run, [1, 2, 3]);
    assert.deepEqual(asked(run, since), [
      'DescribeNetworkInterfaces',
      'AddVServerGroupBackendServers',
      'AddVServerGroupBackendServers',
    ]);
    await run.process.stop();
  });

  it('B07: one for another costs a lookup and two calls for each port, and the new one comes first', async () => {
    const run = await served([1, 2], service());
    const since = now(run);
    await roll(run, [1, 3]);
    assert.deepEqual(asked(run, since), [
      'DescribeNetworkInterfaces',
      'AddVServerGroupBackendServers',
      'RemoveVServerGroupBackendServers',
      'AddVServerGroupBackendServers',
      'RemoveVServerGroupBackendServers',
    ]);
    await run.process.stop();
  });

  it('B14: cost nothing when a Node flaps', async () => {
    const run = await served([1, 2]);
    const since = now(run);
    run.cluster.kubernetes.put(NODES, aNode('n1', { spec: { providerID: 'cn-hangzhou.i-1' }, ready: 'False' }));
    await run.cluster.quiet();
    assert.deepEqual(asked(run, since), []);
    await run.process.stop();
  });

  it('are reached by the cluster’s default, without an annotation', async () => {
    const said = service([80], {});
    const cluster = aCluster();
    cluster.simulator.seed({ networkInterfaces: interfacesOf(2) });
    const process = cluster.start({ settings: { backendType: 'eni' } });
    cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(said, [1, 2]));
    cluster.kubernetes.put(SERVICES, said);
    await cluster.quiet();
    assert.deepEqual(addresses({ cluster, process }), at(1, 2));
    await process.stop();
  });

  it('are registered with the number that each EndpointSlice has for a named target port', async () => {
    const bare = service([]);
    const said = withSelector(bare, { ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'web' }] });
    const cluster = aCluster();
    cluster.simulator.seed({ networkInterfaces: interfacesOf(3) });
    const process = cluster.start();
    // Two versions of a Deployment: the container port named "web" is 8080 in one and 9090 in the other.
    const sliceOf = (name: string, port: number, pods: readonly number[]): void => {
      const slice = aPodSlice(said, pods);
      const ports = [{ name: 'http', port, protocol: 'TCP' }];
      cluster.kubernetes.put(ENDPOINT_SLICES, { ...slice, metadata: { ...slice.metadata, name }, ports });
    };
    const registered = () =>
      loadBalancers({ cluster, process })[0]?.serverGroups.map(({ name, backends }) => [
        name.split('/')[1],
        ...backends.map(({ serverIp, port }) => `${serverIp}:${port}`).sort(),
      ]);
    sliceOf('web-1', 8080, [1, 2]);
    sliceOf('web-2', 9090, [3]);
    cluster.kubernetes.put(SERVICES, said);
    await cluster.quiet();
    assert.deepEqual(registered(), [['web', '10.1.1.1:8080', '10.1.1.2:8080', '10.1.1.3:9090']]);
    assert.deepEqual(standing({ cluster, process }), ['True', 'EnsuredLoadBalancer']);
    sliceOf('web-1', 8080, []);
    sliceOf('web-2', 9090, [1, 2, 3]);
    await cluster.quiet();
    assert.deepEqual(registered(), [['web', '10.1.1.1:9090', '10.1.1.2:9090', '10.1.1.3:9090']]);
    await process.stop();
  });

  it('are looked up anew when their address has become another pod’s', async () => {
    const run = await served([1, 2], service([80]));
    const [first] = interfacesOf(1);
    run.cluster.simulator.seed({ networkInterfaces: [{ ...first, id: 'eni-other' }], remove: ['eni-1'] });
    const since = now(run);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service([80]), [1, 2], { 1: 'born-again' }));
    await run.cluster.quiet();
    const servers = loadBalancers(run)[0]?.serverGroups[0]?.backends.map(({ serverId }) => serverId);
    assert.deepEqual(servers?.toSorted(), ['eni-2', 'eni-other']);
    assert.equal(asked(run, since)[0], 'DescribeNetworkInterfaces');
    await run.process.stop();
  });

  it('are left out while no interface has their address, and the others are not held up', async () => {
    const run = await served([1, 2, 3], service([80]), 2);
    assert.deepEqual(addresses(run), at(1, 2));
    assert.match(events(run, 'SkipSyncBackends')[0] ?? '', /no network interface in use has.*: 10\.1\.1\.3$/);
    const since = now(run);
    await roll(run, [2, 3], service([80]), 1_000);
    assert.deepEqual(addresses(run), at(2), 'a dead one is removed all the same');
    run.cluster.simulator.seed({ networkInterfaces: interfacesOf(3) });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(addresses(run), at(2, 3));
    assert.equal(run.cluster.binding()?.spec.operation, undefined);
    assert.ok(asked(run, since).filter((action) => action === 'DescribeNetworkInterfaces').length < 10);
    await run.process.stop();
  });

  it('make the Service wait to be ready while they are left out, which the condition says with their addresses', async () => {
    const run = await served([1, 2, 3], service([80]), 2);
    assert.deepEqual(standing(run), ['False', 'InvalidBackend']);
    assert.match(run.cluster.service()?.status?.conditions?.[0]?.message ?? '', /are left out.*: 10\.1\.1\.3$/);
    run.cluster.simulator.seed({ networkInterfaces: interfacesOf(3) });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('stay when nothing is known of those to come', async () => {
    const run = await served([1, 2], service([80]), 2);
    await roll(run, [8, 9], service([80]));
    assert.deepEqual(addresses(run), at(1, 2));
    await run.process.stop();
  });

  it('of another network are left out for good, with a word', async () => {
    const run = await served([1], service([80]));
    const since = now(run);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service([80]), [1, 'abroad']));
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(addresses(run), at(1));
    assert.match(events(run, 'SkipSyncBackends')[0] ?? '', /outside the cluster's VPC.*192\.168\.77\.1/);
    assert.deepEqual(asked(run, since), ['DescribeNetworkInterfaces', 'DescribeVpcAttribute']);
    await run.process.stop();
  });

  const failures = {
    'was cut': { effect: 'cut-before-commit' },
    'got no answer': { effect: 'timeout-before-commit' },
    'was answered with a page of HTML': { effect: 'malformed-body' },
    'was answered with half of it': { effect: 'cut-reply' },
    'was over the rate': { effect: 'throttle' },
    'was not allowed': { effect: 'refuse', code: 'Forbidden.RAM', status: 403 },
  };
  for (const [what, fault] of Object.entries(failures)) {
    it(`are not removed on a lookup that ${what}, and follow once it works`, async () => {
      const run = await served([1, 2], service([80]));
      run.cluster.simulator.faults([{ action: 'DescribeNetworkInterfaces', nth: 1, count: 3, ...fault }]);
      await roll(run, [1, 3], service([80]), 1_000);
      assert.deepEqual(addresses(run), at(1, 2));
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(addresses(run), at(1, 3));
      await run.process.stop();
    });
  }

  it('cannot be looked up without permission, and people are told which', async () => {
    const run = await served([1], service([80]));
    run.cluster.simulator.faults([
      { action: 'DescribeNetworkInterfaces', count: 'forever', effect: 'refuse', code: 'Forbidden.RAM', status: 403 },
    ]);
    await roll(run, [2], service([80]));
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /permission ecs:DescribeNetworkInterfaces is missing/);
    await run.process.stop();
  });

  it('that the cloud refuses hold up none of the others in their call', async () => {
    const run = await served([1], service([80]));
    run.cluster.simulator.seed({ remove: ['eni-7'] });
    // The lookup still shows the interface that has gone.
    run.cluster.simulator.faults([{ action: 'DescribeNetworkInterfaces', nth: 1, effect: 'stale-list' }]);
    const twenty = Array.from({ length: 20 }, (_, index) => index + 1);
    await roll(run, twenty, service([80]), 1_000);
    assert.deepEqual(addresses(run), at(...twenty.filter((pod) => pod !== 7)));
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /eni-7/);
    run.cluster.simulator.seed({ networkInterfaces: interfacesOf(20) });
    await run.cluster.quiet(10 * 60_000);
    assert.equal(addresses(run).length, 20);
    await run.process.stop();
  });

  it('make way for Nodes again when the Service says so', async () => {
    const run = await served([1, 2], service([80]));
    run.cluster.kubernetes.patch(SERVICES, keyOf(service()), {
      metadata: { annotations: { 'service.beta.kubernetes.io/backend-type': 'ecs' } },
    });
    const since = now(run);
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), [
      'CreateVServerGroup',
      'SetLoadBalancerTCPListenerAttribute',
      'DeleteVServerGroup',
    ]);
    await run.process.stop();
  });
});
