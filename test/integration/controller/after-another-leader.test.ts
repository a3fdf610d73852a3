import assert from 'node:assert/strict';
import { LOAD_BALANCER_BINDINGS, type LoadBalancerBindingSpec } from '../../../src/inventory/binding.ts';
import { READY, recordsOf } from '../../support/bindings.ts';
import { keyOf, objectKey, SERVICES } from '../../support/simulated-cluster.ts';
import { A_READ, recorded, served, vanish, type Leads } from '../../support/leadership.ts';
import {
  annotated,
  changes,
  loadBalancers,
  callCount,
  statusAndReason,
  writesSince,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const ANOTHER_UID = '11111111-c2ae-4642-b033-5607860aef6a';
const REUSING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });

const ownOf = ({ cluster }: Leads): string => cluster.binding()?.spec.loadBalancer?.id ?? assert.fail();
/** Stores a binding as a user. */
const putBinding = ({ cluster }: Leads, name: string, spec: Partial<LoadBalancerBindingSpec>) =>
  cluster.kubernetes.put(LOAD_BALANCER_BINDINGS, {
    metadata: { name: ANOTHER_UID },
    spec: { service: { namespace: 'shop', name }, clusterUID: 'the-cluster', ...spec },
  });
/** Deletes the listener of Service `web` as a user. */
const deleteListener = (all: Leads) =>
  all.cluster.ask('DeleteLoadBalancerListener', { LoadBalancerId: ownOf(all), ListenerPort: 80 });
const REPAIR = ['CreateLoadBalancerTCPListener', 'StartLoadBalancerListener'];

/** Another controller may have changed the cloud during its term as leader. The next leader must compare every Service once, and only once. */
describe('a term as leader after the term of another controller', () => {
  it('reverts changes of the other controller, and is recorded', async () => {
    const all = await served();
    await all.another(() => deleteListener(all));
    const since = callCount(all);
    const next = await all.start();
    assert.deepEqual(changes(next, since), REPAIR);
    await all.cluster.quiet();
    assert.equal(recorded(all), next.transitions);
    await next.stop();
  });

  it('reads every Service once, and writes only the record of the term if nothing differs', async () => {
    const all = await served();
    await all.another();
    const [since, writes] = [callCount(all), all.cluster.kubernetes.writes.length];
    const next = await all.start();
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual(all.cluster.calls(since), A_READ);
    assert.deepEqual([...new Set(writesSince(next, writes))], ['patch cloudinventories status']);
    await next.stop();
  });

  it('repeats failed reads, and is not recorded before', async () => {
    const all = await served();
    await all.another(() => deleteListener(all));
    const before = recorded(all);
    all.cluster.simulator.faults([
      { action: 'DescribeVServerGroups', effect: 'reject', code: 'ServiceUnavailable', count: 'forever' },
    ]);
    const next = await all.start();
    await all.cluster.quiet(5 * 60_000);
    assert.equal(recorded(all), before);
    const since = callCount(next);
    all.cluster.simulator.clearFaults();
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual([changes(next, since), recorded(all)], [REPAIR, next.transitions]);
    await next.stop();
  });

  it('is not recorded if it ends before all is read; the next leader reads all', async () => {
    const all = await served();
    await all.another(() => deleteListener(all));
    all.cluster.simulator.faults([
      { action: 'DescribeVServerGroups', effect: 'reject', code: 'ServiceUnavailable', count: 'forever' },
    ]);
    const cut = await all.start();
    await all.cluster.quiet(5 * 60_000);
    await cut.kill();
    all.cluster.simulator.clearFaults();
    const since = callCount(all);
    const next = await all.start();
    assert.deepEqual(changes(next, since), REPAIR);
    await next.stop();
  });

  it('compares nothing in a process without the inventory controller', async () => {
    const all = await served();
    await all.another();
    const since = callCount(all);
    const next = await all.start({ controllers: ['service'] });
    assert.deepEqual(all.cluster.calls(since), []);
    await next.stop();
  });
});

describe('a Service that another controller moved to another load balancer', () => {
  const GROUP = 'k8s/30080/web/shop/c1';
  const MOVED = { ...REUSING, ...annotated({ id: 'lb-b' }) };
  /** Creates the controller's resources for Service `web` as a user. */
  const serveOn = async (all: Leads, id: string): Promise<void> => {
    const members = ['i-1', 'i-2', 'i-3'].map((ServerId) => ({
      ...{ ServerId, Port: 30_080, Weight: 100, Type: 'ecs' },
      Description: GROUP,
    }));
    const group = { LoadBalancerId: id, VServerGroupName: GROUP, BackendServers: JSON.stringify(members) };
    const { VServerGroupId } = (await all.cluster.ask('CreateVServerGroup', group)) as { VServerGroupId: string };
    const listener = { ListenerPort: 80, Bandwidth: -1, Scheduler: 'rr', Description: 'k8s/80/web/shop/c1' };
    await all.cluster.ask('CreateLoadBalancerTCPListener', { LoadBalancerId: id, ...listener, VServerGroupId });
    await all.cluster.ask('StartLoadBalancerListener', { LoadBalancerId: id, ListenerPort: 80 });
  };

  it('stays there, without a changing call', async () => {
    const all = await served(REUSING);
    await all.another(async () => {
      const tags = { 'kubernetes.reused.by.user': 'true' };
      all.cluster.simulator.seed({ loadBalancers: [{ id: 'lb-b', name: 'b', address: '47.1.1.2', tags }] });
      await serveOn(all, 'lb-b');
      all.cluster.kubernetes.patch(SERVICES, keyOf(aService()), {
        metadata: { annotations: MOVED, labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-b' } },
        status: { loadBalancer: { ingress: [{ ip: '47.1.1.2' }] } },
      });
    });
    const since = callCount(all);
    const next = await all.start();
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual([changes(next, since), statusAndReason(next), ownOf(all)], [[], READY, 'lb-b']);
    await next.stop();
  });
});

describe('a term as leader after the term of another controller is recorded although', () => {
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
    'there is an orphaned binding of an earlier term': (all) => putBinding(all, 'gone', { orphaned: true }),
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
    assert.deepEqual([statusAndReason(next), recorded(all)], [['False', 'Invalid'], next.transitions]);
    await next.stop();
  });
});

describe('a term as leader after the last term of this controller', () => {
  it('makes no call, and writes only the record of the term, however often the controller starts', async () => {
    const all = await served();
    for (let term = 0; term < 3; term += 1) {
      const [since, writes] = [callCount(all), all.cluster.kubernetes.writes.length];
      const next = await all.start();
      assert.deepEqual(all.cluster.calls(since), []);
      assert.deepEqual([...new Set(writesSince(next, writes))], ['patch cloudinventories status']);
      assert.equal(recorded(all), next.transitions);
      await next.stop();
    }
  });

  it('reads nothing again after a term that compared all Services', async () => {
    const all = await served();
    await all.another();
    const first = await all.start();
    await all.cluster.quiet();
    await first.stop();
    const since = callCount(all);
    const next = await all.start();
    assert.deepEqual(all.cluster.calls(since), []);
    await next.stop();
  });

  it('cleans up a vanished Service by its binding', async () => {
    const all = await served();
    vanish(all);
    const next = await all.start();
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(next).map(({ id }) => id), recordsOf(next)], [['lb-shared'], []]);
    await next.stop();
  });

  it('cleans up a Service that vanished after a term without an inventory pass, by its binding', async () => {
    const all = await served();
    all.cluster.simulator.faults([
      { action: 'DescribeLoadBalancers', effect: 'reject', code: 'ServiceUnavailable', count: 'forever' },
    ]);
    const cut = await all.start();
    await cut.kill();
    all.cluster.simulator.clearFaults();
    vanish(all);
    const next = await all.start();
    await all.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(next).map(({ id }) => id), recordsOf(next)], [['lb-shared'], []]);
    await next.stop();
  });
});
