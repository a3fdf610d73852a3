import assert from 'node:assert/strict';
import { ADD, inLocalMode, putOnNodes, REMOVE, weightsOf } from '../../../support/backends.ts';
import { keyOf, NODES, SERVICES } from '../../../support/simulated-cluster.ts';
import { aNode } from '../../../support/node.ts';
import {
  annotated,
  apply,
  changes,
  events,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const HERS = { serverId: 'i-40', port: 8080, weight: 40, description: 'hers' };
const group = (id: string, name: string) => ({ id, name, backends: [HERS] });
const MADE = { id: 'lb-made', name: 'by-hand', serverGroups: [group('rsp-hers', 'hers'), group('rsp-more', 'more')] };
const INSTANCES = [{ id: 'i-40', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.40'] }];
const NAMING = { id: 'lb-made', 'vgroup-port': 'rsp-hers:80', weight: '60' };
const OWNED = 'k8s/30080/web/shop/c1';

/** Starts with a load balancer with two user-managed groups, each with a backend of the user. */
const started = (more: object = {}): Promise<Running> =>
  running({}, { instances: INSTANCES, loadBalancers: [{ ...MADE, ...more }] });
const annotate = (run: Running, annotations: Readonly<Record<string, string | null>>): Promise<void> =>
  patch(run, { metadata: { annotations: annotated(annotations) } });
const remove = async ({ cluster }: Running, name = 'web'): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, keyOf(aService({ name })));
  await cluster.quiet();
};

const ALONE = [['i-40', 40]];
const THREE = [
  ['i-1', 20],
  ['i-2', 20],
  ['i-3', 20],
];

/** A server group that a user created contains backends of the user, which the controller must never remove. */
describe('a user-managed server group', () => {
  interface Row {
    readonly annotations?: Readonly<Record<string, string>>;
    /** Nodes of the pods of a Service in Local mode. */
    readonly pods?: readonly string[];
    /** Runs while the Service is synced. */
    readonly act?: (run: Running) => Promise<unknown>;
    /** True if the change occurs while no controller runs. */
    readonly isOffline?: true;
    readonly hers: readonly (readonly (string | number)[])[];
    readonly more?: readonly (readonly (string | number)[])[];
    /** True if there is an owned server group in addition to the user's two groups in the end. */
    readonly owned?: true;
    /** Changing calls of the change. */
    readonly calls?: readonly string[];
  }
  const ROWS: Readonly<Record<string, Row>> = {
    'gets backends of its port in addition to those of users, each with a share of the weight': {
      hers: [...ALONE, ...THREE],
    },
    'follows the Nodes, and the weights follow their number': {
      act: async ({ cluster }) => {
        cluster.kubernetes.put(NODES, aNode('n3', { spec: { providerID: 'cn-hangzhou.i-3' }, ready: 'False' }));
        await cluster.quiet();
      },
      hers: [...ALONE, ['i-1', 30], ['i-2', 30]],
    },
    'follows the pods in Local mode': {
      pods: ['n1', 'n1', 'n2'],
      hers: [...ALONE, ['i-1', 40], ['i-2', 20]],
    },
    'keeps weights that users set, if the Service ignores weights': {
      annotations: { 'ignore-weight-update': 'on' },
      act: (run) => annotate(run, { weight: '30' }),
      hers: [...ALONE, ...THREE],
      calls: [],
    },
    'keeps the backends of users if the Service names another': {
      act: (run) => annotate(run, { 'vgroup-port': 'rsp-more:80' }),
      hers: ALONE,
      more: [...ALONE, ...THREE],
      calls: [ADD, REMOVE],
    },
    'keeps the backends of users if the Service names none, while no controller runs': {
      act: (run) => annotate(run, { 'vgroup-port': null, weight: null }),
      isOffline: true,
      hers: ALONE,
      owned: true,
    },
    'keeps the backends of users if the Service is deleted, while no controller runs': {
      act: remove,
      isOffline: true,
      hers: ALONE,
    },
    'costs no call if nothing changes, also after a restart': {
      isOffline: true,
      hers: [...ALONE, ...THREE],
      calls: [],
    },
  };
  for (const [what, row] of Object.entries(ROWS))
    it(what, async () => {
      const run = await started();
      const service = aService({ annotations: annotated({ ...NAMING, ...row.annotations }) });
      if (row.pods !== undefined) putOnNodes(run, row.pods, service);
      run.cluster.kubernetes.put(SERVICES, row.pods === undefined ? service : inLocalMode(service));
      await run.cluster.quiet();
      const since = callCount(run);
      if (row.isOffline === true) await run.process.stop();
      await row.act?.(run);
      const process = row.isOffline === true ? run.cluster.start() : run.process;
      await run.cluster.quiet();
      assert.deepEqual([weightsOf(run, 'hers'), weightsOf(run, 'more')], [row.hers, row.more ?? ALONE]);
      assert.equal(loadBalancers(run)[0]?.serverGroups.length, row.owned === true ? 3 : 2);
      assert.equal(weightsOf(run, OWNED).length, row.owned === true ? 3 : 0);
      if (row.calls !== undefined) assert.deepEqual(changes(run, since), row.calls);
      if (row.act === undefined) assert.deepEqual(run.cluster.calls(since), []);
      await process.stop();
    });

  it('that does not exist blocks only its port, and is used after it is created', async () => {
    const run = await started();
    await apply(run, { ports: [80, 443], annotations: annotated({ id: 'lb-made', 'vgroup-port': 'rsp-late:80' }) });
    assert.equal(weightsOf(run, 'k8s/30443/web/shop/c1').length, 3);
    assert.match(
      events(run, 'SyncLoadBalancerFailed')[0] ?? '',
      /port 80: server group rsp-late is no user-managed server group/,
    );
    const owned = loadBalancers(run)[0]?.serverGroups.find(({ name }) => name.startsWith('k8s/'));
    const serverGroups = [...MADE.serverGroups, group('rsp-late', 'late'), owned];
    run.cluster.simulator.seed({ loadBalancers: [{ ...MADE, serverGroups }] });
    await run.cluster.quiet(6 * 60_000);
    assert.equal(weightsOf(run, 'late').length, 4);
    await run.process.stop();
  });

  it('keeps the backends of one Service if another that shares it is deleted', async () => {
    const run = await started();
    const annotations = annotated(NAMING);
    await apply(run, { annotations });
    const port = { name: 'p', port: 80, protocol: 'TCP', targetPort: 80, nodePort: 31_000 };
    await apply(run, { name: 'api', uid: 'uid-of-api', annotations, ports: [port] });
    assert.equal(weightsOf(run, 'hers').length, 7);
    await remove(run, 'api');
    assert.deepEqual(weightsOf(run, 'hers'), [...ALONE, ...THREE]);
    await run.process.stop();
  });

  it('is named in the event if there are no backends for it', async () => {
    const run = await started();
    await apply(run, { annotations: annotated({ ...NAMING, 'backend-label': 'nobody=has' }) });
    assert.match(events(run, 'UnAvailableLoadBalancer')[0] ?? '', /no backends in rsp-hers:/);
    await run.process.stop();
  });
});

describe('a user-managed server group that a user-managed listener uses', () => {
  interface Other {
    readonly listenerPort: number;
    readonly value: string | null;
    readonly successor: string;
    readonly call: string;
  }
  const OTHERS: Readonly<Record<string, Other>> = {
    'another group': { listenerPort: 80, value: 'rsp-more:80', successor: 'more', call: ADD },
    'another group, with a listener on port 443': {
      listenerPort: 443,
      value: 'rsp-more:80',
      successor: 'more',
      call: ADD,
    },
    'no group': { listenerPort: 80, value: null, successor: OWNED, call: 'CreateVServerGroup' },
  };
  const startedUsed = async (port = 80): Promise<Running> => {
    const run = await started({ listeners: [{ port, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-hers' } }] });
    await apply(run, { annotations: annotated(NAMING) });
    return run;
  };

  for (const [what, { listenerPort, value, successor, call }] of Object.entries(OTHERS))
    it(`loses the backends of a Service that names ${what}, after the new group has them`, async () => {
      const run = await startedUsed(listenerPort);
      const since = callCount(run);
      await annotate(run, { 'vgroup-port': value });
      assert.deepEqual([weightsOf(run, 'hers'), statusAndReason(run)[0]], [ALONE, 'True']);
      assert.equal(weightsOf(run, successor).filter(([id]) => id !== 'i-40').length, 3);
      assert.deepEqual(changes(run, since), [call, REMOVE]);
      await run.process.stop();
    });

  it('keeps the backends of the Service until the cloud accepts them in the other group', async () => {
    const run = await startedUsed();
    const rejection = { action: ADD, effect: 'reject', code: 'ObtainIpFail', status: 400 };
    run.cluster.simulator.faults([{ ...rejection, count: 'forever' }]);
    await annotate(run, { 'vgroup-port': 'rsp-more:80' });
    await run.cluster.quiet(20 * 60_000);
    assert.deepEqual([weightsOf(run, 'hers'), weightsOf(run, 'more')], [[...ALONE, ...THREE], ALONE]);
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(20 * 60_000);
    assert.deepEqual([weightsOf(run, 'hers'), weightsOf(run, 'more')], [ALONE, [...ALONE, ...THREE]]);
    await run.process.stop();
  });
});
