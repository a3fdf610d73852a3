import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/base/errors.ts';
import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import { INVENTORY_KEY } from '../../../src/inventory/facts-from-caches.ts';
import { CLASSIC_LOAD_BALANCERS, CLOUD_INVENTORIES } from '../../../src/inventory/custom-resources.ts';
import type { Namespace } from '../../../src/base/kubernetes-objects.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../../../src/policy/custom-resources.ts';
import { bindingsOf, READY } from '../../support/bindings.ts';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { keyOf, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import { leads, recorded, served, vanish } from '../../support/leadership.ts';
import { aPolicy } from '../../support/policy.ts';
import { other, quota } from '../../support/quota-cases.ts';
import { ruled } from '../../support/policy-controller.ts';
import {
  annotated,
  apply,
  changes,
  events,
  loadBalancers,
  callCount,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';
import { watchedDouble } from '../../support/watched-cache.ts';

const KEY = keyOf(aService());
const ANOTHER_UID = '11111111-c2ae-4642-b033-5607860aef6a';
const REUSING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });

const ownOf = ({ cluster }: Pick<Running, 'cluster'>): string =>
  cluster.binding()?.spec.loadBalancer?.id ?? assert.fail();

/** A Service that vanished while another controller led may have a successor, so cleanup from its binding could delete a live load balancer. */
describe('a Service that vanished while another controller led', () => {
  for (const [what, annotations] of [
    ['its own load balancer', {}],
    ['a user-managed load balancer', REUSING],
  ] as const)
    it(`with ${what} has an orphaned binding, from which no later leader cleans up`, async () => {
      const all = await served(annotations);
      const picture = cloudPicture(all.cluster.simulator);
      await all.another(() => vanish(all));
      for (let lead = 0; lead < 3; lead += 1) {
        const next = await all.start();
        await all.cluster.quiet(5 * 60_000);
        assert.equal(all.cluster.binding()?.spec.orphaned, true);
        assert.equal(recorded(all), next.transitions);
        assert.match(await next.process.registry.metrics(), /portcullis_inventory_orphans\{kind="binding"\} 1/);
        await next.stop();
      }
      assert.deepEqual(cloudPicture(all.cluster.simulator), picture);
    });

  it('shows its load balancer as an orphan', async () => {
    const all = await served();
    await all.another(() => vanish(all));
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    const shown = all.cluster.kubernetes.get(CLASSIC_LOAD_BALANCERS, objectKey(ownOf(all)));
    assert.equal(shown?.status?.owner, 'orphan');
    await next.stop();
  });

  it('has an orphaned binding even if the first leader cannot mark the binding', async () => {
    const all = await served();
    await all.another(() => vanish(all));
    const before = recorded(all);
    const failing = await all.start({
      onWrite: ({ plural }, when) =>
        when === 'before' && plural === 'loadbalancerbindings'
          ? Promise.reject(new PortcullisError('Unavailable', 'the API server is down'))
          : Promise.resolve(),
    });
    assert.deepEqual([all.cluster.binding()?.spec.orphaned, recorded(all)], [undefined, before]);
    await failing.kill();
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    assert.equal(all.cluster.binding()?.spec.orphaned, true);
    await next.stop();
  });

  it('keeps its listeners for a Service of its name that the other controller served', async () => {
    const all = await served(REUSING);
    const picture = cloudPicture(all.cluster.simulator);
    const { metadata, status } = all.cluster.service() ?? assert.fail();
    const { labels, finalizers, annotations } = metadata;
    await all.another(() => {
      vanish(all);
      const made = aService({ uid: ANOTHER_UID });
      const marks = { labels, finalizers, annotations };
      all.cluster.kubernetes.put(SERVICES, { ...made, metadata: { ...made.metadata, ...marks }, status });
    });
    const since = callCount(all);
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    assert.deepEqual([changes(next, since), statusAndReason(next)], [[], READY]);
    assert.deepEqual(cloudPicture(all.cluster.simulator), picture);
    await next.stop();
  });

  it('is not cleaned up if a Service of its name has an address and the inventory was deleted', async () => {
    const all = await served(REUSING);
    const picture = cloudPicture(all.cluster.simulator);
    const { metadata, status } = all.cluster.service() ?? assert.fail();
    const { labels, finalizers, annotations } = metadata;
    await all.another(() => {
      vanish(all);
      const made = aService({ uid: ANOTHER_UID });
      const marks = { labels, finalizers, annotations };
      all.cluster.kubernetes.put(SERVICES, { ...made, metadata: { ...made.metadata, ...marks }, status });
      all.cluster.kubernetes.delete(CLOUD_INVENTORIES, INVENTORY_KEY);
    });
    const since = callCount(all);
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    assert.deepEqual([changes(next, since), statusAndReason(next)], [[], READY]);
    assert.deepEqual(cloudPicture(all.cluster.simulator), picture);
    await next.stop();
  });

  it('does not block a Service of its name, which gets another load balancer', async () => {
    const all = await served();
    const old = ownOf(all);
    await all.another(() => vanish(all));
    const next = await all.start();
    await apply(next, { uid: ANOTHER_UID });
    assert.deepEqual(statusAndReason(next), READY);
    const [, kept, own] = loadBalancers(next);
    assert.deepEqual([kept?.id, kept?.listeners.length, own?.listeners.length], [old, 1, 1]);
    all.cluster.kubernetes.delete(SERVICES, KEY);
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual(
      loadBalancers(next).map(({ id, listeners }) => [id, listeners.length]),
      [
        ['lb-shared', 0],
        [old, 1],
      ],
    );
    await next.stop();
  });

  it('leaves listeners that a new Service of its name adopts, and deletes at its own deletion', async () => {
    const all = await served(REUSING);
    await all.another(() => vanish(all));
    const next = await all.start();
    const since = callCount(next);
    await apply(next, { uid: ANOTHER_UID, annotations: REUSING });
    assert.deepEqual([statusAndReason(next), changes(next, since)], [READY, []]);
    all.cluster.kubernetes.delete(SERVICES, KEY);
    await all.cluster.quiet(10 * 60_000);
    const [{ listeners } = assert.fail()] = loadBalancers(next);
    assert.deepEqual(listeners, []);
    await next.stop();
  });
});

describe('an orphaned binding', () => {
  const ONE_LOAD_BALANCER = quota({ loadBalancers: 1 });

  it('counts for a quota as long as its load balancer exists', async () => {
    const all = leads();
    const policies = {
      policies: watchedDouble<LoadBalancerPolicy>([aPolicy('p', ONE_LOAD_BALANCER)]),
      exceptions: watchedDouble<LoadBalancerException>(),
      namespaces: watchedDouble<Namespace>(),
    };
    const first = await all.start({ policies });
    await apply(first);
    await first.stop();
    await all.another(() => vanish(all));
    const next = await all.start({ policies });
    await all.cluster.quiet(5 * 60_000);
    await apply(next, other());
    assert.deepEqual(
      [all.cluster.binding()?.spec.orphaned, statusAndReason(next, 'api'), loadBalancers(next).length],
      [true, ['False', 'QuotaExceeded'], 2],
    );
    await next.stop();
  });

  it('of a Service that exists becomes its binding again, and delays no other Service', async () => {
    const { run } = await ruled(quota({ loadBalancers: 5 }), undefined, { controllers: ['service', 'inventory'] });
    await apply(run);
    const { metadata } = run.cluster.binding() ?? assert.fail();
    run.cluster.kubernetes.patch(LOAD_BALANCER_BINDINGS, objectKey(metadata.name), { spec: { orphaned: true } });
    await run.cluster.quiet(60_000);
    assert.equal(run.cluster.binding()?.spec.orphaned, undefined);
    await apply(run, other());
    assert.deepEqual(statusAndReason(run, 'api'), READY);
    await run.process.stop();
  });
});

describe('an orphaned binding of a Service that exists', () => {
  it('is reported while its field orphaned cannot be removed', async () => {
    const all = await served();
    const { metadata } = all.cluster.binding() ?? assert.fail();
    all.cluster.kubernetes.patch(LOAD_BALANCER_BINDINGS, objectKey(metadata.name), { spec: { orphaned: true } });
    const next = await all.start({
      onWrite: ({ plural }, when) =>
        when === 'before' && plural === 'loadbalancerbindings'
          ? Promise.reject(new PortcullisError('Forbidden', 'bindings may not be written'))
          : Promise.resolve(),
    });
    await all.cluster.quiet(5 * 60_000);
    assert.match(events(next, 'SyncLoadBalancerFailed').join(), /bindings may not be written/);
    await next.kill();
  });
});

describe('the binding of a deleted Service, restored while a Service of its name exists', () => {
  it('becomes an orphan, and takes no listener of that Service', async () => {
    const all = await served(REUSING);
    const run = await all.start();
    const [backup = assert.fail()] = bindingsOf(run);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual(bindingsOf(run), []);
    await apply(run, { uid: ANOTHER_UID, annotations: REUSING });
    const [since, picture] = [callCount(run), cloudPicture(run.cluster.simulator)];
    run.cluster.kubernetes.put(LOAD_BALANCER_BINDINGS, backup);
    await run.cluster.quiet(60 * 60_000);
    assert.deepEqual([changes(run, since), statusAndReason(run)], [[], READY]);
    assert.deepEqual(cloudPicture(run.cluster.simulator), picture);
    const orphaned = bindingsOf(run).filter(({ spec }) => spec.orphaned === true);
    assert.deepEqual(
      orphaned.map(({ metadata }) => metadata.name),
      [backup.metadata.name],
    );
    await run.stop();
  });
});
