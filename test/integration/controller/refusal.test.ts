import assert from 'node:assert/strict';
import { AN_AUDIT_MS, keyOf, NODES, SERVICES } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import {
  annotation,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  now,
  patch,
  running,
  standing,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
/** With those that there are anyway, more than one call can make a group of. */
const MORE_NODES = Array.from({ length: 20 }, (_, index) => `i-${index + 10}`);

describe('a Service that cannot be carried out', () => {
  it('and was never, is told every fault, costs no call, and is not tried again until it changes', async () => {
    const run = await running();
    const faulty = { [annotation('scheduler')]: 'fair', [annotation('bandwidth')]: 'much' };
    await apply(run, { annotations: faulty });
    await run.cluster.quiet(60 * 60_000);
    assert.deepEqual(run.cluster.calls(), []);
    assert.equal(run.cluster.service()?.metadata.finalizers, undefined);
    const told = events(run, 'SyncLoadBalancerFailed');
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /bandwidth.*"much".*scheduler.*"fair"/s);
    await patch(run, {
      metadata: { annotations: { [annotation('scheduler')]: null, [annotation('bandwidth')]: null } },
    });
    assert.equal(loadBalancers(run).length, 1);
    await run.process.stop();
  });

  it('but was before, keeps what it has, and its backends are kept up', async () => {
    const run = await running();
    await apply(run, { annotations: { [annotation('protocol-port')]: 'http:80' } });
    const since = now(run);
    await patch(run, { metadata: { annotations: { [annotation('protocol-port')]: 'httpx:80' } } });
    run.cluster.kubernetes.delete(NODES, keyOf(aNode('n3')));
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), ['RemoveVServerGroupBackendServers']);
    assert.equal(loadBalancers(run)[0]?.listeners[0]?.protocol, 'http');
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /httpx/);
    await run.process.stop();
  });

  it('but was before, keeps its backends and their weights as they are when it cannot be read which it wants', async () => {
    const run = await running();
    await apply(run, { annotations: { [annotation('default-weight')]: '50' } });
    const since = now(run);
    const wrong = { [annotation('default-weight')]: 'heavy', [annotation('backend-label')]: '!' };
    await patch(run, { metadata: { annotations: wrong } });
    assert.deepEqual(changes(run, since), []);
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /"heavy"/);
    const put = { [annotation('default-weight')]: '60', [annotation('backend-label')]: null };
    await patch(run, { metadata: { annotations: put } });
    assert.deepEqual(changes(run, since), ['SetVServerGroupAttribute']);
    await run.process.stop();
  });

  it('and never was on a port of many backends, has the backends of its other ports kept up', async () => {
    const run = await running({}, { instances: MORE_NODES.map((id) => ({ id, name: id, vSwitchId: 'vsw-1' })) });
    for (const id of MORE_NODES)
      run.cluster.kubernetes.put(NODES, aNode(id, { spec: { providerID: `cn-hangzhou.${id}` } }));
    await apply(run);
    const since = now(run);
    const { spec } = aService({ ports: [80, 443] });
    await patch(run, { metadata: { annotations: { [annotation('scheduler')]: 'fair' } }, spec });
    run.cluster.kubernetes.delete(NODES, keyOf(aNode('n3')));
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), ['RemoveVServerGroupBackendServers']);
    assert.deepEqual(standing(run), ['False', 'InvalidObject']);
    await run.process.stop();
  });

  it('and lost a port with it, keeps the listener of that port and what people have put behind it, and gives back its node port', async () => {
    const run = await running();
    await apply(run, { ports: [80, 443] });
    const id = loadBalancers(run)[0]?.id ?? '';
    const { VServerGroups } = await run.cluster.ask('DescribeVServerGroups', { LoadBalancerId: id });
    const groups = (VServerGroups as { VServerGroup: { VServerGroupId: string; VServerGroupName: string }[] })
      .VServerGroup;
    const hers = [{ ServerId: 'i-1', Port: 9000, Weight: 100, Description: 'hers' }];
    await run.cluster.ask('AddVServerGroupBackendServers', {
      VServerGroupId: groups.find(({ VServerGroupName }) => VServerGroupName.includes('/30443/'))?.VServerGroupId ?? '',
      BackendServers: JSON.stringify(hers),
    });
    await run.cluster.quiet(AN_AUDIT_MS);
    const since = now(run);
    const { spec } = aService({ ports: [80] });
    await patch(run, { metadata: { annotations: { [annotation('scheduler')]: 'fair' } }, spec });
    assert.deepEqual(changes(run, since), ['RemoveVServerGroupBackendServers']);
    const [{ listeners, serverGroups } = { listeners: [], serverGroups: [] }] = loadBalancers(run);
    assert.deepEqual(
      [listeners.length, serverGroups.flatMap(({ backends }) => backends.map(({ port }) => port)).toSorted()],
      [2, [30_080, 30_080, 30_080, 9000]],
    );
    await run.process.stop();
  });

  it('for one of its ports, is not half built, and is told which', async () => {
    const run = await running();
    const sctp = { name: 'sctp', port: 132, protocol: 'SCTP', targetPort: 132, nodePort: 30_132 };
    await apply(run, { ports: [80, sctp] });
    assert.deepEqual(changes(run), []);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /spec\.ports\[1\].*SCTP/s);
    await run.process.stop();
  });

  it('because the cluster allows no public load balancer, is told so and can be deleted', async () => {
    const run = await running({ settings: { disablePublicSLB: true } });
    await apply(run);
    assert.deepEqual(changes(run), []);
    assert.match(
      events(run, 'SyncLoadBalancerFailed')[0] ?? '',
      /no load balancers on the internet; set it to "intranet"/,
    );
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.equal(run.cluster.service(), undefined);
    await run.process.stop();
  });

  it('because the cluster allows no public load balancer that people made either, is told so, and may reuse a private one', async () => {
    const run = await running(
      { settings: { disablePublicSLB: true } },
      {
        loadBalancers: [
          { id: 'lb-public', name: 'by-hand', address: '47.1.1.1', addressType: 'internet' },
          { id: 'lb-private', name: 'inside', address: '10.1.0.9', addressType: 'intranet', vSwitchId: 'vsw-1' },
        ],
      },
    );
    await apply(run, { annotations: { [annotation('id')]: 'lb-public' } });
    assert.deepEqual([changes(run), ingress(run), standing(run)], [[], undefined, ['False', 'DisablePublicSLB']]);
    await patch(run, { metadata: { annotations: { [annotation('id')]: 'lb-private' } } });
    assert.deepEqual([ingress(run), standing(run)[0]], [[{ ip: '10.1.0.9' }], 'True']);
    await run.process.stop();
  });

  it('because the cluster no longer allows its public load balancer, keeps it, is kept up, and can be deleted', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    const process = run.cluster.start({ settings: { disablePublicSLB: true } });
    run.cluster.kubernetes.delete(NODES, keyOf(aNode('n3')));
    await run.cluster.quiet();
    assert.equal(loadBalancers(run)[0]?.serverGroups[0]?.backends.length, 2);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.deepEqual(loadBalancers(run), []);
    await process.stop();
  });

  it('because the cloud refuses it, is told the cause with the request, backs off, and does not delay others', async () => {
    const run = await running();
    run.cluster.simulator.faults([
      {
        action: 'CreateLoadBalancer',
        filter: { LoadBalancerName: 'broken' },
        effect: 'refuse',
        code: 'QuotaFull',
        count: 'forever',
      },
    ]);
    const uid = '00000000-0000-4000-8000-000000000002';
    await apply(run, { name: 'api', uid, annotations: { [annotation('name')]: 'broken' } });
    await apply(run);
    assert.notEqual(ingress(run), undefined);
    assert.match(events(run, 'SyncLoadBalancerFailed')[0] ?? '', /request [0-9A-F-]{36}/);
    const tries = () => changes(run).filter((action) => action === 'CreateLoadBalancer').length;
    await run.cluster.quiet(20 * 60_000);
    const before = tries();
    await run.cluster.quiet(30 * 60_000);
    assert.ok(tries() - before <= 7, `tried ${tries() - before} times in half an hour`);
    await run.process.stop();
  });
});
