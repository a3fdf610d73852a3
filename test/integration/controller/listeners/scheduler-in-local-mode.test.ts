import assert from 'node:assert/strict';
import { putOnNodes } from '../../../support/backends.ts';
import { aSlice, keyOf, NODES, objectKey, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotation,
  apply,
  changes,
  loadBalancers,
  callCount,
  patch,
  running,
  type Running,
} from '../../../support/running-controller.ts';
import { leaveBehind, onNodes } from '../../../support/takeover/existing-controller.ts';

const LOCAL = { spec: { externalTrafficPolicy: 'Local' } };
const CLUSTER = { spec: { externalTrafficPolicy: 'Cluster' } };
const SHARED = { id: 'lb-shared', name: 'shared', address: '47.1.1.1' };
const REUSING = { [annotation('id')]: 'lb-shared' };
const SET = 'SetLoadBalancerTCPListenerAttribute';

const scheduler = (run: Pick<Running, 'cluster'>) =>
  loadBalancers(run as Running)[0]?.listeners[0]?.attributes['Scheduler'];

/** Syncs a Service with two pods on n1 and one pod on n2. */
async function served(annotations: Readonly<Record<string, string>> = {}): Promise<Running> {
  const run = await running();
  putOnNodes(run, ['n1', 'n1', 'n2']);
  await apply(run, { annotations });
  return run;
}

/** Local mode needs weights, which the scheduler rr ignores. Without the change to wrr, few pods would get too much traffic. */
describe('the scheduler when externalTrafficPolicy changes to Local', () => {
  it('becomes wrr without an annotation, and no further call follows', async () => {
    const run = await served();
    assert.equal(scheduler(run), 'rr');
    const before = callCount(run);
    await patch(run, LOCAL);
    assert.equal(scheduler(run), 'wrr');
    assert.equal(changes(run, before).filter((action) => action === SET).length, 1);
    const since = callCount(run);
    await run.process.stop();
    const process = run.cluster.start();
    await run.cluster.quiet(3 * 3_600_000);
    assert.deepEqual(changes(run, since), []);
    await patch(run, CLUSTER);
    assert.ok(!changes(run, since).includes(SET), 'wrr spreads equal weights equally');
    await process.stop();
  });

  it('stays rr if the annotation requests it, and becomes wrr when the annotation is removed', async () => {
    const run = await served({ [annotation('scheduler')]: 'rr' });
    await patch(run, LOCAL);
    assert.equal(scheduler(run), 'rr');
    await patch(run, { metadata: { annotations: { [annotation('scheduler')]: null } } });
    assert.equal(scheduler(run), 'wrr');
    await run.process.stop();
  });

  it('is unchanged if it is not rr', async () => {
    const attributes = { Scheduler: 'sch', Description: 'k8s/80/web/shop/c1' };
    const listeners = [{ port: 80, protocol: 'tcp', status: 'running', attributes }];
    const run = await running({}, { loadBalancers: [{ ...SHARED, listeners }] });
    await apply(run, { annotations: { ...REUSING, [annotation('force-override-listeners')]: 'true' } });
    await patch(run, LOCAL);
    assert.equal(scheduler(run), 'sch');
    await run.process.stop();
  });

  it('becomes wrr after a restart if the first attempt fails', async () => {
    const run = await served();
    run.cluster.simulator.faults([{ action: SET, nth: 1, count: 20, effect: 'throttle' }]);
    await patch(run, LOCAL);
    assert.equal(scheduler(run), 'rr');
    await run.process.stop();
    const process = run.cluster.start();
    await run.cluster.quiet(60 * 60_000);
    assert.equal(scheduler(run), 'wrr');
    await process.stop();
  });

  it('is unchanged on a reused load balancer without force-override-listeners', async () => {
    const listeners = [{ port: 80, protocol: 'tcp', status: 'running', attributes: { Scheduler: 'rr' } }];
    const run = await running({}, { loadBalancers: [{ ...SHARED, listeners }] });
    putOnNodes(run, ['n1', 'n2']);
    await apply(run, { annotations: REUSING });
    const since = callCount(run);
    await patch(run, LOCAL);
    assert.deepEqual([scheduler(run), changes(run, since).includes(SET)], ['rr', false]);
    await run.process.stop();
  });

  it('stays rr at a migration, and becomes wrr at the next change of backends', async () => {
    const { cluster, service } = await leaveBehind({
      spec: LOCAL.spec,
      slice: (service) => aSlice(service, ['n1', 'n1', 'n2']),
      servers: onNodes([2, 1]),
    });
    const since = cluster.simulator.journal().length;
    const run = { cluster, process: cluster.start() };
    await cluster.quiet();
    assert.deepEqual([scheduler(run), changes(run, since)], ['rr', []]);
    for (const pods of [
      ['n1', 'n2', 'n2'],
      ['n1', 'n2'],
    ]) {
      putOnNodes(run, pods, service);
      await cluster.quiet();
      const calls = changes(run, since).filter((action) => action === SET);
      assert.deepEqual([scheduler(run), calls.length], ['wrr', 1]);
    }
    cluster.kubernetes.delete(SERVICES, keyOf(service));
    await cluster.quiet();
    await run.process.stop();
  });

  it('stays rr at a migration with a weight annotation, and becomes wrr after a Node deletion', async () => {
    const serverGroups = [{ id: 'rsp-shared', name: 'shared' }];
    const { cluster } = await leaveBehind({
      annotations: { id: SHARED.id, 'force-override-listeners': 'true', 'vgroup-port': 'rsp-shared:80', weight: '60' },
      world: { loadBalancers: [{ ...SHARED, serverGroups }] },
      servers: onNodes([20, 20, 20]),
    });
    const since = cluster.simulator.journal().length;
    const run = { cluster, process: cluster.start() };
    await cluster.quiet();
    assert.deepEqual([scheduler(run), changes(run, since)], ['rr', []]);
    for (const name of ['n3', 'n2']) {
      cluster.kubernetes.delete(NODES, objectKey(name));
      await cluster.quiet();
      const calls = changes(run, since).filter((action) => action === SET);
      assert.deepEqual([scheduler(run), calls.length], ['wrr', 1]);
    }
    await run.process.stop();
  });
});
