import assert from 'node:assert/strict';
import { PODS, type Pod } from '../../../../src/base/kubernetes-objects.ts';
import { ADD, BACKEND_TYPE, inLocalMode, putOnNodes, putPods, REMOVE, serversOf } from '../../../support/backends.ts';
import { tagByHand, untagByHand } from '../../../support/user-changes.ts';
import { objectKey, SERVICES } from '../../../support/simulated-cluster.ts';
import { interfacesOf } from '../../../support/pods.ts';
import {
  annotated,
  changes,
  messageOf,
  callCount,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const GATE = 'service.readiness.alibabacloud.com/web';
const MINUTES = 60_000;
const SHARED = { id: 'lb-b', name: 'b', address: '47.1.1.2', listeners: [{ port: 22, protocol: 'tcp' }] };
const MANAGING = annotated({ id: SHARED.id, 'force-override-listeners': 'true' });
const BEHIND_PODS = aService({ annotations: { ...MANAGING, [BACKEND_TYPE]: 'eni' } });

const started = (seed: object): Promise<Running> =>
  running({ controllers: ['service', 'inventory'] }, { loadBalancers: [SHARED], ...seed });

/** Tags the load balancer as that of an API server, which no Service may use. */
async function deny(run: Running): Promise<void> {
  await tagByHand(run, SHARED.id, 'ack.aliyun.com', 'c1');
  await run.cluster.quiet(2 * MINUTES);
  assert.deepEqual(statusAndReason(run), ['False', 'Invalid']);
}
async function permit(run: Running): Promise<void> {
  await untagByHand(run, SHARED.id, 'ack.aliyun.com');
  await run.cluster.quiet(2 * MINUTES);
}

/** Returns pod `pod-<n>`, whose only missing condition is the load balancer's readiness gate. */
const aPod = (n: number): object => ({
  metadata: { name: `pod-${n}`, namespace: 'shop', uid: `pod-${n}` },
  spec: { containers: [], readinessGates: [{ conditionType: GATE }] },
  status: { conditions: [{ type: 'ContainersReady', status: 'True' }] },
});
const gateOf = ({ cluster }: Running, n: number): string | undefined => {
  const pod = cluster.kubernetes.get<Pod>(PODS, objectKey(`pod-${n}`, 'shop'));
  return pod?.status?.conditions?.find(({ type }) => type === GATE)?.status;
};
/** Replaces the pods of the Service by new pods that are not ready yet. */
function roll(run: Running, pods: readonly number[]): void {
  for (const n of pods) run.cluster.kubernetes.put(PODS, aPod(n));
  putPods(run, pods, BEHIND_PODS, false);
}

/** A denied Service must still follow the rollouts of its pods. Otherwise its load balancer would send traffic to deleted pods. */
describe('a denied Service that is served', () => {
  interface Rollout {
    /** Pods of the first rollout. */
    readonly before?: readonly number[];
    readonly fault?: object;
    readonly to: readonly number[];
    /** The message of the condition 10 seconds after the rollout. */
    readonly message?: RegExp;
    /** The number of network interfaces after these 10 seconds. */
    readonly interfaces?: number;
    /** Final message of the condition. */
    readonly lastMessage?: RegExp;
    readonly servers: readonly string[];
    readonly gates: readonly (string | undefined)[];
  }
  const ROLLOUTS: Readonly<Record<string, Rollout>> = {
    'registers its pods, and sets their readiness gates': {
      to: [3, 4],
      servers: ['eni-3', 'eni-4'],
      gates: ['True', 'True'],
    },
    'registers a pod whose interface appears late, and names its address until then': {
      to: [3, 5],
      message: /10\.1\.1\.5.*lb-b/s,
      interfaces: 5,
      servers: ['eni-3', 'eni-5'],
      gates: ['True', 'True'],
    },
    'sets the gates of registered pods if a lookup fails, and names the failure': {
      before: [3],
      fault: { action: 'DescribeNetworkInterfaces', code: 'Forbidden.RAM', count: 'forever' },
      to: [3, 4],
      lastMessage: /DescribeNetworkInterfaces.*lb-b/s,
      servers: ['eni-3'],
      gates: ['True', undefined],
    },
    'registers a pod that the cloud rejects at first': {
      fault: { action: ADD, code: 'ObtainIpFail', status: 400, count: 3 },
      to: [1, 3],
      servers: ['eni-1', 'eni-3'],
      gates: ['True', 'True'],
    },
  };
  for (const [what, row] of Object.entries(ROLLOUTS))
    it(what, async () => {
      const run = await started({ networkInterfaces: interfacesOf(4) });
      putPods(run, [1, 2], BEHIND_PODS);
      run.cluster.kubernetes.put(SERVICES, BEHIND_PODS);
      await run.cluster.quiet();
      await deny(run);
      if (row.before !== undefined) roll(run, row.before);
      await run.cluster.quiet();
      if (row.fault !== undefined) run.cluster.simulator.faults([{ effect: 'reject', ...row.fault }]);
      roll(run, row.to);
      await run.cluster.quiet(10_000);
      if (row.message !== undefined) assert.match(messageOf(run), row.message);
      run.cluster.simulator.seed({ networkInterfaces: interfacesOf(row.interfaces ?? 4) });
      await run.cluster.quiet(30 * MINUTES);
      if (row.lastMessage !== undefined) assert.match(messageOf(run), row.lastMessage);
      assert.deepEqual([serversOf(run).toSorted(), row.to.map((n) => gateOf(run, n))], [row.servers, row.gates]);
      await run.process.stop();
    });
});

describe('a denied Service that is permitted again', () => {
  const RETURNS: Readonly<Record<string, { readonly meanwhile?: string; readonly servers: readonly string[] }>> = {
    'keeps its backends, and no call is repeated': { servers: ['i-2', 'i-2'] },
    'gets the backends that return at the same moment': { meanwhile: 'n1', servers: ['i-1', 'i-1'] },
  };
  for (const [what, { meanwhile, servers }] of Object.entries(RETURNS))
    it(what, async () => {
      const run = await started({});
      const service = aService({ ports: [80, 443], annotations: MANAGING });
      putOnNodes(run, ['n1'], service);
      run.cluster.kubernetes.put(SERVICES, inLocalMode(service));
      await run.cluster.quiet();
      const since = callCount(run);
      await deny(run);
      putOnNodes(run, ['n2'], service);
      await run.cluster.quiet();
      if (meanwhile !== undefined) putOnNodes(run, [meanwhile], service);
      await permit(run);
      assert.deepEqual([serversOf(run), statusAndReason(run)[0]], [servers, 'True']);
      if (meanwhile === undefined) assert.deepEqual(changes(run, since), [ADD, REMOVE, ADD, REMOVE]);
      await run.process.stop();
    });

  it('removes the backend of a call that takes effect late', async () => {
    const run = await started({});
    const service = aService({ annotations: MANAGING });
    putOnNodes(run, ['n1']);
    run.cluster.kubernetes.put(SERVICES, inLocalMode(service));
    await run.cluster.quiet();
    await deny(run);
    run.cluster.simulator.faults([{ action: REMOVE, effect: 'late-commit', ms: MINUTES, count: 1 }]);
    putOnNodes(run, ['n2']);
    await run.cluster.quiet(20_000);
    putOnNodes(run, ['n1']);
    await run.cluster.quiet(5 * MINUTES);
    assert.deepEqual(serversOf(run), ['i-1']);
    await run.process.stop();
  });
});
