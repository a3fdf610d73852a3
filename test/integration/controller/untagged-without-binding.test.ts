import assert from 'node:assert/strict';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { listenByHand, tagByHand, untagByHand } from '../../support/user-changes.ts';
import { AN_AUDIT_MS, keyOf, NODES, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import { planOfStoredService } from '../../support/plan-command.ts';
import {
  annotated,
  apply,
  changes,
  deleteBinding,
  events,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
/** The value of the owner tag of Service `web`. */
const OWNER = 'a5e4dbfc9c2ae4642b0335607860aef6';
const OWNER_TAG = 'kubernetes.do.not.delete';
const CLUSTER_TAG = 'ack.aliyun.com';
/** Milliseconds within which the inventory reads the region once more. */
const A_PASS_MS = 75_000;
const WITH_INVENTORY = { controllers: ['service', 'inventory'] as const };
const MISSING = ['False', 'OwnerTagMissing'];

/** Without tag and binding, only name and address identify an owned load balancer. A wrong guess would delete a user's load balancer. */
describe('an owned load balancer that lost its owner tag and its binding', () => {
  /** Returns a cluster whose load balancer lost its tag and its binding while no controller ran. */
  async function lost(
    annotations: Readonly<Record<string, string>> = {},
    lose: (run: Running) => void = deleteBinding,
  ) {
    const run = await running(WITH_INVENTORY);
    await apply(run, { annotations: annotated<string>({ name: 'shop', ...annotations }) });
    const id = loadBalancers(run)[0]?.id ?? '';
    await untagByHand(run, id, OWNER_TAG);
    await run.process.stop();
    lose(run);
    return { run, id, start: () => run.cluster.start(WITH_INVENTORY) };
  }

  const remove = async ({ cluster }: Running): Promise<void> => {
    cluster.kubernetes.delete(SERVICES, KEY);
    await cluster.quiet(10 * 60_000);
  };

  function assertNamed(run: Running, id: string): void {
    const left = loadBalancers(run).map((each) => [each.id, each.listeners, each.serverGroups]);
    assert.deepEqual(left, [[id, [], []]]);
    assert.match(
      events(run, 'CleanLoadBalancer').at(-1) ?? '',
      new RegExp(`Load balancer ${id} remains.*${OWNER_TAG}`),
    );
    assert.equal(run.cluster.service(), undefined);
  }

  const LOSSES: Readonly<Record<string, (run: Running) => void>> = {
    'is deleted': (run) => {
      deleteBinding(run);
    },
    'loses its load balancer': ({ cluster }) => {
      const { metadata } = cluster.binding() ?? assert.fail();
      const spec = { loadBalancer: null, syncedDigest: null };
      cluster.kubernetes.patch(LOAD_BALANCER_BINDINGS, objectKey(metadata.name), { spec });
    },
  };
  for (const [what, lose] of Object.entries(LOSSES))
    it(`is recorded as owned again while the controller runs if the binding ${what}`, async () => {
      const run = await running(WITH_INVENTORY);
      await apply(run, { annotations: annotated({ name: 'shop' }) });
      const id = loadBalancers(run)[0]?.id ?? '';
      await untagByHand(run, id, OWNER_TAG);
      await run.cluster.quiet(AN_AUDIT_MS);
      lose(run);
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([run.cluster.binding()?.spec.loadBalancer?.use, statusAndReason(run)], ['owned', MISSING]);
      await remove(run);
      assertNamed(run, id);
      await run.process.stop();
    });

  const published: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'its address': {},
    'a host name': { hostname: 'shop.example.com' },
  };
  for (const [what, annotations] of Object.entries(published)) {
    it(`is recorded as owned after a restart, with ${what} in the status`, async () => {
      const { run, id, start } = await lost(annotations);
      const since = callCount(run);
      const process = start();
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([run.cluster.binding()?.spec.loadBalancer?.use, statusAndReason(run)], ['owned', MISSING]);
      assert.equal(run.cluster.binding()?.spec.admittedUsage?.loadBalancers, 1);
      await patch(run, { status: { loadBalancer: null } });
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([changes(run, since), loadBalancers(run).length, statusAndReason(run)], [[], 1, MISSING]);
      await remove(run);
      assertNamed(run, id);
      await process.stop();
    });

    it(`is named in the event if the Service is deleted before a restart, with ${what} in the status`, async () => {
      const { run, id, start } = await lost(annotations);
      const process = start();
      await remove(run);
      assertNamed(run, id);
      await process.stop();
    });
  }

  const statuses: Readonly<Record<string, object>> = {
    stays: {},
    'is empty': { status: { loadBalancer: null } },
  };
  for (const [what, status] of Object.entries(statuses))
    it(`keeps no listener if the Service changes its type before a restart and its status ${what}`, async () => {
      const { run, id, start } = await lost();
      run.cluster.kubernetes.patch(SERVICES, KEY, { spec: { type: 'ClusterIP' }, ...status });
      const process = start();
      await run.cluster.quiet(10 * 60_000);
      const left = loadBalancers(run).map((each) => [each.id, each.listeners, each.serverGroups]);
      assert.deepEqual([left, run.cluster.service()?.metadata.finalizers], [[[id, [], []]], []]);
      assert.match(
        events(run, 'CleanLoadBalancer').at(-1) ?? '',
        new RegExp(`Load balancer ${id} remains.*${OWNER_TAG}`),
      );
      await process.stop();
    });

  it('is recorded as owned again if a user restores an old binding of another load balancer', async () => {
    const { run, id, start } = await lost({}, (each) => {
      const { metadata, spec } = each.cluster.binding() ?? assert.fail();
      deleteBinding(each);
      const loadBalancer = { id: 'lb-old', use: 'reused', address: '47.1.1.9' };
      each.cluster.kubernetes.put(LOAD_BALANCER_BINDINGS, {
        metadata: { name: metadata.name },
        spec: { ...spec, loadBalancer },
      });
    });
    const process = start();
    await run.cluster.quiet(AN_AUDIT_MS);
    const recorded = run.cluster.binding()?.spec.loadBalancer;
    assert.deepEqual([recorded?.id, recorded?.use, statusAndReason(run)], [id, 'owned', MISSING]);
    await process.stop();
  });

  it('is deleted with its Service after the tag is back', async () => {
    const { run, id, start } = await lost();
    const process = start();
    await run.cluster.quiet(AN_AUDIT_MS);
    await tagByHand(run, id, OWNER_TAG, OWNER);
    await run.cluster.quiet(A_PASS_MS);
    assert.equal(statusAndReason(run)[0], 'True');
    await remove(run);
    assert.deepEqual(loadBalancers(run), []);
    await process.stop();
  });

  it('causes one blocked action with the rule OwnerTagMissing in a plan', async () => {
    const { run } = await lost();
    const { blocked } = await planOfStoredService(run);
    assert.deepEqual(
      blocked.map(({ rule }) => rule),
      ['OwnerTagMissing'],
    );
  });

  it('gets current backends while the definition of bindings is missing, and is recorded later', async () => {
    const { run, id, start } = await lost({}, ({ cluster }) => {
      cluster.kubernetes.unserve(LOAD_BALANCER_BINDINGS);
    });
    const { kubernetes } = run.cluster;
    const process = start();
    await run.cluster.quiet();
    kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet();
    assert.deepEqual(
      loadBalancers(run).map((each) => [each.id, each.serverGroups[0]?.backends.length]),
      [[id, 2]],
    );
    kubernetes.serve(LOAD_BALANCER_BINDINGS);
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([run.cluster.binding()?.spec.loadBalancer?.use, statusAndReason(run)], ['owned', MISSING]);
    await process.stop();
  });

  const others: Readonly<Record<string, (run: Running, id: string) => Promise<unknown>>> = {
    'has a listener of a user, like the load balancer of an API server': (run, id) =>
      listenByHand(run, id, 6443, { BackendServerPort: 6443 }),
    'has a listener of another Service': (run, id) =>
      listenByHand(run, id, 81, { BackendServerPort: 81, Description: 'k8s/81/other/shop/c1' }),
    'has a server group of another namespace': ({ cluster }, id) =>
      cluster.ask('CreateVServerGroup', { LoadBalancerId: id, VServerGroupName: 'k8s/30081/web/other/c1' }),
    'has the tag of another cluster': (run, id) => tagByHand(run, id, CLUSTER_TAG, 'c2'),
    'has the tag of reuse': (run, id) => tagByHand(run, id, 'kubernetes.reused.by.user', 'true'),
    'has the owner tag of another Service': (run, id) =>
      tagByHand(run, id, OWNER_TAG, 'a0123456789abcdef0123456789abcde'),
  };
  for (const [what, change] of Object.entries(others))
    it(`is not adopted if it ${what}`, async () => {
      const { run, id, start } = await lost();
      await change(run, id);
      const before = loadBalancers(run);
      const process = start();
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([loadBalancers(run), statusAndReason(run)], [before, ['False', 'LoadBalancerNotFound']]);
      assert.equal(run.cluster.binding()?.spec.loadBalancer, undefined);
      await process.stop();
    });
});
