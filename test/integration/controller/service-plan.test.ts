import assert from 'node:assert/strict';
import { publishedAddresses } from '../../../src/controller/service/status/ingress.ts';
import { keyOf, SERVICES } from '../../support/simulated-cluster.ts';
import { BACKENDS } from '../../support/takeover/backends.ts';
import { leaveBehind, type LeftBehind } from '../../support/takeover/existing-controller.ts';
import { LISTENERS } from '../../support/takeover/listeners.ts';
import { OWNED } from '../../support/takeover/load-balancers.ts';
import { REUSED } from '../../support/takeover/reused.ts';
import { aPolicy } from '../../support/policy.ts';
import {
  annotated,
  annotation,
  apply,
  changes,
  callCount,
  running,
  type Running,
} from '../../support/running-controller.ts';
import { aService, type ServiceInput } from '../../support/service.ts';
import { planOfStoredService } from '../../support/plan-command.ts';

const KEY = keyOf(aService());

/** Returns a cluster without a controller, with a stored Service. */
async function stopped(input: ServiceInput): Promise<Running> {
  const run = await running();
  await run.process.stop();
  run.cluster.kubernetes.put(SERVICES, aService(input));
  return run;
}

/** A plan must equal the actions of the controller. Otherwise users could not rely on a dry run. */
describe('the plan for a Service', () => {
  it('names the actions of the controller for a new Service, and applies none', async () => {
    const run = await stopped({ ports: [80, 443] });
    const writes = run.cluster.kubernetes.writes.length;
    const { actions } = await planOfStoredService(run);
    assert.deepEqual([changes(run), run.cluster.kubernetes.writes.length], [[], writes]);
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.equal(actions.length, changes(run).length);
    assert.match(actions[0] ?? '', /^create load balancer/);
    await process.stop();
  });

  it('is empty for a synced Service', async () => {
    const run = await running();
    await apply(run);
    assert.deepEqual(await planOfStoredService(run), { denied: [], actions: [], blocked: [], lostAddresses: [] });
    await run.process.stop();
  });

  it('resets an attribute whose annotation is removed', async () => {
    const run = await running();
    await apply(run, { annotations: { [annotation('scheduler')]: 'wrr' } });
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { [annotation('scheduler')]: null } } });
    assert.deepEqual((await planOfStoredService(run)).actions, ['change tcp listener 80: scheduler=rr']);
  });

  it('names the clusterID of the cloud-config if the listener has another clusterID', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    const { blocked } = await planOfStoredService(run, { clusterId: 'c2' });
    assert.match(
      blocked.map(({ reason }) => reason).join(),
      /port 80\/tcp of the load balancer is used by Service shop\/web of cluster c1, but the cloud-config file has clusterID c2;/,
    );
  });

  it('names the deletions for a deleted Service', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    run.cluster.kubernetes.delete(SERVICES, KEY);
    const since = callCount(run);
    const { actions } = await planOfStoredService(run);
    assert.equal(actions[0], 'set delete protection to off');
    assert.match(actions[1] ?? '', /^delete load balancer lb-/);
    assert.deepEqual(changes(run, since), []);
  });

  it('names the published address that a Service loses if its type changes to ClusterIP', async () => {
    const shared = { id: 'lb-shared', address: '47.1.1.1' };
    for (const [annotations, reason] of [
      [{}, 'deleted'],
      [annotated({ id: 'lb-shared', 'force-override-listeners': 'true' }), 'detached'],
    ] as const) {
      const run = await running({}, { loadBalancers: [shared] });
      await apply(run, { annotations });
      await run.process.stop();
      const [published] = publishedAddresses(run.cluster.kubernetes.get(SERVICES, KEY) ?? aService());
      run.cluster.kubernetes.patch(SERVICES, KEY, { spec: { type: 'ClusterIP' } });
      const { lostAddresses } = await planOfStoredService(run);
      assert.deepEqual(
        lostAddresses.map((lost) => [lost.address, lost.reason]),
        [[published, reason]],
      );
    }
  });

  it('names the deletion of the owned load balancer if type changes, even if id names another', async () => {
    const run = await running({}, { loadBalancers: [{ id: 'lb-shared', address: '47.1.1.1' }] });
    await apply(run);
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, KEY, {
      spec: { type: 'ClusterIP' },
      metadata: { annotations: { [annotation('id')]: 'lb-shared' } },
    });
    const { actions, blocked } = await planOfStoredService(run);
    assert.match(actions.join('; '), /^set delete protection to off; delete load balancer lb-\w+$/);
    assert.deepEqual([actions.some((action) => action.includes('lb-shared')), blocked], [false, []]);
  });

  it('names violations of rules, and contains no actions', async () => {
    const run = await stopped({ annotations: { [annotation('scheduler')]: 'fair' } });
    const { denied, actions } = await planOfStoredService(run);
    assert.match(denied.join(), /scheduler/);
    assert.deepEqual([actions, run.cluster.calls()], [[], []]);
  });

  it('applies the policies of the cluster, which only warn with the option warnOnly', async () => {
    const INTRANET = { name: 'c', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] };
    const policies = [aPolicy('p', { constraints: [INTRANET] })];
    const run = await stopped({});
    const strict = await planOfStoredService(run, { policies });
    assert.match(strict.denied.join(), /address-type/);
    assert.deepEqual(strict.actions, []);
    const lenient = await planOfStoredService(run, { policies, warnOnly: true });
    assert.deepEqual([lenient.denied, lenient.actions.length], [[], 4]);
  });

  it('names the actions that policies block for a served Service', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, KEY, { spec: { ports: aService({ ports: [80, 443] }).spec?.ports } });
    const policies = [aPolicy('p', { quotas: [{ name: 'q', per: 'namespace', listeners: 1 }] })];
    const { actions, blocked } = await planOfStoredService(run, { policies });
    assert.deepEqual(actions, []);
    assert.match(blocked.map(({ reason }) => reason).join(), /policy.*p/i);
  });

  it('keeps backends in a user-managed server group that another Service wants', async () => {
    const group = { id: 'rsp-1', name: 'rsp-1', backends: [] };
    const run = await running({}, { loadBalancers: [{ id: 'lb-made', address: '47.1.1.1', serverGroups: [group] }] });
    const annotations = annotated({ id: 'lb-made', 'vgroup-port': 'rsp-1:80' });
    await apply(run, { annotations });
    await apply(run, { name: 'api', uid: '00000000-0000-4000-8000-000000000002', annotations });
    await run.process.stop();
    run.cluster.kubernetes.delete(SERVICES, KEY);
    assert.match((await planOfStoredService(run)).actions.join('; '), /^update in server group rsp-1: [^;]*$/);
  });

  it('names blocked actions', async () => {
    const run = await stopped({
      annotations: { [annotation('protocol-port')]: 'https:80', [annotation('cert-id')]: 'none' },
    });
    const { actions, blocked } = await planOfStoredService(run);
    assert.deepEqual(actions, []);
    assert.match(blocked[0]?.reason ?? '', /certificate none does not exist/);
  });

  it('contains no action for resources of the existing controller', async () => {
    const planned: string[] = [];
    const kinds: Readonly<Record<string, LeftBehind>> = { ...OWNED, ...LISTENERS, ...BACKENDS, ...REUSED };
    // The plan uses the default settings, so kinds with other settings are omitted.
    const plain = Object.entries(kinds).filter(([, { settings }]) => settings === undefined);
    for (const [kind, left] of plain) {
      const { cluster } = await leaveBehind(left);
      const { actions, blocked } = await planOfStoredService({ cluster });
      planned.push(...[...actions, ...blocked.map(({ reason }) => reason)].map((what) => `${kind}: ${what}`));
    }
    assert.deepEqual(planned, []);
  });
});
