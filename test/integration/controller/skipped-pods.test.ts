import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, keyOf, SERVICES } from '../../support/cluster.ts';
import { aPodSlice, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
  events,
  loadBalancers,
  messageOf,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SERVICE = aService({ annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } });
/** Annotations that cannot be read, and what the condition says then: without a weight it is unknown which backends the Service wants. */
const UNREADABLE = [
  ['scheduler', /outside the cluster's VPC.*192\.168\.77\.1; .*nonsense/],
  ['weight', /nonsense/],
] as const;
const OUTSIDE =
  "There are no backends in k8s/80/web/shop/c1: addresses outside the cluster's VPC are skipped, 192.168.77.1";

type Pods = Parameters<typeof aPodSlice>[1];

const registered = (run: Running) => loadBalancers(run)[0]?.serverGroups[0]?.backends.map(({ serverId }) => serverId);
const roll = (run: Running, pods: Pods): Promise<void> => {
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(SERVICE, pods));
  return run.cluster.quiet(10 * 60_000);
};

/** Starts a Service with these pods. Only the first pod has a network interface. */
async function served(pods: Pods): Promise<Running> {
  const run = await running({}, { networkInterfaces: interfacesOf(1) });
  run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(SERVICE, pods));
  run.cluster.kubernetes.put(SERVICES, SERVICE);
  await run.cluster.quiet();
  return run;
}

describe('ENI backends that are skipped because of their address', () => {
  it('are reported with the reason when the last backend is removed, until another is added', async () => {
    const run = await served([1]);
    await roll(run, ['abroad']);
    assert.deepEqual(registered(run), []);
    assert.deepEqual(standing(run), ['False', 'InvalidBackend']);
    assert.match(messageOf(run), /outside the cluster's VPC.*192\.168\.77\.1$/);
    assert.deepEqual(events(run, 'UnAvailableLoadBalancer'), [OUTSIDE]);
    assert.deepEqual(events(run, 'SkipSyncBackends'), [messageOf(run)]);
    await roll(run, [1]);
    assert.deepEqual([registered(run), standing(run)], [['eni-1'], ['True', 'EnsuredLoadBalancer']]);
    await run.process.stop();
  });

  it('are reported with the reason for a new Service, and cause no call after a restart', async () => {
    const run = await served(['abroad']);
    assert.deepEqual(events(run, 'UnAvailableLoadBalancer'), [OUTSIDE]);
    const said = [standing(run), messageOf(run)];
    await run.process.stop();
    const since = now(run);
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([run.cluster.calls(since), [standing(run), messageOf(run)]], [[], said]);
    await process.stop();
  });

  for (const [suffix, said] of UNREADABLE)
    for (const restarts of [false, true])
      it(`are named again once ${suffix} is readable${restarts ? ', after a restart' : ''}`, async () => {
        const run = await served(['abroad']);
        const before = [standing(run), messageOf(run)];
        await patch(run, { metadata: { annotations: annotated({ [suffix]: 'nonsense' }) } });
        assert.deepEqual(standing(run), ['False', 'InvalidObject']);
        assert.match(messageOf(run), said);
        if (restarts) await run.process.stop();
        const process = restarts ? run.cluster.start() : run.process;
        await run.cluster.quiet();
        assert.deepEqual(standing(run), ['False', 'InvalidObject']);
        await patch(run, { metadata: { annotations: annotated({ [suffix]: null }) } });
        assert.deepEqual([standing(run), messageOf(run)], before);
        await process.stop();
      });

  it('are named again if the violation went while no controller ran', async () => {
    const run = await served(['abroad']);
    const said = [standing(run), messageOf(run)];
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'nonsense' }) } });
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, keyOf(SERVICE), {
      metadata: { annotations: annotated({ scheduler: null }) },
    });
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([standing(run), messageOf(run)], said);
    await process.stop();
  });

  it('leave a Service ready if its port has another backend', async () => {
    const run = await served([1, 'abroad']);
    assert.deepEqual([registered(run), standing(run)[0]], [['eni-1'], 'True']);
    assert.deepEqual(events(run, 'UnAvailableLoadBalancer'), []);
    await run.process.stop();
  });

  it('leave the existing backends if no interface has the address', async () => {
    const run = await served([1]);
    await roll(run, [9]);
    assert.deepEqual([registered(run), standing(run)], [['eni-1'], ['False', 'InvalidBackend']]);
    assert.deepEqual(events(run, 'UnAvailableLoadBalancer'), []);
    await run.process.stop();
  });
});
