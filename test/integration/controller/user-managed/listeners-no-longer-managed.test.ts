import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  loadBalancers,
  messageOf,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';
import { FINALIZER, ID_LABEL } from '../../../support/service-changes.ts';

const NAME = 'k8s/30080/web/shop/c1';
const BACKEND_TYPE = 'service.beta.kubernetes.io/backend-type';
const REUSING = { id: 'lb-a', 'force-override-listeners': 'true' };
const USERS = { serverId: 'i-2', port: 9999, weight: 100, type: 'ecs', description: 'users' };
const ours = [1, 2, 3].map((n) => ({ serverId: `i-${n}`, port: 30_080, weight: 100, type: 'ecs', description: NAME }));
const OTHER_GROUP = { id: 'rsp-2', name: 'users', backends: [] };
const OTHER_NODE_PORT = { spec: { ports: [{ ...aService().spec?.ports?.[0], nodePort: 31_111 }] } };

/** Returns a load balancer whose listener 80 has the name of the Service and forwards to `rsp-1`. */
const withListener = (group: object, other: object = OTHER_GROUP) => ({
  loadBalancers: [
    {
      ...{ id: 'lb-a', name: 'a', address: '47.1.1.1' },
      listeners: [
        {
          ...{ port: 80, protocol: 'tcp', status: 'running' },
          attributes: { Description: 'k8s/80/web/shop/c1', VServerGroupId: 'rsp-1', Scheduler: 'rr' },
        },
      ],
      serverGroups: [{ id: 'rsp-1', name: NAME, ...group }, other],
    },
  ],
});

/** Returns the backends behind the listener of port 80. */
const behind = (run: Running): readonly string[] =>
  (loadBalancers(run)[0]?.serverGroups as unknown as { id: string; backends: { serverId: string; port: number }[] }[])
    .filter(({ id }) => id === 'rsp-1')
    .flatMap(({ backends }) => backends.map(({ serverId, port }) => `${serverId}:${port}`));

/** Returns a patch that sets annotations. Without `force-override-listeners`, the Service may no longer change listeners of the load balancer. */
const released = (annotations: Readonly<Record<string, string | null>> = {}, spec: object = {}) => ({
  metadata: { annotations: annotated({ 'force-override-listeners': null, ...annotations }) },
  ...spec,
});

interface Row {
  /** Server group `rsp-1`. */
  readonly group: object;
  /** Annotations while the Service may change the listener. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly change: object;
  /** True if the Service is in Local mode, and its only pod moves from `n1` to `n2`. */
  readonly isMoved?: boolean;
  readonly behind: readonly string[];
  readonly reason?: string;
  readonly message?: RegExp;
  /** Backends behind the listener after the Service may change the listener again. */
  readonly restored?: readonly string[];
}

const FULL = { backends: [...ours, USERS] };
const ALL = ['i-1:30080', 'i-2:30080', 'i-3:30080', 'i-2:9999'];
const IN_USE = /which this Service may no longer change, uses server group k8s\/30080\/web\/shop\/c1/;
const NAMED = { 'vgroup-port': 'rsp-1:80' };
const ENI = { metadata: { annotations: { ...released().metadata.annotations, [BACKEND_TYPE]: 'eni' } } };

const ROWS: Readonly<Record<string, Row>> = {
  'keeps its backends if another backend type is set': {
    ...{ group: FULL, change: ENI },
    ...{ behind: ALL, message: IN_USE, restored: ['i-2:9999'] },
  },
  'keeps its backends if a user-managed group is named': {
    ...{ group: FULL, change: released({ 'vgroup-port': 'rsp-2:80' }) },
    ...{ behind: ALL, message: IN_USE, restored: ['i-2:9999'] },
  },
  'follows the pods if a user-managed group is named': {
    ...{ group: { backends: [] }, change: released({ 'vgroup-port': 'rsp-2:80' }) },
    ...{ isMoved: true, behind: ['i-2:30080'] },
  },
  'follows the pods if its user-managed group is no longer named': {
    ...{ group: { name: 'users', backends: [USERS] }, annotations: NAMED, change: released({ 'vgroup-port': null }) },
    ...{ isMoved: true, behind: ['i-2:9999', 'i-2:30080'] },
    message: /uses server group rsp-1; let the listener use k8s\/30080\/web\/shop\/c1/,
  },
  'loses the backends of a node port that the Service no longer has': {
    ...{ group: FULL, change: released({}, OTHER_NODE_PORT) },
    ...{ behind: ['i-2:9999'], message: IN_USE },
  },
  'loses the backends of a removed node port if its user-managed group is no longer named': {
    ...{ group: { name: 'users', backends: [USERS] }, annotations: NAMED },
    ...{ change: released({ 'vgroup-port': null }, OTHER_NODE_PORT), behind: ['i-2:9999'] },
  },
  'follows the pods if the port names a user-managed group that does not exist': {
    ...{ group: { backends: [] }, change: { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-nope:80' }) } } },
    ...{ isMoved: true, behind: ['i-2:30080'], reason: 'InvalidPort' },
  },
};

async function served({ group, annotations = {}, isMoved = false }: Row): Promise<Running> {
  const run = await running({}, withListener(group));
  const service = aService({ annotations: annotated<string>({ ...REUSING, ...annotations }) });
  const externalTrafficPolicy = isMoved ? 'Local' : 'Cluster';
  run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy } });
  if (isMoved) run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1']));
  await run.cluster.quiet();
  return run;
}

/** A listener that the Service may no longer change still sends traffic, so its backends must stay correct. */
describe('a listener that the Service may no longer change', () => {
  for (const [title, row] of Object.entries(ROWS))
    it(title, async () => {
      const run = await served(row);
      await patch(run, row.change);
      if (row.isMoved) {
        run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(aService(), ['n2']));
        await run.cluster.quiet(10 * 60_000);
      }
      assert.deepEqual([behind(run), statusAndReason(run)], [row.behind, ['False', row.reason ?? 'ServerGroupInUse']]);
      if (row.message !== undefined) assert.match(messageOf(run), row.message);
      if (row.restored !== undefined) {
        await patch(run, { metadata: { annotations: annotated(REUSING) } });
        assert.deepEqual([behind(run), statusAndReason(run)[0]], [row.restored, 'True']);
      }
      await run.process.stop();
    });

  it('keeps its backends if the Service is adopted', async () => {
    const run = await running({}, withListener(FULL, { ...OTHER_GROUP, backends: ours }));
    const service = aService({
      annotations: annotated({ id: 'lb-a', 'vgroup-port': 'rsp-2:80' }),
      labels: { [ID_LABEL]: 'lb-a', 'service.beta.kubernetes.io/hash': 'x' },
    });
    const since = callCount(run);
    run.cluster.kubernetes.put(SERVICES, {
      ...service,
      metadata: { ...service.metadata, finalizers: [FINALIZER] },
      status: { loadBalancer: { ingress: [{ ip: '47.1.1.1' }] } },
    });
    await run.cluster.quiet();
    assert.deepEqual([changes(run, since), statusAndReason(run)[1]], [['TagResources'], 'ServerGroupInUse']);
    await run.process.stop();
  });
});

describe('a user-managed listener that forwards to the server group of a port', () => {
  it('is reported with the group to use instead', async () => {
    const name = 'k8s/30443/web/shop/c1';
    const [seed] = withListener({ name, backends: [] }).loadBalancers;
    const listeners = [{ port: 8443, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-1' } }];
    const run = await running({}, { loadBalancers: [{ ...seed, listeners }] });
    await apply(run, { ports: [80, 443], annotations: annotated({ id: 'lb-a' }) });
    await patch(run, { metadata: { annotations: annotated({ 'vgroup-port': 'rsp-2:443' }) } });
    assert.deepEqual(statusAndReason(run), ['False', 'ServerGroupInUse']);
    assert.equal(
      messageOf(run),
      `tcp listener 8443, which this Service did not create, uses server group ${name}; delete the listener, or let the listener use rsp-2`,
    );
    await run.process.stop();
  });
});
