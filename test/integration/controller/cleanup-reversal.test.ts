import assert from 'node:assert/strict';
import { OWNER_TAG } from '../../../src/clb/model/naming.ts';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { AN_AUDIT_MS, keyOf, SERVICES } from '../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  ingress,
  loadBalancers,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';
import { CRASHES, during, remove } from '../../support/service-changes.ts';

const KEY = keyOf(aService());
const MINUTE_MS = 60_000;
const PRESERVING = annotated({ 'preserve-lb-on-delete': 'true' });
const OWNER_TAG_MISSING = ['False', 'OwnerTagMissing'];

const setType = (run: Running, type: 'ClusterIP' | 'LoadBalancer') =>
  run.cluster.kubernetes.patch(SERVICES, KEY, { spec: { type } });

/** Starts a cleanup that the cloud delays or rejects once, and advances the clock by `ms` milliseconds. */
async function startCleanup(run: Running, fault: object, ms = 1_000): Promise<void> {
  run.cluster.simulator.faults([{ ...fault, count: 1 }]);
  setType(run, 'ClusterIP');
  await run.cluster.quiet(ms);
  assert.equal(run.cluster.binding()?.spec.operation?.type, 'Cleanup');
}
const REJECTED = { action: 'DeleteLoadBalancer', effect: 'reject', code: 'OperationDenied' };

/** Returns the id of a load balancer, and the tags and protections that a cleanup removes. */
const attributesOf = (run: Running, at = 0) => {
  const loadBalancer = loadBalancers(run)[at] as
    (ReturnType<typeof loadBalancers>[number] & { readonly modificationProtection: string }) | undefined;
  const { id, tags, deleteProtection, modificationProtection } = loadBalancer ?? {};
  return { id, tags, deleteProtection, modificationProtection };
};
const removeTags = (run: Running) =>
  run.cluster.ask('UntagResources', {
    ResourceType: 'instance',
    'ResourceId.1': attributesOf(run).id ?? '',
    'TagKey.1': OWNER_TAG,
    'TagKey.2': 'ack.aliyun.com',
  });

/** A Service can return while its cleanup runs. It must keep its address and get no second load balancer. */
describe('a Service that resumes after its cleanup has started', () => {
  type Attributes = ReturnType<typeof attributesOf>;
  interface Row {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly fault: object;
    /** Milliseconds until the Service resumes. */
    readonly ms?: number;
    /** Compares the load balancers with the load balancer before the cleanup. */
    readonly check: (after: readonly Attributes[], before: Attributes) => void;
  }
  const ROWS: Readonly<Record<string, Row>> = {
    'keeps its load balancer with all attributes if the deletion was rejected': {
      fault: REJECTED,
      check: (after, before) => assert.deepEqual(after, [before]),
    },
    'gets another load balancer if the first one was preserved and has no tags': {
      annotations: PRESERVING,
      fault: { action: 'UntagResources', effect: 'timeout-after-commit' },
      check: (after, { id }) => {
        assert.deepEqual([after[0]?.id, after[0]?.tags, after.length], [id, {}, 2]);
      },
    },
    'gets another load balancer if the deletion takes effect late': {
      fault: { action: 'DeleteLoadBalancer', effect: 'late-commit', ms: MINUTE_MS },
      ms: 4_000,
      check: (after, { id }) => {
        assert.deepEqual([after.length, after[0]?.id === id], [1, false]);
      },
    },
  };
  for (const [title, { annotations = {}, fault, ms, check }] of Object.entries(ROWS))
    for (const [by, state] of Object.entries(CRASHES))
      it(`${title}${by}`, async () => {
        const run = await running();
        await apply(run, { annotations });
        const before = attributesOf(run);
        await startCleanup(run, fault, ms);
        assert.notDeepEqual(attributesOf(run), before);
        const next = await during(run, state, () => setType(run, 'LoadBalancer'));
        await run.cluster.quiet(4 * MINUTE_MS);
        const all = loadBalancers(next);
        check(
          all.map((_, at) => attributesOf(next, at)),
          before,
        );
        assert.deepEqual([ingress(next), statusAndReason(next)[0]], [[{ ip: all.at(-1)?.address }], 'True']);
        assert.equal(run.cluster.binding()?.spec.operation, undefined);
        await next.process.stop();
      });

  it('gets no second load balancer if its load balancer loses its tags during the cleanup', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ name: 'shop' }) });
    const [{ id }, address] = [attributesOf(run), ingress(run)];
    await startCleanup(run, REJECTED);
    const next = await during(run, 'killed', async () => {
      setType(run, 'LoadBalancer');
      run.cluster.kubernetes.patch(SERVICES, KEY, { status: { loadBalancer: { ingress: address } } });
      await removeTags(run);
    });
    await next.cluster.quiet(4 * MINUTE_MS);
    assert.deepEqual([loadBalancers(next).map((each) => each.id), statusAndReason(next)], [[id], OWNER_TAG_MISSING]);
    await next.process.stop();
  });
});

describe('a Service that resumes while one of its annotations cannot be applied', () => {
  async function resumed(): Promise<Running> {
    const run = await running();
    await apply(run, { annotations: annotated({ name: 'shop' }) });
    await patch(run, { metadata: { annotations: annotated({ 'address-type': 'intranet' }) } });
    await startCleanup(run, REJECTED);
    setType(run, 'LoadBalancer');
    await run.cluster.quiet(4 * MINUTE_MS);
    assert.deepEqual(statusAndReason(run), ['False', 'Immutable']);
    return run;
  }
  interface Row {
    /** Runs while no controller runs. */
    readonly act: (run: Running, id: string) => unknown;
    readonly count: number;
    readonly reported: readonly string[];
  }
  const ROWS: Readonly<Record<string, Row>> = {
    'its load balancer is deleted by a user': {
      act: ({ cluster }, id) => cluster.simulator.seed({ remove: [id] }),
      ...{ count: 0, reported: ['False', 'LoadBalancerNotFound'] },
    },
    'a user removes the tags of its load balancer': {
      act: removeTags,
      ...{ count: 1, reported: OWNER_TAG_MISSING },
    },
  };
  for (const [what, { act, count, reported }] of Object.entries(ROWS))
    it(`keeps its address after a restart if ${what}`, async () => {
      const run = await resumed();
      const address = ingress(run);
      const { id = '' } = attributesOf(run);
      const next = await during(run, 'stopped', () => act(run, id));
      await next.cluster.quiet(AN_AUDIT_MS);
      assert.deepEqual([ingress(next), statusAndReason(next)], [address, reported]);
      assert.deepEqual(
        loadBalancers(next).map((each) => each.id),
        [id].slice(0, count),
      );
      await next.process.stop();
    });

  it('leaves the delete protection off if a user turns it off after the Service has resumed', async () => {
    const run = await resumed();
    const { id = '' } = attributesOf(run);
    await run.cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId: id, DeleteProtection: 'off' });
    await run.cluster.quiet(2 * AN_AUDIT_MS);
    assert.equal(attributesOf(run).deleteProtection, 'off');
    await run.process.stop();
  });
});

describe('a Service that is created again from its manifest after its load balancer was preserved', () => {
  const ROWS: Readonly<Record<string, { readonly annotations?: object; readonly isRejected?: true }>> = {
    'preserve-lb-on-delete is still set': { annotations: PRESERVING },
    'preserve-lb-on-delete is no longer set': {},
    'the cloud rejects another load balancer': { isRejected: true },
  };
  for (const [what, { annotations = {}, isRejected }] of Object.entries(ROWS))
    it(`leaves the preserved load balancer unchanged if ${what}`, async () => {
      const run = await running();
      const { cluster } = run;
      await apply(run, { ports: [80, 443], annotations: PRESERVING });
      const { labels, finalizers } = cluster.service()?.metadata ?? {};
      await remove(run);
      const preserved = cloudPicture(cluster.simulator) as readonly unknown[];
      const rejection = { action: 'CreateLoadBalancer', effect: 'reject', code: 'QuotaExceeded', count: 'forever' };
      if (isRejected) cluster.simulator.faults([rejection]);
      const again = aService({ uid: '11111111-c2ae-4642-b033-5607860aef6a', ports: [80, 443] });
      const metadata = { ...again.metadata, labels, finalizers, annotations } as typeof again.metadata;
      cluster.kubernetes.put(SERVICES, { ...again, metadata });
      await cluster.quiet();
      assert.deepEqual((cloudPicture(cluster.simulator) as readonly unknown[])[0], preserved[0]);
      assert.equal(statusAndReason(run)[0], isRejected ? 'False' : 'True');
      assert.equal(loadBalancers(run)[1]?.listeners.length, isRejected ? undefined : 2);
      await remove(run, 5 * MINUTE_MS);
      assert.deepEqual(
        [(cloudPicture(cluster.simulator) as readonly unknown[])[0], cluster.service()],
        [preserved[0], undefined],
      );
      assert.equal(loadBalancers(run).length, annotations === PRESERVING ? 2 : 1);
      await run.process.stop();
    });
});
