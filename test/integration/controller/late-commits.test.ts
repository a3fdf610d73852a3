import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, NODES, SERVICES, aSlice, keyOf, objectKey } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import { apply, loadBalancers, running, standing, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

/** A minute: as late as the cloud may carry out what it has not answered. */
const late = (action: string) => ({ action, effect: 'late-commit', ms: 60_000, count: 1 });
const backends = (run: Running): readonly string[] =>
  (loadBalancers(run)[0]?.serverGroups ?? []).flatMap((group) => group.backends.map(({ serverId }) => serverId)).sort();
const node = (name: string) => aNode(name, { spec: { providerID: `cn-hangzhou.i-${name.slice(1)}` } });

describe('a call that takes effect long after nobody has heard of it', () => {
  it('takes no backend away for longer than two minutes that is wanted again since', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([late('RemoveVServerGroupBackendServers')]);
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet(40_000);
    run.cluster.kubernetes.put(NODES, node('n3'));
    await run.cluster.quiet(2 * 60_000);
    assert.deepEqual([backends(run), standing(run)[0]], [['i-1', 'i-2', 'i-3'], 'True']);
    await run.process.stop();
  });

  it('leaves no group empty for longer than that', async () => {
    const run = await running();
    const service = aService();
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1', 'n2']));
    run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
    await run.cluster.quiet();
    run.cluster.simulator.faults([late('RemoveVServerGroupBackendServers')]);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1']));
    await run.cluster.quiet(35_000);
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n2']));
    await run.cluster.quiet(2 * 60_000);
    assert.deepEqual(backends(run), ['i-2']);
    await run.process.stop();
  });

  it('puts no backend up for longer than that whose Node has gone since', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([late('AddVServerGroupBackendServers')]);
    run.cluster.simulator.seed({ instances: [{ id: 'i-4', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.14'] }] });
    run.cluster.kubernetes.put(NODES, node('n4'));
    await run.cluster.quiet(40_000);
    run.cluster.kubernetes.delete(NODES, objectKey('n4'));
    await run.cluster.quiet(2 * 60_000);
    assert.deepEqual(backends(run), ['i-1', 'i-2', 'i-3']);
    await run.process.stop();
  });

  it('takes no listener away for longer than that which the next process finds still there and wants', async () => {
    const run = await running();
    await apply(run, { ports: [80, 443] });
    const ports = run.cluster.service()?.spec?.ports ?? [];
    run.cluster.simulator.faults([late('DeleteLoadBalancerListener')]);
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { spec: { ports: ports.slice(0, 1) } });
    await run.cluster.quiet(1_000);
    run.process.kill();
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { spec: { ports } });
    const next = { cluster: run.cluster, process: run.cluster.start() };
    await run.cluster.quiet(30_000);
    assert.equal(loadBalancers(next)[0]?.listeners.length, 2);
    await run.cluster.quiet(2 * 60_000);
    assert.deepEqual([loadBalancers(next)[0]?.listeners.length, standing(next)[0]], [2, 'True']);
    await next.process.stop();
  });

  it('is waited for by the next process too, where the one before has put all right already', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([late('RemoveVServerGroupBackendServers')]);
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet(5_000);
    run.cluster.kubernetes.put(NODES, node('n3'));
    await run.cluster.quiet(35_000);
    assert.equal(standing(run)[0], 'True');
    await run.process.stop();
    const next = { cluster: run.cluster, process: run.cluster.start() };
    await run.cluster.quiet(3 * 60_000);
    assert.deepEqual(backends(next), ['i-1', 'i-2', 'i-3']);
    assert.equal(run.cluster.binding()?.spec.operation, undefined);
    await next.process.stop();
  });

  it('is waited for by a process that makes something else meanwhile', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([late('RemoveVServerGroupBackendServers')]);
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet(2_000);
    run.process.kill();
    run.cluster.kubernetes.put(NODES, node('n3'));
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { spec: aService({ ports: [80, 443] }).spec as object });
    run.cluster.simulator.faults([{ action: 'CreateVServerGroup', effect: 'slow', ms: 100, count: 1 }]);
    const next = { cluster: run.cluster, process: run.cluster.start() };
    await run.cluster.quiet(4 * 60_000);
    assert.deepEqual(backends(next), ['i-1', 'i-1', 'i-2', 'i-2', 'i-3', 'i-3']);
    await next.process.stop();
  });

  it('leaves no listener of a port that nobody wants any more', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([late('CreateLoadBalancerTCPListener')]);
    for (const second of [443, 8443]) {
      const ports = [80, second].map((port) => ({ name: `p${String(port)}`, port, protocol: 'TCP', targetPort: port }));
      const spec = { ports: ports.map((port, at) => ({ ...port, nodePort: 30_080 + at })) };
      run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { spec });
      await run.cluster.quiet(2_000);
    }
    await run.cluster.quiet(3 * 60_000);
    const ports = loadBalancers(run)[0]?.listeners.map(({ port }) => port);
    assert.deepEqual([ports, standing(run)[0]], [[80, 8443], 'True']);
    await run.process.stop();
  });
});
