import assert from 'node:assert/strict';
import { untagByHand } from '../../support/user-changes.ts';
import { AN_AUDIT_MS, keyOf, NODES, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  conditionOf,
  events,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
  deleteBinding,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
/** The default name of the owned load balancer of Service `web`. */
const DEFAULT_NAME = 'a5e4dbfc9c2ae4642b0335607860aef6';
const OWNER_TAG = 'kubernetes.do.not.delete';
const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const HOST = annotated({ hostname: 'shop.example.com' });
const GROUP = 'k8s/30080/web/shop/c1';
/** Milliseconds within which the inventory reads the region once more. */
const A_PASS_MS = 75_000;
const OLD = {
  id: 'lb-old',
  name: DEFAULT_NAME,
  address: '47.1.1.9',
  listeners: [{ port: 80, protocol: 'tcp' as const, attributes: { VServerGroupId: 'rsp-1' } }],
  serverGroups: [{ id: 'rsp-1', name: GROUP, backends: [] }],
};

/** Returns a cluster whose load balancer has a custom name and lost the owner tag. */
async function untagged() {
  const run = await running();
  await apply(run, { annotations: annotated({ name: 'shop' }) });
  const id = loadBalancers(run)[0]?.id ?? '';
  const tag = { ResourceType: 'instance', 'ResourceId.1': id, 'TagKey.1': OWNER_TAG };
  await run.cluster.ask('UntagResources', tag);
  await run.cluster.quiet(AN_AUDIT_MS);
  return { run, id, tag };
}

/** A user can remove the owner tag. The Service must keep its load balancer, and cleanup must not delete it without the tag. */
describe('an owned load balancer without the owner tag', () => {
  const published = {
    'a host name': { annotations: HOST, ingress: [{ hostname: 'shop.example.com' }] },
    'an elastic address': { annotations: annotated({ 'external-ip-type': 'eip' }), ingress: [{ ip: '8.0.0.7' }] },
  };
  for (const [what, { annotations, ingress }] of Object.entries(published)) {
    const stored = (id: string) => ({
      ...aService({ annotations, labels: { [ID_LABEL]: id } }),
      status: { loadBalancer: { ingress } },
    });

    it(`is synced, tagged and deleted with the Service if a label names it, with ${what} in the status`, async () => {
      const run = await running({}, { loadBalancers: [OLD] });
      run.cluster.kubernetes.put(SERVICES, stored('lb-old'));
      await run.cluster.quiet();
      assert.deepEqual([loadBalancers(run)[0]?.tags[OWNER_TAG], statusAndReason(run)[0]], [DEFAULT_NAME, 'True']);
      assert.equal(loadBalancers(run)[0]?.serverGroups[0]?.backends.length, 3);
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet();
      assert.deepEqual([loadBalancers(run), run.cluster.service()], [[], undefined]);
      await run.process.stop();
    });

    const recorded = {
      'is marked as reused': { ...OLD, tags: { 'kubernetes.reused.by.user': 'true' } },
      'has another name': { ...OLD, name: 'platform' },
    };
    for (const [why, other] of Object.entries(recorded))
      it(`serves the Service as a user-managed one if it ${why}, with ${what} in the status`, async () => {
        const run = await running({}, { loadBalancers: [other] });
        run.cluster.kubernetes.put(SERVICES, stored('lb-old'));
        await run.cluster.quiet();
        assert.equal(statusAndReason(run)[1], 'LoadBalancerChangeNotSupported');
        assert.equal(loadBalancers(run)[0]?.serverGroups[0]?.backends.length, 3);
        await run.process.stop();
      });

    it(`is not adopted if no label names it, with ${what} in the status`, async () => {
      const run = await running({}, { loadBalancers: [{ ...OLD, id: 'lb-other' }] });
      const before = loadBalancers(run);
      run.cluster.kubernetes.put(SERVICES, stored('lb-old'));
      await run.cluster.quiet();
      assert.deepEqual([loadBalancers(run), statusAndReason(run)[1]], [before, 'LoadBalancerNotFound']);
      await run.process.stop();
    });
  }

  it('is tagged again after a user removes the tag', async () => {
    const run = await running();
    await apply(run, { annotations: HOST });
    const id = loadBalancers(run)[0]?.id ?? '';
    const untag = { ResourceType: 'instance', 'ResourceId.1': id, 'TagKey.1': OWNER_TAG };
    await run.cluster.ask('UntagResources', untag);
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([loadBalancers(run)[0]?.tags[OWNER_TAG], statusAndReason(run)[0]], [DEFAULT_NAME, 'True']);
    await run.process.stop();
  });

  it('gets current backends if it has a custom name, and the condition names the missing tag', async () => {
    const { run, id, tag } = await untagged();
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet();
    const [kept, ...others] = loadBalancers(run);
    assert.deepEqual([kept?.id, kept?.serverGroups[0]?.backends.length, others], [id, 2, []]);
    assert.equal(statusAndReason(run)[0], 'False');
    assert.match(conditionOf(run)?.message ?? '', new RegExp(`${id}.*${OWNER_TAG}`));
    await run.cluster.ask('TagResources', { ...tag, 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': DEFAULT_NAME });
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual([loadBalancers(run).map((each) => each.id), statusAndReason(run)[0]], [[id], 'True']);
    await run.process.stop();
  });

  it('gets and loses a condition within an inventory pass after its tag is removed or restored', async () => {
    const run = await running({ controllers: ['service', 'inventory'] });
    await apply(run, { annotations: annotated({ name: 'shop' }) });
    await run.cluster.quiet(A_PASS_MS);
    const tag = { ResourceType: 'instance', 'ResourceId.1': loadBalancers(run)[0]?.id ?? '' };
    await run.cluster.ask('UntagResources', { ...tag, 'TagKey.1': OWNER_TAG });
    await run.cluster.quiet(A_PASS_MS);
    assert.deepEqual(statusAndReason(run), ['False', 'OwnerTagMissing']);
    await run.cluster.ask('TagResources', { ...tag, 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': DEFAULT_NAME });
    await run.cluster.quiet(A_PASS_MS);
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  const requests: Readonly<Record<string, (id: string) => Readonly<Record<string, string>>>> = {
    nothing: () => ({}),
    'the load balancer by its id': (id) => annotated({ id }),
  };
  for (const [what, requested] of Object.entries(requests))
    it(`is never tagged as reused if the Service requests ${what}`, async () => {
      const { run, id } = await untagged();
      await patch(run, { metadata: { annotations: requested(id) } });
      await run.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual(Object.keys(loadBalancers(run)[0]?.tags ?? {}), ['ack.aliyun.com']);
      await run.process.stop();
    });

  for (const [what, requested] of Object.entries(requests))
    it(`is not reported as that of an API server if the Service requests ${what}`, async () => {
      const run = await running({ controllers: ['service', 'inventory'] });
      await apply(run, { annotations: annotated({ name: 'shop' }) });
      const id = loadBalancers(run)[0]?.id ?? '';
      await untagByHand(run, id, OWNER_TAG);
      await patch(run, { metadata: { annotations: requested(id) } });
      await run.cluster.quiet(A_PASS_MS);
      assert.deepEqual(statusAndReason(run), ['False', 'OwnerTagMissing']);
      const isMissing = /^load balancer \S+ was created for this Service, but lost the tag [^;]+; set the tag [^;]+$/;
      assert.match(conditionOf(run)?.message ?? '', isMissing);
      for (const message of events(run, 'SyncLoadBalancerFailed')) assert.doesNotMatch(message, /API server/);
      await run.process.stop();
    });

  it('is deleted with its Service after the tag is restored, also before the next audit', async () => {
    const { run, id, tag } = await untagged();
    await run.cluster.ask('TagResources', { ...tag, 'Tag.1.Key': OWNER_TAG, 'Tag.1.Value': DEFAULT_NAME });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.deepEqual([loadBalancers(run).filter((each) => each.id === id), run.cluster.service()], [[], undefined]);
    await run.process.stop();
  });

  it('stays the only load balancer of the Service if the status is cleared', async () => {
    const { run, id } = await untagged();
    await patch(run, { status: { loadBalancer: { ingress: null } } });
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(
      loadBalancers(run).map((each) => each.id),
      [id],
    );
    assert.equal(run.cluster.binding()?.spec.loadBalancer?.id, id);
    await run.process.stop();
  });

  it('counts as a load balancer of the Service for quotas', async () => {
    const { run } = await untagged();
    assert.equal(run.cluster.binding()?.spec.admittedUsage?.loadBalancers, 1);
    await run.process.stop();
  });

  it('is not adopted by a restored label if a later load balancer has the owner tag', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ hostname: 'shop.example.com', 'preserve-lb-on-delete': 'true' }) });
    await patch(run, { spec: { type: 'ClusterIP' } });
    const kept = loadBalancers(run)[0];
    await patch(run, { spec: { type: 'LoadBalancer' } });
    await run.process.stop();
    const since = callCount(run);
    deleteBinding(run);
    run.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { labels: { [ID_LABEL]: kept?.id } } });
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual([loadBalancers(run)[0], changes(run, since), statusAndReason(run)[0]], [kept, [], 'True']);
    await process.stop();
  });

  const ends: Readonly<Record<string, (run: Running) => Promise<void>>> = {
    'is deleted': async ({ cluster }) => {
      cluster.kubernetes.delete(SERVICES, KEY);
      await cluster.quiet();
    },
    'is no longer of type LoadBalancer': (run) => patch(run, { spec: { type: 'ClusterIP' } }),
  };
  for (const [what, end] of Object.entries(ends))
    it(`is kept without listeners and groups, and named in the event, if its Service ${what}`, async () => {
      const run = await running();
      await apply(run, { annotations: annotated({ name: 'shop' }) });
      const id = loadBalancers(run)[0]?.id ?? '';
      await run.process.stop();
      const untag = { ResourceType: 'instance', 'ResourceId.1': id, 'TagKey.1': OWNER_TAG };
      await run.cluster.ask('UntagResources', untag);
      const process = run.cluster.start();
      await end(run);
      const [left] = loadBalancers(run);
      assert.deepEqual([left?.id, left?.listeners, left?.serverGroups], [id, [], []]);
      assert.match(
        events(run, 'CleanLoadBalancer').at(-1) ?? '',
        new RegExp(`Load balancer ${id} remains.*${OWNER_TAG}`),
      );
      assert.equal(run.cluster.binding(), undefined);
      await process.stop();
    });
});
