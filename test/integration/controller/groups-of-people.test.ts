import assert from 'node:assert/strict';
import { aSlice, ENDPOINT_SLICES, keyOf, NODES, SERVICES } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import {
  annotation,
  apply,
  changes,
  events,
  loadBalancers,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const HERS = { serverId: 'i-40', port: 8080, weight: 40, description: 'hers' };
const group = (id: string, name: string, backends: readonly object[] = [HERS]) => ({ id, name, backends });
/** A load balancer that somebody has made, with two groups of her own. */
const MADE = {
  instances: [{ id: 'i-40', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.40'] }],
  loadBalancers: [
    { id: 'lb-made', name: 'by-hand', serverGroups: [group('rsp-hers', 'hers'), group('rsp-more', 'more')] },
  ],
};
const REUSED = { [annotation('id')]: 'lb-made' };
const SHARED = { ...REUSED, [annotation('vgroup-port')]: 'rsp-hers:80', [annotation('weight')]: '60' };
const KEY = keyOf(aService());

const members = (run: Running, name: string): readonly (readonly [string, number])[] =>
  (loadBalancers(run)[0]?.serverGroups.find((each) => each.name === name)?.backends ?? []).map(
    ({ serverId, weight }) => [serverId, weight],
  );
const THREE = [
  ['i-1', 20],
  ['i-2', 20],
  ['i-3', 20],
];
const ALONE = [['i-40', 40]];

describe('a server group that people have made', () => {
  it('gets the backends of its port beside those that are in it, with their share of the weight', async () => {
    const run = await running({}, MADE);
    await apply(run, { annotations: SHARED });
    assert.deepEqual(members(run, 'hers'), [...ALONE, ...THREE]);
    assert.deepEqual(members(run, 'more'), ALONE);
    assert.equal(loadBalancers(run)[0]?.serverGroups.length, 2);
    await run.process.stop();
  });

  it('follows the Nodes; the weights follow their number', async () => {
    const run = await running({}, MADE);
    await apply(run, { annotations: SHARED });
    run.cluster.kubernetes.put(NODES, aNode('n3', { spec: { providerID: 'cn-hangzhou.i-3' }, ready: 'False' }));
    await run.cluster.quiet();
    assert.deepEqual(members(run, 'hers'), [...ALONE, ['i-1', 30], ['i-2', 30]]);
    await run.process.stop();
  });

  it('follows the pods in Local mode', async () => {
    const run = await running({}, MADE);
    const service = aService({ annotations: SHARED });
    run.cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1', 'n1', 'n2']));
    run.cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
    await run.cluster.quiet();
    assert.deepEqual(members(run, 'hers'), [...ALONE, ['i-1', 40], ['i-2', 20]]);
    await run.process.stop();
  });

  it('loses our backends, and nothing else, when the Service names another', async () => {
    const run = await running({}, MADE);
    await apply(run, { annotations: SHARED });
    const since = now(run);
    await patch(run, { metadata: { annotations: { [annotation('vgroup-port')]: 'rsp-more:80' } } });
    assert.deepEqual(members(run, 'hers'), ALONE);
    assert.deepEqual(members(run, 'more'), [...ALONE, ...THREE]);
    assert.deepEqual(changes(run, since), ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers']);
    await run.process.stop();
  });

  describe('that a listener of users uses', () => {
    const [made] = MADE.loadBalancers;
    const listener = { port: 80, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-hers' } };
    const USED = { ...MADE, loadBalancers: [{ ...made, id: 'lb-made', listeners: [listener] }] };
    const [ADD, REMOVE] = ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers'];
    const OTHERS: Readonly<Record<string, readonly [string | null, string, string | undefined]>> = {
      'another user-managed group': ['rsp-more:80', 'more', ADD],
      'no group': [null, 'k8s/30080/web/shop/c1', 'CreateVServerGroup'],
    };
    for (const [what, [value, successor, filled]] of Object.entries(OTHERS))
      it(`loses the backends of a Service that names ${what}, once they are in the other group`, async () => {
        const run = await running({}, USED);
        await apply(run, { annotations: SHARED });
        const since = now(run);
        await patch(run, { metadata: { annotations: { [annotation('vgroup-port')]: value } } });
        assert.deepEqual([members(run, 'hers'), standing(run)[0]], [ALONE, 'True']);
        assert.equal(members(run, successor).filter(([id]) => id !== 'i-40').length, 3);
        assert.deepEqual(changes(run, since), [filled, REMOVE]);
        await run.process.stop();
      });

    it('keeps the backends of the Service until the cloud takes them into the other group', async () => {
      const run = await running({}, USED);
      await apply(run, { annotations: SHARED });
      const refusal = { action: ADD, effect: 'refuse', code: 'ObtainIpFail', status: 400 };
      run.cluster.simulator.faults([{ ...refusal, count: 'forever' }]);
      await patch(run, { metadata: { annotations: { [annotation('vgroup-port')]: 'rsp-more:80' } } });
      await run.cluster.quiet(20 * 60_000);
      assert.deepEqual([members(run, 'hers'), members(run, 'more')], [[...ALONE, ...THREE], ALONE]);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(20 * 60_000);
      assert.deepEqual([members(run, 'hers'), members(run, 'more')], [ALONE, [...ALONE, ...THREE]]);
      await run.process.stop();
    });

    it('keeps the backends of the Service while the other group does not exist', async () => {
      const run = await running({}, USED);
      await apply(run, { annotations: SHARED });
      const since = now(run);
      await patch(run, { metadata: { annotations: { [annotation('vgroup-port')]: 'rsp-nope:80' } } });
      assert.deepEqual([changes(run, since), standing(run)[1]], [[], 'InvalidPort']);
      await run.process.stop();
    });
  });

  it('loses them too when the Service changed its mind while no controller ran', async () => {
    const run = await running({}, MADE);
    await apply(run, { annotations: SHARED });
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, KEY, {
      metadata: { annotations: { [annotation('vgroup-port')]: null, [annotation('weight')]: null } },
    });
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual(members(run, 'hers'), ALONE);
    assert.equal(members(run, 'k8s/30080/web/shop/c1').length, 3);
    await next.stop();
  });

  it('stays when the Service goes, without our backends', async () => {
    const run = await running({}, MADE);
    await apply(run, { annotations: SHARED });
    await run.process.stop();
    run.cluster.kubernetes.delete(SERVICES, KEY);
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual(members(run, 'hers'), ALONE);
    assert.equal(run.cluster.service(), undefined);
    await next.stop();
  });

  it('costs no call while nothing changes, also after a restart', async () => {
    const run = await running({}, MADE);
    await apply(run, { annotations: SHARED });
    const since = now(run);
    await run.process.stop();
    const next = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual(run.cluster.calls(since), []);
    await next.stop();
  });

  it('that is not there holds up its port alone, and is used as soon as it is', async () => {
    const run = await running({}, MADE);
    await apply(run, { ports: [80, 443], annotations: { ...REUSED, [annotation('vgroup-port')]: 'rsp-late:80' } });
    assert.equal(members(run, 'k8s/30443/web/shop/c1').length, 3);
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /port 80: server group rsp-late is not one/);
    const [made] = MADE.loadBalancers;
    const { id, name, serverGroups } = made ?? { id: '', name: '', serverGroups: [] };
    const kept = loadBalancers(run)[0]?.serverGroups.find((each) => each.name.startsWith('k8s/'));
    run.cluster.simulator.seed({
      loadBalancers: [{ id, name, serverGroups: [...serverGroups, group('rsp-late', 'late'), kept] }],
    });
    await run.cluster.quiet(6 * 60_000);
    assert.equal(members(run, 'late').length, 4);
    await run.process.stop();
  });

  it('is shared by two Services, of which each keeps to its own backends', async () => {
    const run = await running({}, MADE);
    const both = { ...SHARED, [annotation('vgroup-port')]: 'rsp-hers:80' };
    run.cluster.kubernetes.put(SERVICES, aService({ annotations: both }));
    run.cluster.kubernetes.put(
      SERVICES,
      aService({
        name: 'api',
        uid: 'uid-of-api',
        annotations: both,
        ports: [{ name: 'p', port: 80, protocol: 'TCP', targetPort: 80, nodePort: 31_000 }],
      }),
    );
    await run.cluster.quiet();
    assert.equal(members(run, 'hers').length, 7);
    run.cluster.kubernetes.delete(SERVICES, keyOf(aService({ name: 'api' })));
    await run.cluster.quiet();
    assert.deepEqual(members(run, 'hers'), [...ALONE, ...THREE]);
    await run.process.stop();
  });

  it('is named as it is called where there are no backends for it', async () => {
    const run = await running({}, MADE);
    const annotations = { ...SHARED, [annotation('backend-label')]: 'nobody=has' };
    await apply(run, { annotations });
    assert.match(events(run, 'UnAvailableLoadBalancer')[0] ?? '', /no backends in rsp-hers:/);
    await run.process.stop();
  });

  it('keeps the weights that people have set by hand, where the Service says so', async () => {
    const run = await running({}, MADE);
    await apply(run, { annotations: { ...SHARED, [annotation('ignore-weight-update')]: 'on' } });
    const since = now(run);
    await patch(run, { metadata: { annotations: { [annotation('weight')]: '30' } } });
    assert.deepEqual(changes(run, since), []);
    await run.process.stop();
  });
});
