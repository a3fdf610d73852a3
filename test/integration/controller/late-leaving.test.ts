import assert from 'node:assert/strict';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { SERVICES, keyOf } from '../../support/cluster.ts';
import { annotated, apply, loadBalancers, running, type Running } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
/** A minute: as late as the cloud may carry out what it has not answered. */
const late = (action: string) => ({ action, effect: 'late-commit', ms: 60_000, count: 1 });
const SEED = {
  loadBalancers: [
    {
      id: 'lb-a',
      address: '47.1.1.1',
      listeners: [{ port: 22, protocol: 'tcp' as const }],
      serverGroups: [{ id: 'rsp-hers', name: 'hers', backends: [] }],
    },
  ],
};
const REUSING = { id: 'lb-a', 'force-override-listeners': 'true' };
const api = aService({
  name: 'api',
  uid: '6e4dbfc9-c2ae-4642-b033-5607860aef6b',
  ports: [80],
  annotations: annotated(REUSING),
});
const portsOf = (run: Running): readonly number[] =>
  (loadBalancers(run)[0]?.listeners ?? []).map(({ port }) => port).sort();

/** What a Service asks for, and the call of its first turn that takes effect late. */
const begun: Readonly<Record<string, readonly [action: string, annotations: Readonly<Record<string, string>>]>> = {
  'a group': ['CreateVServerGroup', REUSING],
  'a listener': ['CreateLoadBalancerTCPListener', { ...REUSING, 'vgroup-port': 'rsp-hers:80' }],
  'backends in a group of people': ['AddVServerGroupBackendServers', { id: 'lb-a', 'vgroup-port': 'rsp-hers:80' }],
  'the mark of reuse': ['TagResources', REUSING],
};

describe('a Service that goes while a call for it may yet take effect', () => {
  for (const [what, [action, said]] of Object.entries(begun))
    for (const isKilled of [false, true])
      it(`leaves nothing behind: ${what}${isKilled ? ', of a process that was killed' : ''}`, async () => {
        const { cluster, process } = await running({}, SEED);
        const before = cloudPicture(cluster.simulator);
        cluster.simulator.faults([late(action)]);
        cluster.kubernetes.put(SERVICES, aService({ annotations: annotated(said) }));
        await cluster.quiet(2_000);
        if (isKilled) process.kill();
        cluster.kubernetes.delete(SERVICES, KEY);
        const last = isKilled ? cluster.start() : process;
        await cluster.quiet(30_000);
        assert.notEqual(cluster.service(), undefined, 'let go while the call was under way');
        await cluster.quiet(5 * 60_000);
        assert.deepEqual([cloudPicture(cluster.simulator), cluster.service()], [before, undefined]);
        await last.stop();
      });

  it('lets who waits for its port have it only then', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: annotated(REUSING) });
    run.cluster.kubernetes.put(SERVICES, api);
    await run.cluster.quiet();
    run.cluster.simulator.faults([late('DeleteLoadBalancerListener')]);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet(40_000);
    assert.deepEqual(portsOf(run), [22]);
    await run.cluster.quiet(3 * 60_000);
    assert.deepEqual([portsOf(run), run.cluster.service()], [[22, 80], undefined]);
    await run.process.stop();
  });

  it('takes no listener for longer than two minutes that another has made there meanwhile', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: annotated(REUSING) });
    run.cluster.kubernetes.put(SERVICES, api);
    await run.cluster.quiet();
    run.cluster.simulator.faults([late('DeleteLoadBalancerListener')]);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet(20_000);
    run.cluster.kubernetes.patch(SERVICES, keyOf(api), {
      metadata: { annotations: annotated({ 'persistence-timeout': '0' }) },
    });
    await run.cluster.quiet(20_000);
    assert.deepEqual(portsOf(run), [22, 80]);
    await run.cluster.quiet(100_000);
    assert.deepEqual(portsOf(run), [22, 80]);
    await run.process.stop();
  });

  it('is let go at once after its process was killed, where it is told that all has been answered', async () => {
    const { cluster, process } = await running({}, SEED);
    cluster.kubernetes.put(SERVICES, api);
    await cluster.quiet();
    // Port 80 is the other's: it waits.
    cluster.kubernetes.put(SERVICES, aService({ ports: [80, 81], annotations: annotated(REUSING) }));
    await cluster.quiet();
    process.kill();
    const last = cluster.start();
    await cluster.quiet(2_000);
    cluster.kubernetes.delete(SERVICES, KEY);
    await cluster.quiet(5_000);
    assert.equal(cluster.service(), undefined);
    await last.stop();
  });

  it('is let go at once with its own load balancer, in which nothing can happen any more', async () => {
    const { cluster, process } = await running();
    cluster.simulator.faults([{ action: 'CreateVServerGroup', effect: 'timeout-before-commit', count: 1 }]);
    cluster.kubernetes.put(SERVICES, aService());
    await cluster.quiet(2_500);
    process.kill();
    const second = cluster.start();
    await cluster.quiet(10_000);
    assert.notEqual(cluster.service()?.status?.loadBalancer?.ingress, undefined, 'not finished');
    await second.stop();
    const third = cluster.start();
    await cluster.quiet(2_000);
    cluster.kubernetes.delete(SERVICES, KEY);
    await cluster.quiet(5_000);
    assert.equal(cluster.service(), undefined);
    await third.stop();
  });

  it('is let go at once where all has been answered', async () => {
    const run = await running({}, SEED);
    await apply(run, { annotations: annotated(REUSING) });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet(5_000);
    assert.equal(run.cluster.service(), undefined);
    await run.process.stop();
  });
});

describe('a Service that stays and gives a port up while the call for it may yet take effect', () => {
  it('has who has taken that port look after it again', async () => {
    const run = await running({}, SEED);
    await apply(run, { ports: [80, 81], annotations: annotated(REUSING) });
    run.cluster.kubernetes.put(SERVICES, api);
    await run.cluster.quiet();
    run.cluster.simulator.faults([late('DeleteLoadBalancerListener')]);
    run.cluster.kubernetes.put(SERVICES, aService({ ports: [81], annotations: annotated(REUSING) }));
    await run.cluster.quiet(3 * 60_000);
    assert.deepEqual(portsOf(run), [22, 80, 81]);
    await run.process.stop();
  });
});
