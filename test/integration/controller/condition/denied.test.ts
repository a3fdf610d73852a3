import assert from 'node:assert/strict';
import { keyOf, NODES, SERVICES } from '../../../support/simulated-cluster.ts';
import { aNode } from '../../../support/node.ts';
import {
  annotated,
  apply,
  changes,
  deleteBinding,
  events,
  ingress,
  loadBalancers,
  messageOf,
  patch,
  running,
  statusAndReason,
  writesSince,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

const INVALID_OBJECT = ['False', 'Invalid'];

const remove = async ({ cluster }: Running): Promise<void> => {
  cluster.kubernetes.delete(SERVICES, keyOf(aService()));
  await cluster.quiet();
  assert.equal(cluster.service(), undefined);
};

/** A denied Service must cost no calls, and its condition must name the cause once. */
describe('a new Service that is denied', () => {
  const SCTP = { name: 'sctp', port: 132, protocol: 'SCTP', targetPort: 132, nodePort: 30_132 };
  const INVALID = {
    'for two annotations': {
      input: { annotations: annotated({ scheduler: 'fair', bandwidth: 'much' }) },
      message: /bandwidth.*"much".*scheduler.*"fair"/s,
    },
    'for one of its ports': { input: { ports: [80, SCTP] }, message: /spec\.ports\[1\].*SCTP/s },
  };
  for (const [why, { input, message }] of Object.entries(INVALID))
    it(`${why} costs no call and is reported once, until it is corrected`, async () => {
      const run = await running();
      await apply(run, input);
      await run.cluster.quiet(60 * 60_000);
      assert.deepEqual(run.cluster.calls(), []);
      assert.equal(run.cluster.service()?.metadata.finalizers, undefined);
      const reported = events(run, 'SyncLoadBalancerFailed');
      assert.equal(reported.length, 1);
      assert.match(reported[0] ?? '', message);
      await patch(run, { metadata: { annotations: null }, spec: aService().spec });
      assert.deepEqual([loadBalancers(run).length, statusAndReason(run)[0]], [1, 'True']);
      await run.process.stop();
    });
});

describe('a denied Service that has never been synced', () => {
  const USER_MANAGED = {
    ...{ id: 'lb-a', name: 'a', address: '47.1.1.1' },
    serverGroups: [{ id: 'rsp-a', name: 'group-a', backends: [] }],
    listeners: [{ port: 80, protocol: 'tcp', attributes: { VServerGroupId: 'rsp-a' } }],
  };
  const DENIED = annotated({ id: 'lb-a', 'vgroup-port': 'rsp-a:80', 'delete-protection': 'maybe' });
  const MARKS: Readonly<Record<string, object>> = {
    'neither label nor finalizer': {},
    'a finalizer that a user added': { finalizers: ['service.k8s.alibaba/resources'] },
    'a label that a user added': { labels: { 'service.k8s.alibaba/loadbalancer-id': 'lb-a' } },
  };
  for (const [what, marks] of Object.entries(MARKS))
    it(`stays without backends, address and bound load balancer if it has ${what}`, async () => {
      const run = await running({ controllers: ['service', 'inventory'] }, { loadBalancers: [USER_MANAGED] });
      const made = aService({ annotations: DENIED });
      run.cluster.kubernetes.put(SERVICES, { ...made, metadata: { ...made.metadata, ...marks } });
      await run.cluster.quiet(5 * 60_000);
      assert.deepEqual(
        [changes(run), ingress(run), run.cluster.binding()?.spec.loadBalancer, statusAndReason(run)],
        [[], undefined, undefined, INVALID_OBJECT],
      );
      await run.process.stop();
    });
});

describe('a denied Service whose binding is deleted', () => {
  const SHARED = {
    loadBalancers: [{ id: 'lb-a', name: 'a', address: '47.1.1.1', listeners: [{ port: 22, protocol: 'tcp' }] }],
  };

  it('has one condition, with the failure and the violation, while its listeners cannot be read', async () => {
    const run = await running({}, SHARED);
    await apply(run, { annotations: annotated({ id: 'lb-a', 'force-override-listeners': 'true' }) });
    await patch(run, { metadata: { annotations: annotated({ 'default-weight': 'heavy' }) } });
    const [action, code] = ['DescribeLoadBalancerListeners', 'Forbidden.RAM'];
    run.cluster.simulator.faults([{ action, effect: 'reject', code, status: 403, count: 'forever' }]);
    deleteBinding(run);
    await run.cluster.quiet(10 * 60_000);
    const { writes, events } = run.cluster.kubernetes;
    const [written, before] = [writes.length, events.length];
    await run.cluster.quiet(60 * 60_000);
    assert.deepEqual([statusAndReason(run), writesSince(run, written)], [['False', 'Forbidden'], []]);
    assert.match(messageOf(run), /DescribeLoadBalancerListeners.*default-weight.*"heavy"/s);
    assert.ok(events.slice(before).every(({ message }) => message.includes(action)));
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([statusAndReason(run), run.cluster.binding()?.spec.admittedUsage?.listeners], [INVALID_OBJECT, 1]);
    await run.process.stop();
  });
});

describe('a Service in a cluster without public load balancers', () => {
  const DISABLED = { settings: { disablePublicSLB: true } };

  it('is denied a new load balancer, and can be deleted', async () => {
    const run = await running(DISABLED);
    await apply(run);
    assert.deepEqual(changes(run), []);
    assert.match(
      events(run, 'SyncLoadBalancerFailed')[0] ?? '',
      /Required value: must be intranet: this cluster allows no public load balancers; /,
    );
    await remove(run);
    await run.process.stop();
  });

  it('is denied a public user-managed load balancer, and can reuse a private one', async () => {
    const seed = [
      { id: 'lb-public', name: 'by-hand', address: '47.1.1.1', addressType: 'internet' },
      { id: 'lb-private', name: 'inside', address: '10.1.0.9', addressType: 'intranet', vSwitchId: 'vsw-1' },
    ];
    const run = await running(DISABLED, { loadBalancers: seed });
    await apply(run, { annotations: annotated({ id: 'lb-public' }) });
    assert.deepEqual(
      [changes(run), ingress(run), statusAndReason(run)],
      [[], undefined, ['False', 'DisablePublicSLB']],
    );
    await patch(run, { metadata: { annotations: annotated({ id: 'lb-private' }) } });
    assert.deepEqual([ingress(run), statusAndReason(run)[0]], [[{ ip: '10.1.0.9' }], 'True']);
    await run.process.stop();
  });

  it('keeps its load balancer with its backends, and can be deleted', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    const process = run.cluster.start(DISABLED);
    run.cluster.kubernetes.delete(NODES, keyOf(aNode('n3')));
    await run.cluster.quiet();
    assert.equal(loadBalancers(run)[0]?.serverGroups[0]?.backends.length, 2);
    await remove(run);
    assert.deepEqual(loadBalancers(run), []);
    await process.stop();
  });
});
