import assert from 'node:assert/strict';
import { BACKEND_TYPE, putPods } from '../../../support/backends.ts';
import { aCluster, keyOf, objectKey, SERVICES } from '../../../support/simulated-cluster.ts';
import { PODS, type Pod } from '../../../../src/base/kubernetes-objects.ts';
import { interfacesOf } from '../../../support/pods.ts';
import {
  annotated,
  annotation,
  events,
  loadBalancers,
  callCount,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';
import type { ProcessOptions } from '../../../support/simulated-controller.ts';

const GATE = 'service.readiness.alibabacloud.com/web';
const service = aService({ ports: [80], annotations: { [BACKEND_TYPE]: 'eni' } });

/** Returns pod `pod-<n>` with a gate for `web`. */
const aPod = (n: number, containersReady: boolean, gate = GATE): object => ({
  metadata: { name: `pod-${n}`, namespace: 'shop', uid: `pod-${n}` },
  spec: { containers: [], readinessGates: [{ conditionType: gate }] },
  status: {
    conditions: [
      { type: 'ContainersReady', status: containersReady ? 'True' : 'False' },
      { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' },
    ],
  },
});

/** Replaces the pods by new pods with a readiness gate. */
function rollOut(run: Running, pods: readonly number[], gate = GATE, containersReady = true): void {
  for (const n of pods) run.cluster.kubernetes.put(PODS, aPod(n, containersReady, gate));
  putPods(run, pods, service, false);
}

async function started(options: Partial<ProcessOptions> = {}, interfaces = 3): Promise<Running> {
  const cluster = aCluster();
  cluster.simulator.seed({ networkInterfaces: interfacesOf(interfaces) });
  const process = cluster.start(options);
  cluster.kubernetes.put(SERVICES, service);
  await cluster.quiet(1_000);
  return { cluster, process };
}

const pod = ({ cluster }: Running, n: number): Pod | undefined =>
  cluster.kubernetes.get<Pod>(PODS, objectKey(`pod-${n}`, 'shop'));
/** Returns status and reason of the gate's condition. */
const conditionOf = (run: Running, n: number) => {
  const condition = pod(run, n)?.status?.conditions?.find(({ type }) => type === GATE);
  return condition && [condition.status, condition.reason];
};
const backends = (run: Running) => loadBalancers(run)[0]?.serverGroups[0]?.backends.length;

/** Rejections of the cloud while pods become backends. */
const REJECTED: Readonly<Record<string, { readonly fault: object; readonly change: object }>> = {
  'another port': {
    fault: { action: 'CreateLoadBalancerTCPListener', code: 'InvalidParameter' },
    change: { spec: { ports: aService({ ports: [80, 443] }).spec?.ports } },
  },
  'a change of the load balancer': {
    fault: { action: 'SetLoadBalancerName', code: 'InvalidParameter' },
    change: { metadata: { annotations: annotated({ name: 'shop' }) } },
  },
};

/** The readiness gate delays a rollout until the load balancer has the new pod. Without it, old pods would end too early. */
describe('a pod with the readiness gate of its Service', () => {
  it('is a backend after its containers are ready, and gets the condition then', async () => {
    const run = await started();
    rollOut(run, [1], GATE, false);
    await run.cluster.quiet();
    assert.equal(backends(run), 0);
    assert.equal(conditionOf(run, 1), undefined);
    run.cluster.kubernetes.put(PODS, aPod(1, true));
    await run.cluster.quiet();
    assert.equal(backends(run), 1);
    assert.deepEqual(conditionOf(run, 1), ['True', 'ServerRegistered']);
    assert.equal(pod(run, 1)?.status?.conditions?.length, 3);
    await run.process.stop();
  });

  it('costs no call and no write after it is ready', async () => {
    const run = await started();
    rollOut(run, [1]);
    await run.cluster.quiet();
    const [since, writes] = [callCount(run), run.cluster.kubernetes.writes.length];
    putPods(run, [1], service);
    await run.cluster.quiet();
    assert.deepEqual(run.cluster.calls(since), []);
    assert.equal(run.cluster.kubernetes.writes.length, writes);
    await run.process.stop();
  });

  it('gets the condition False while no interface has its address', async () => {
    const run = await started({}, 1);
    rollOut(run, [1, 2]);
    await run.cluster.quiet();
    assert.deepEqual(conditionOf(run, 1), ['True', 'ServerRegistered']);
    assert.deepEqual(conditionOf(run, 2), ['False', 'ServerInvalidServer']);
    run.cluster.simulator.seed({ networkInterfaces: interfacesOf(2) });
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(conditionOf(run, 2), ['True', 'ServerRegistered']);
    await run.process.stop();
  });

  it('gets its condition from the next process if the first is killed', async () => {
    let isDead = false;
    const run = await started({
      onWrite: async ({ plural }, when) => {
        if (plural === 'pods' && when === 'before' && !isDead) {
          isDead = true;
          await new Promise(() => undefined);
        }
      },
    });
    rollOut(run, [1]);
    await run.cluster.quiet();
    run.process.kill();
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual(conditionOf(run, 1), ['True', 'ServerRegistered']);
    await next.stop();
  });

  it('gets its condition after a failed write, which an event reports', async () => {
    let failures = 0;
    const run = await started({
      onWrite: async ({ plural }, when) => {
        if (plural === 'pods' && when === 'before' && (failures += 1) <= 2) throw new Error('no permission');
      },
    });
    rollOut(run, [1]);
    await run.cluster.quiet(5 * 60_000);
    assert.deepEqual(conditionOf(run, 1), ['True', 'ServerRegistered']);
    assert.match(events(run, 'FailedUpdateReadinessGate')[0] ?? '', /no permission/);
    await run.process.stop();
  });

  it('gets no condition while a user-managed listener has the port of its Service', async () => {
    const cluster = aCluster();
    const theirs = { port: 80, protocol: 'tcp', attributes: { Description: 'hers' } };
    const shared = { id: 'lb-shared', address: '47.1.1.1', listeners: [theirs] };
    cluster.simulator.seed({ networkInterfaces: interfacesOf(1), loadBalancers: [shared] });
    const run = { cluster, process: cluster.start() };
    const reusing = { [annotation('id')]: 'lb-shared', [annotation('force-override-listeners')]: 'true' };
    const { annotations } = service.metadata;
    cluster.kubernetes.put(SERVICES, aService({ ports: [80], annotations: { ...annotations, ...reusing } }));
    rollOut(run, [1]);
    await cluster.quiet();
    assert.deepEqual([backends(run), conditionOf(run, 1)], [undefined, undefined]);
    cluster.simulator.seed({ remove: ['lb-shared'] });
    cluster.simulator.seed({ loadBalancers: [{ ...shared, listeners: [] }] });
    await cluster.quiet(10 * 60_000);
    assert.deepEqual([backends(run), conditionOf(run, 1)], [1, ['True', 'ServerRegistered']]);
    await run.process.stop();
  });

  for (const [what, { fault, change }] of Object.entries(REJECTED))
    it(`gets its condition while the cloud rejects ${what}`, async () => {
      const run = await started();
      putPods(run, [3], service);
      await run.cluster.quiet();
      run.cluster.simulator.faults([{ ...fault, effect: 'reject', count: 'forever' }]);
      run.cluster.kubernetes.patch(SERVICES, keyOf(service), change);
      rollOut(run, [1, 2]);
      await run.cluster.quiet();
      assert.equal(statusAndReason(run)[0], 'False');
      for (const n of [1, 2]) assert.deepEqual(conditionOf(run, n), ['True', 'ServerRegistered']);
      await run.process.stop();
    });

  it('gets no condition if the gate names another Service', async () => {
    const run = await started();
    rollOut(run, [1], 'service.readiness.alibabacloud.com/other');
    await run.cluster.quiet();
    assert.equal(backends(run), 0);
    assert.equal(pod(run, 1)?.status?.conditions?.length, 2);
    await run.process.stop();
  });
});
