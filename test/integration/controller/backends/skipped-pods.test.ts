import assert from 'node:assert/strict';
import { BACKEND_TYPE, putPods, serversOf } from '../../../support/backends.ts';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import { interfacesOf } from '../../../support/pods.ts';
import {
  annotated,
  events,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const SERVICE = aService({ annotations: { [BACKEND_TYPE]: 'eni' } });
/** Invalid annotations, and the message of the condition. With an invalid weight, the wanted backends are unknown, and the message names none. */
const UNREADABLE = [
  ['scheduler', /outside the VPC of the cluster.*192\.168\.77\.1; .*nonsense/],
  ['weight', /nonsense/],
] as const;
const OUTSIDE =
  'There are no backends in k8s/80/web/shop/c1: skipped addresses outside the VPC of the cluster: 192.168.77.1';

type Pods = Parameters<typeof putPods>[1];

const registered = (run: Running) => serversOf(run).toSorted();
const roll = (run: Running, pods: Pods, ms = 10 * 60_000): Promise<void> => {
  putPods(run, pods, SERVICE);
  return run.cluster.quiet(ms);
};

/** Syncs a Service with these pods, of which only the first ones have a network interface. */
async function served(pods: Pods, interfaces = 1): Promise<Running> {
  const run = await running({}, { networkInterfaces: interfacesOf(interfaces) });
  putPods(run, pods, SERVICE);
  run.cluster.kubernetes.put(SERVICES, SERVICE);
  await run.cluster.quiet();
  return run;
}

/** A pod without a usable network interface must not block other backends, and users must learn from the condition why it is missing. */
describe('ENI backends that are skipped because of their address', () => {
  it('are reported with the reason when the last backend is removed, until another is added', async () => {
    const run = await served([1]);
    await roll(run, ['outside']);
    assert.deepEqual(registered(run), []);
    assert.deepEqual(statusAndReason(run), ['False', 'InvalidBackend']);
    assert.match(messageOf(run), /outside the VPC of the cluster.*192\.168\.77\.1$/);
    assert.deepEqual(events(run, 'UnAvailableLoadBalancer'), [OUTSIDE]);
    assert.deepEqual(events(run, 'SkipSyncBackends'), [messageOf(run)]);
    await roll(run, [1]);
    assert.deepEqual([registered(run), statusAndReason(run)], [['eni-1'], ['True', 'EnsuredLoadBalancer']]);
    await run.process.stop();
  });

  it('are reported with the reason for a new Service, and cause no call after a restart', async () => {
    const run = await served(['outside']);
    assert.deepEqual(events(run, 'UnAvailableLoadBalancer'), [OUTSIDE]);
    const shown = [statusAndReason(run), messageOf(run)];
    await run.process.stop();
    const since = callCount(run);
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([run.cluster.calls(since), [statusAndReason(run), messageOf(run)]], [[], shown]);
    await process.stop();
  });

  for (const [suffix, shown] of UNREADABLE)
    for (const restarts of [false, true])
      it(`are named as before when the invalid annotation ${suffix} is removed${restarts ? ', after a restart' : ''}`, async () => {
        const run = await served(['outside']);
        const before = [statusAndReason(run), messageOf(run)];
        await patch(run, { metadata: { annotations: annotated({ [suffix]: 'nonsense' }) } });
        assert.deepEqual(statusAndReason(run), ['False', 'Invalid']);
        assert.match(messageOf(run), shown);
        if (restarts) await run.process.stop();
        const process = restarts ? run.cluster.start() : run.process;
        await run.cluster.quiet();
        assert.deepEqual(statusAndReason(run), ['False', 'Invalid']);
        await patch(run, { metadata: { annotations: annotated({ [suffix]: null }) } });
        assert.deepEqual([statusAndReason(run), messageOf(run)], before);
        await process.stop();
      });

  it('are named as before if an invalid annotation is removed while no controller runs', async () => {
    const run = await served(['outside']);
    const shown = [statusAndReason(run), messageOf(run)];
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'nonsense' }) } });
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, keyOf(SERVICE), {
      metadata: { annotations: annotated({ scheduler: null }) },
    });
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([statusAndReason(run), messageOf(run)], shown);
    await process.stop();
  });

  it('leave a Service ready if its port has another backend, and are reported', async () => {
    const run = await served([1]);
    const since = callCount(run);
    await roll(run, [1, 'outside']);
    assert.deepEqual([registered(run), statusAndReason(run)[0]], [['eni-1'], 'True']);
    assert.deepEqual(events(run, 'UnAvailableLoadBalancer'), []);
    assert.match(events(run, 'SkipSyncBackends')[0] ?? '', /outside the VPC of the cluster.*192\.168\.77\.1/);
    assert.deepEqual(run.cluster.calls(since), ['DescribeNetworkInterfaces', 'DescribeVpcAttribute']);
    await run.process.stop();
  });
});

describe('ENI backends that are skipped because no interface has their address', () => {
  it('do not replace the existing backends if no new pod can be registered', async () => {
    const run = await served([1]);
    await roll(run, [9]);
    assert.deepEqual([registered(run), statusAndReason(run)], [['eni-1'], ['False', 'InvalidBackend']]);
    assert.deepEqual(events(run, 'UnAvailableLoadBalancer'), []);
    await run.process.stop();
  });

  it('block no other backend, are named in the condition, and are registered later', async () => {
    const run = await served([1, 2, 3], 2);
    assert.deepEqual(
      [registered(run), statusAndReason(run)],
      [
        ['eni-1', 'eni-2'],
        ['False', 'InvalidBackend'],
      ],
    );
    assert.match(
      events(run, 'SkipSyncBackends')[0] ?? '',
      /^Skipped pods whose address is on no network interface in use; .*: 10\.1\.1\.3$/,
    );
    assert.match(messageOf(run), /^Skipped pods .*: 10\.1\.1\.3$/);
    const since = callCount(run);
    await roll(run, [2, 3], 1_000);
    assert.deepEqual(registered(run), ['eni-2']);
    run.cluster.simulator.seed({ networkInterfaces: interfacesOf(3) });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(
      [registered(run), statusAndReason(run)],
      [
        ['eni-2', 'eni-3'],
        ['True', 'EnsuredLoadBalancer'],
      ],
    );
    assert.equal(run.cluster.binding()?.spec.operation, undefined);
    assert.ok(run.cluster.calls(since).filter((action) => action === 'DescribeNetworkInterfaces').length < 10);
    await run.process.stop();
  });
});
