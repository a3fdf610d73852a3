import assert from 'node:assert/strict';
import { PortcullisError } from '../../../src/errors.ts';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBindingSpec } from '../../../src/inventory/binding.ts';
import { CLASSIC_LOAD_BALANCERS } from '../../../src/inventory/resource.ts';
import { READY, recordsOf } from '../../support/bindings.ts';
import { cloudPicture } from '../../support/cloud-picture.ts';
import { keyOf, objectKey, SERVICES } from '../../support/cluster.ts';
import { A_READ, recorded, served, type Leads } from '../../support/leads.ts';
import { annotated, apply, changes, loadBalancers, now, standing, writesSince } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const ANOTHER_UID = '11111111-c2ae-4642-b033-5607860aef6a';
const REUSING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });

const ownOf = ({ cluster }: Leads): string => cluster.binding()?.spec.loadBalancer?.id ?? assert.fail();
/** Somebody writes a binding without a record. */
const putBinding = ({ cluster }: Leads, name: string, spec: Partial<LoadBalancerBindingSpec>) =>
  cluster.kubernetes.put(LOAD_BALANCER_BINDINGS, {
    metadata: { name: ANOTHER_UID },
    spec: { service: { namespace: 'shop', name }, clusterUID: 'the-cluster', ...spec },
  });
/** Somebody else deletes the listener of Service `web`. */
const deleteListener = (all: Leads) =>
  all.cluster.ask('DeleteLoadBalancerListener', { LoadBalancerId: ownOf(all), ListenerPort: 80 });
const REPAIR = ['CreateLoadBalancerTCPListener', 'StartLoadBalancerListener'];

describe('a lead after the lead of another controller', () => {
  it('repairs what the other controller changed, and is recorded', async () => {
    const all = await served();
    await all.another(() => deleteListener(all));
    const since = now(all);
    const next = await all.start();
    assert.deepEqual(changes(next, since), REPAIR);
    await all.cluster.quiet();
    assert.equal(recorded(all), next.transitions);
    await next.stop();
  });

  it('reads every Service once, and changes and writes nothing if nothing differs', async () => {
    const all = await served();
    await all.another();
    const [since, writes] = [now(all), all.cluster.kubernetes.writes.length];
    const next = await all.start();
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual(all.cluster.calls(since), A_READ);
    assert.deepEqual([...new Set(writesSince(next, writes))], ['patch cloudinventories status']);
    await next.stop();
  });

  it('reads again what could not be read, and is not recorded before', async () => {
    const all = await served();
    await all.another(() => deleteListener(all));
    const before = recorded(all);
    all.cluster.simulator.faults([
      { action: 'DescribeVServerGroups', effect: 'refuse', code: 'ServiceUnavailable', count: 'forever' },
    ]);
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    assert.equal(recorded(all), before);
    const since = now(next);
    all.cluster.simulator.clearFaults();
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual([changes(next, since), recorded(all)], [REPAIR, next.transitions]);
    await next.stop();
  });

  it('is not recorded if it ends before all is read, so that the next lead reads all', async () => {
    const all = await served();
    await all.another(() => deleteListener(all));
    all.cluster.simulator.faults([
      { action: 'DescribeVServerGroups', effect: 'refuse', code: 'ServiceUnavailable', count: 'forever' },
    ]);
    const cut = await all.start();
    await all.cluster.quiet(5 * 60_000);
    await cut.kill();
    all.cluster.simulator.clearFaults();
    const since = now(all);
    const next = await all.start();
    assert.deepEqual(changes(next, since), REPAIR);
    await next.stop();
  });
});

describe('a lead after the lead of another controller is recorded although', () => {
  const CASES: Readonly<Record<string, (all: Leads) => unknown>> = {
    'the load balancer of a Service no longer exists': async (all) => {
      const LoadBalancerId = ownOf(all);
      await all.cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId, DeleteProtection: 'off' });
      await all.cluster.ask('DeleteLoadBalancer', { LoadBalancerId });
    },
    'the binding of a Service is deleted': (all) => {
      const { metadata } = all.cluster.binding() ?? assert.fail();
      all.cluster.kubernetes.delete(LOAD_BALANCER_BINDINGS, objectKey(metadata.name));
    },
    'the binding of a Service without a load balancer records nothing': (all) => {
      all.cluster.kubernetes.put(SERVICES, aService({ name: 'inner', uid: ANOTHER_UID, type: 'ClusterIP' }));
      putBinding(all, 'inner', {});
    },
    'there is a binding of another cluster': (all) => putBinding(all, 'web', { clusterUID: 'another-cluster' }),
    'there is an orphaned binding of an earlier lead': (all) => putBinding(all, 'gone', { orphaned: true }),
  };
  for (const [what, act] of Object.entries(CASES))
    it(what, async () => {
      const all = await served();
      await all.another(() => act(all));
      const next = await all.start();
      await all.cluster.quiet(5 * 60_000);
      assert.equal(recorded(all), next.transitions);
      await next.stop();
    });

  it('a Service is denied', async () => {
    const all = await served(REUSING);
    const tag = { 'Tag.1.Key': 'ack.aliyun.com', 'Tag.1.Value': 'c1' };
    await all.cluster.ask('TagResources', { ResourceType: 'instance', 'ResourceId.1': 'lb-shared', ...tag });
    await (await all.start()).stop();
    await all.another();
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    assert.deepEqual([standing(next), recorded(all)], [['False', 'InvalidObject'], next.transitions]);
    await next.stop();
  });
});

describe('a lead after the last lead of this controller', () => {
  it('makes no call and no write, however often', async () => {
    const all = await served();
    for (let lead = 0; lead < 3; lead += 1) {
      const [since, writes] = [now(all), all.cluster.kubernetes.writes.length];
      const next = await all.start();
      assert.deepEqual(all.cluster.calls(since), []);
      assert.deepEqual([...new Set(writesSince(next, writes))], ['patch cloudinventories status']);
      assert.equal(recorded(all), next.transitions);
      await next.stop();
    }
  });

  it('is not compared by a process without the inventory, which records nothing', async () => {
    const all = await served();
    await all.another();
    const since = now(all);
    const next = await all.start({ controllers: ['service'] });
    assert.deepEqual(all.cluster.calls(since), []);
    await next.stop();
  });

  it('reads nothing again after a lead that found a gap', async () => {
    const all = await served();
    await all.another();
    const first = await all.start();
    await all.cluster.quiet();
    await first.stop();
    const since = now(all);
    const next = await all.start();
    assert.deepEqual(all.cluster.calls(since), []);
    await next.stop();
  });

  it('cleans up from the binding of a Service that vanished', async () => {
    const all = await served();
    vanish(all);
    const next = await all.start();
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(next).map(({ id }) => id), recordsOf(next)], [['lb-shared'], []]);
    await next.stop();
  });
});

/** Deletes Service `web` without its finalizer. */
function vanish({ cluster }: Leads): void {
  cluster.kubernetes.patch(SERVICES, KEY, { metadata: { finalizers: null } });
  cluster.kubernetes.delete(SERVICES, KEY);
}

describe('a Service that vanished while another controller led', () => {
  for (const [what, annotations] of [
    ['its own load balancer', {}],
    ['a user-managed load balancer', REUSING],
  ] as const)
    it(`with ${what} has an orphaned binding, from which no later lead cleans up`, async () => {
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

  it('has an orphaned binding also if the first lead cannot mark it', async () => {
    const all = await served();
    await all.another(() => vanish(all));
    const before = recorded(all);
    const failing = await all.start({
      aroundWrite: ({ plural }, when) =>
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

  it('has its listeners kept for a Service of its name that the other controller served', async () => {
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
    const since = now(all);
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    assert.deepEqual([changes(next, since), standing(next)], [[], READY]);
    assert.deepEqual(cloudPicture(all.cluster.simulator), picture);
    await next.stop();
  });

  it('does not block a Service of its name, which gets a load balancer of its own', async () => {
    const all = await served();
    const old = ownOf(all);
    await all.another(() => vanish(all));
    const next = await all.start();
    await apply(next, { uid: ANOTHER_UID });
    assert.deepEqual(standing(next), READY);
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

  it('has listeners that a Service of its name takes over and cleans up, if both reuse one load balancer', async () => {
    const all = await served(REUSING);
    await all.another(() => vanish(all));
    const next = await all.start();
    const since = now(next);
    await apply(next, { uid: ANOTHER_UID, annotations: REUSING });
    assert.deepEqual([standing(next), changes(next, since)], [READY, []]);
    all.cluster.kubernetes.delete(SERVICES, KEY);
    await all.cluster.quiet(10 * 60_000);
    const [{ listeners } = assert.fail()] = loadBalancers(next);
    assert.deepEqual(listeners, []);
    await next.stop();
  });
});
