import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { BACKENDS } from '../../support/left-behind/backends.ts';
import { leaveBehind, type LeftBehind } from '../../support/left-behind/existing-controller.ts';
import { LISTENERS } from '../../support/left-behind/listeners.ts';
import { OWNED } from '../../support/left-behind/load-balancers.ts';
import { REUSED } from '../../support/left-behind/reused.ts';
import { aPolicy } from '../../support/policy.ts';
import { annotated, annotation, apply, changes, now, running, type Running } from '../../support/running.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';
import { preview } from '../../support/plan-command.ts';

const KEY = keyOf(aService());

/** Returns a cluster without a controller, with a stored Service. */
async function stopped(said: ServiceSaid): Promise<Running> {
  const run = await running();
  await run.process.stop();
  run.cluster.kubernetes.put(SERVICES, aService(said));
  return run;
}

describe('a plan that is only looked at', () => {
  it('names for a new Service what the controller then does, and does none of it', async () => {
    const run = await stopped({ ports: [80, 443] });
    const writes = run.cluster.kubernetes.writes.length;
    const { actions } = await preview(run);
    assert.deepEqual([changes(run), run.cluster.kubernetes.writes.length], [[], writes]);
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.equal(actions.length, changes(run).length);
    assert.match(actions[0] ?? '', /^create load balancer/);
    await process.stop();
  });

  it('says that there is nothing to do for one that is carried out', async () => {
    const run = await running();
    await apply(run);
    assert.deepEqual(await preview(run), { denied: [], actions: [], blocked: [] });
    await run.process.stop();
  });

  it('puts back what is no longer asked for, as the controller would', async () => {
    const run = await running();
    await apply(run, { annotations: { [annotation('scheduler')]: 'wrr' } });
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { [annotation('scheduler')]: null } } });
    assert.deepEqual((await preview(run)).actions, ['change tcp listener 80: scheduler=rr']);
  });

  it('names the clusterID of the cloud-config if the listener of the Service has another one', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    const { blocked } = await preview(run, { clusterId: 'c2' });
    assert.match(
      blocked.map(({ reason }) => reason).join(),
      /port 80\/tcp of the load balancer is held by Service shop\/web of cluster c1, while the cloud-config has clusterID c2;/,
    );
  });

  it('names the deletion of what a Service leaves behind', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    run.cluster.kubernetes.delete(SERVICES, KEY);
    const since = now(run);
    const { actions } = await preview(run);
    assert.equal(actions[0], 'turn delete protection off');
    assert.match(actions[1] ?? '', /^delete load balancer lb-/);
    assert.deepEqual(changes(run, since), []);
  });

  it('names the deletion of its own load balancer although the Service names another by now', async () => {
    const run = await running({}, { loadBalancers: [{ id: 'lb-shared', address: '47.1.1.1' }] });
    await apply(run);
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, KEY, {
      spec: { type: 'ClusterIP' },
      metadata: { annotations: { [annotation('id')]: 'lb-shared' } },
    });
    const { actions, blocked } = await preview(run);
    assert.match(actions.join('; '), /^turn delete protection off; delete load balancer lb-\w+$/);
    assert.deepEqual([actions.some((action) => action.includes('lb-shared')), blocked], [false, []]);
  });

  it('says what the rules refuse, and plans nothing', async () => {
    const run = await stopped({ annotations: { [annotation('scheduler')]: 'fair' } });
    const { denied, actions } = await preview(run);
    assert.match(denied.join(), /scheduler/);
    assert.deepEqual([actions, run.cluster.calls()], [[], []]);
  });

  it('plans by the policies of the cluster, and lets pass what its controller only warns of', async () => {
    const INTRANET = { name: 'c', require: [{ annotation: 'address-type', oneOf: ['intranet'] }] };
    const policies = [aPolicy('p', { constraints: [INTRANET] })];
    const run = await stopped({});
    const strict = await preview(run, { policies });
    assert.match(strict.denied.join(), /address-type/);
    assert.deepEqual(strict.actions, []);
    const lenient = await preview(run, { policies, warnOnly: true });
    assert.deepEqual([lenient.denied, lenient.actions.length], [[], 4]);
  });

  it('says what policies block of a Service that is served', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    run.cluster.kubernetes.patch(SERVICES, KEY, { spec: { ports: aService({ ports: [80, 443] }).spec?.ports } });
    const policies = [aPolicy('p', { quotas: [{ name: 'q', per: 'namespace', listeners: 1 }] })];
    const { actions, blocked } = await preview(run, { policies });
    assert.deepEqual(actions, []);
    assert.match(blocked.map(({ reason }) => reason).join(), /policy.*p/i);
  });

  it('gives backends in a group of people to the other Service that wants them, as the controller does', async () => {
    const group = { id: 'rsp-1', name: 'rsp-1', backends: [] };
    const run = await running({}, { loadBalancers: [{ id: 'lb-made', address: '47.1.1.1', serverGroups: [group] }] });
    const annotations = annotated({ id: 'lb-made', 'vgroup-port': 'rsp-1:80' });
    await apply(run, { annotations });
    await apply(run, { name: 'api', uid: '00000000-0000-4000-8000-000000000002', annotations });
    await run.process.stop();
    run.cluster.kubernetes.delete(SERVICES, KEY);
    assert.match((await preview(run)).actions.join('; '), /^update in server group rsp-1: [^;]*$/);
  });

  it('says what is blocked', async () => {
    const run = await stopped({
      annotations: { [annotation('protocol-port')]: 'https:80', [annotation('cert-id')]: 'none' },
    });
    const { actions, blocked } = await preview(run);
    assert.deepEqual(actions, []);
    assert.match(blocked[0]?.reason ?? '', /certificate none does not exist/);
  });

  it('names nothing for what the existing controller has left behind', async () => {
    const planned: string[] = [];
    const kinds: Readonly<Record<string, LeftBehind>> = { ...OWNED, ...LISTENERS, ...BACKENDS, ...REUSED };
    // Kinds with settings need another cluster.
    const plain = Object.entries(kinds).filter(([, { settings }]) => settings === undefined);
    for (const [kind, left] of plain) {
      const { cluster } = await leaveBehind(left);
      const { actions, blocked } = await preview({ cluster });
      planned.push(...[...actions, ...blocked.map(({ reason }) => reason)].map((what) => `${kind}: ${what}`));
    }
    assert.deepEqual(planned, []);
  });
});
