import assert from 'node:assert/strict';
import type { Service, ServicePort } from '../../../../src/base/kubernetes-objects.ts';
import { ADD, BACKEND_TYPE, putPods, REMOVE } from '../../../support/backends.ts';
import { groupIdOf } from '../../../support/user-changes.ts';
import { AN_AUDIT_MS, SERVICES } from '../../../support/simulated-cluster.ts';
import { addressOf, interfacesOf } from '../../../support/pods.ts';
import { ports, portsOf, requiring, ruled } from '../../../support/policy-controller.ts';
import {
  annotated,
  apply,
  changes,
  loadBalancers,
  callCount,
  patch,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const ACL = requiring({ annotation: 'acl-status', oneOf: ['on'] });
const SCTP: ServicePort = { name: 's', port: 82, protocol: 'SCTP', targetPort: 82, nodePort: 30_082 };

/** Returns the addresses and ports of the backends, without duplicates. */
const leadsTo = (run: Running): readonly string[] => [
  ...new Set(
    loadBalancers(run).flatMap(({ serverGroups }) =>
      serverGroups.flatMap(({ backends }) =>
        backends.map(({ serverIp, serverId, port }) => `${serverId.startsWith('eni-') ? serverIp : 'node'}:${port}`),
      ),
    ),
  ),
];

/** A stale backend can have the address or the node port of another Service, which would then receive the traffic. */
describe('an obsolete listener that stays', () => {
  interface Change {
    /** The change after which port 80, served on node port 30080, is no longer wanted. */
    readonly change: object;
    readonly enforce?: typeof ACL;
    readonly reason: string;
    readonly leadsTo: readonly string[];
  }
  const CHANGES: Readonly<Record<string, Change>> = {
    'loses its backends if a policy keeps it': {
      enforce: ACL,
      change: { spec: { ports: ports(8080) } },
      reason: 'PolicyViolation',
      leadsTo: [],
    },
    'keeps its backends if a policy keeps it and the Service keeps the node port': {
      enforce: ACL,
      change: { spec: { ports: ports(8080).map((port) => ({ ...port, nodePort: 30_080 })) } },
      reason: 'PolicyViolation',
      leadsTo: ['node:30080'],
    },
    'loses its backends if another port is invalid': {
      change: { spec: { ports: [...ports(81), SCTP] } },
      reason: 'Invalid',
      leadsTo: [],
    },
    'loses its backends if an annotation is invalid': {
      change: { spec: { ports: ports(8080) }, metadata: { annotations: annotated({ scheduler: 'nonsense' }) } },
      reason: 'Invalid',
      leadsTo: [],
    },
  };
  for (const [what, row] of Object.entries(CHANGES))
    it(what, async () => {
      const { run, enforce } = await ruled();
      await apply(run);
      if (row.enforce !== undefined) await enforce(row.enforce);
      await patch(run, row.change);
      assert.deepEqual([portsOf(run), leadsTo(run), statusAndReason(run)], [[80], row.leadsTo, ['False', row.reason]]);
      await run.process.stop();
    });

  it('loses only the backends of the Service, not those of users', async () => {
    const { run } = await ruled();
    await apply(run, { ports: [80, 443] });
    const VServerGroupId = await groupIdOf(run, loadBalancers(run)[0]?.id ?? '', 'k8s/30443/');
    const hers = [{ ServerId: 'i-1', Port: 9000, Weight: 100, Description: 'hers' }];
    await run.cluster.ask(ADD, { VServerGroupId, BackendServers: JSON.stringify(hers) });
    await run.cluster.quiet(AN_AUDIT_MS);
    const since = callCount(run);
    await patch(run, { metadata: { annotations: annotated({ scheduler: 'fair' }) }, spec: { ports: ports(80) } });
    assert.deepEqual([changes(run, since), portsOf(run)], [[REMOVE], [80, 443]]);
    assert.deepEqual(leadsTo(run).toSorted(), ['node:30080', 'node:9000']);
    await run.process.stop();
  });

  interface Rollout {
    /** True if Nodes become the backends before the rollout. */
    readonly toNodes?: true;
    readonly pods: readonly number[];
    readonly isReady: boolean;
    readonly keeps: readonly number[];
  }
  const ROLLOUTS: Readonly<Record<string, Rollout>> = {
    'loses pods that are deleted': { pods: [2, 3], isReady: true, keeps: [2] },
    'keeps pods that are not ready': { pods: [1, 2], isReady: false, keeps: [1, 2] },
    'loses pods that are deleted after the backend type changes to ecs': {
      toNodes: true,
      pods: [2, 3],
      isReady: true,
      keeps: [2],
    },
  };
  const web = (port: number): Service => {
    const service = aService({ ports: [port], annotations: { [BACKEND_TYPE]: 'eni' } });
    return { ...service, spec: { ...service.spec, selector: { app: 'web' } } };
  };
  const at = (pods: readonly number[]): readonly string[] => pods.map((pod) => `${addressOf(pod)}:80`);

  for (const [what, { toNodes, pods, isReady, keeps }] of Object.entries(ROLLOUTS))
    it(what, async () => {
      const { run, enforce } = await ruled(undefined, { networkInterfaces: interfacesOf(4) });
      putPods(run, [1, 2], web(80));
      run.cluster.kubernetes.put(SERVICES, web(80));
      await run.cluster.quiet();
      await enforce(ACL);
      await patch(run, { spec: { ports: web(8080).spec?.ports } });
      if (toNodes === true) await patch(run, { metadata: { annotations: { [BACKEND_TYPE]: 'ecs' } } });
      assert.deepEqual([portsOf(run), leadsTo(run)], [[80], at([1, 2])]);
      putPods(run, pods, web(8080), isReady);
      await run.cluster.quiet();
      assert.deepEqual([portsOf(run), leadsTo(run)], [[80], at(keeps)]);
      await run.process.stop();
    });
});
