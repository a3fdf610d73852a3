import assert from 'node:assert/strict';
import { cloudPicture } from '../../../support/cloud-picture.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import { annotated, running, type Running } from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';
import { anotherService, CRASHES, during, listenerPorts, remove } from '../../../support/service-changes.ts';

/** Returns a fault that applies an unanswered call after a minute, the maximum delay in the cloud. */
const late = (action: string) => ({ action, effect: 'late-commit', ms: 60_000, count: 1 });
const SEED = {
  loadBalancers: [
    {
      id: 'lb-a',
      address: '47.1.1.1',
      listeners: [{ port: 22, protocol: 'tcp' as const }],
      serverGroups: [{ id: 'rsp-users', name: 'users', backends: [] }],
    },
  ],
};
const REUSING = { id: 'lb-a', 'force-override-listeners': 'true' };
const IN_GROUP = { 'vgroup-port': 'rsp-users:80' };
const web = (ports = [80]) => aService({ ports, annotations: annotated(REUSING) });
const api = anotherService({ annotations: annotated(REUSING) });

const store = async ({ cluster }: Running, service: typeof api, ms = 60_000): Promise<void> => {
  cluster.kubernetes.put(SERVICES, service);
  await cluster.quiet(ms);
};

/** A call without a response can create resources after the cleanup, so the finalizer must stay until the call can no longer take effect. */
describe('a Service that is deleted while a call may still take effect', () => {
  /** The late call of the first sync, and the annotations. */
  const CREATED: Readonly<Record<string, readonly [action: string, annotations: Readonly<Record<string, string>>]>> = {
    'creates a server group': ['CreateVServerGroup', REUSING],
    'creates a listener': ['CreateLoadBalancerTCPListener', { ...REUSING, ...IN_GROUP }],
    'adds backends to a user-managed group': ['AddVServerGroupBackendServers', { id: 'lb-a', ...IN_GROUP }],
    'adds the tag of reuse': ['TagResources', REUSING],
  };
  for (const [what, [action, annotations]] of Object.entries(CREATED))
    for (const [by, state] of Object.entries(CRASHES))
      it(`keeps its finalizer until the late call that ${what} ends${by}`, async () => {
        const run = await running({}, SEED);
        const before = cloudPicture(run.cluster.simulator);
        run.cluster.simulator.faults([late(action)]);
        await store(run, aService({ annotations: annotated(annotations) }), 2_000);
        const next = await during(run, state, () => remove(run, 0));
        await run.cluster.quiet(30_000);
        assert.notEqual(run.cluster.service(), undefined, 'released while the call may take effect');
        await run.cluster.quiet(5 * 60_000);
        assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
        await next.process.stop();
      });
});

describe('a Service without a pending operation', () => {
  /** Clusters in which the Service is synced as far as possible. */
  const SYNCED: Readonly<Record<string, () => Promise<Running>>> = {
    'it was synced': async () => {
      const run = await running({}, SEED);
      await store(run, web());
      return run;
    },
    'another Service has one of its ports, and the controller has crashed': async () => {
      const run = await running({}, SEED);
      await store(run, api);
      await store(run, web([80, 81]));
      const next = await during(run, 'killed', () => undefined);
      await run.cluster.quiet(2_000);
      return next;
    },
    'a lost call on its owned load balancer was repeated after a crash': async () => {
      const run = await running();
      run.cluster.simulator.faults([{ action: 'CreateVServerGroup', effect: 'timeout-before-commit', count: 1 }]);
      await store(run, aService(), 2_500);
      const second = await during(run, 'killed', () => undefined);
      await run.cluster.quiet(10_000);
      assert.notEqual(run.cluster.service()?.status?.loadBalancer?.ingress, undefined, 'not synced');
      const third = await during(second, 'stopped', () => undefined);
      await run.cluster.quiet(2_000);
      return third;
    },
  };
  for (const [what, sync] of Object.entries(SYNCED))
    it(`is cleaned up within 5 s if ${what}`, async () => {
      const run = await sync();
      await remove(run, 5_000);
      assert.equal(run.cluster.service(), undefined);
      await run.process.stop();
    });
});

describe('a port whose listener is deleted late', () => {
  /** Each row releases port 80 of Service `web`, and checks after a wait whether Service `api` has the port. */
  const ROWS: Readonly<Record<string, (run: Running) => Promise<void>>> = {
    'serves the next Service only after the deletion took effect': async (run) => {
      await remove(run, 40_000);
      assert.deepEqual(listenerPorts(run), [22]);
      await run.cluster.quiet(3 * 60_000);
      assert.deepEqual([listenerPorts(run), run.cluster.service()], [[22, 80], undefined]);
    },
    'gets the listener of the next Service back after the late deletion removed it': async (run) => {
      await remove(run, 20_000);
      run.cluster.kubernetes.patch(SERVICES, keyOf(api), {
        metadata: { annotations: annotated({ 'persistence-timeout': '0' }) },
      });
      await run.cluster.quiet(20_000);
      assert.deepEqual(listenerPorts(run), [22, 80]);
      await run.cluster.quiet(100_000);
      assert.deepEqual(listenerPorts(run), [22, 80]);
    },
    'serves the next Service if the first one still has other ports': async (run) => {
      await store(run, web([81]), 3 * 60_000);
      assert.deepEqual(listenerPorts(run), [22, 80, 81]);
    },
  };
  for (const [title, act] of Object.entries(ROWS))
    it(title, async () => {
      const run = await running({}, SEED);
      await store(run, web());
      await store(run, api);
      run.cluster.simulator.faults([late('DeleteLoadBalancerListener')]);
      await act(run);
      await run.process.stop();
    });
});
