import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import { annotation, apply, changes, loadBalancers, now, running, standing } from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const NAMELESS = { settings: { clusterId: 'clusterid' } };

describe('a cluster that gets an id only after load balancers were made', () => {
  it('takes its Services’ own load balancers along, one of which never loses a backend or a listener', async () => {
    const run = await running(NAMELESS);
    await apply(run);
    await run.process.stop();
    const since = now(run);
    const named = { ...run, process: run.cluster.start() };
    await run.cluster.quiet();
    assert.deepEqual(standing(named), ['True', 'EnsuredLoadBalancer']);
    assert.deepEqual(changes(named, since), [
      'TagResources',
      'CreateVServerGroup',
      'SetLoadBalancerTCPListenerAttribute',
      'DeleteVServerGroup',
    ]);
    const [loadBalancer] = loadBalancers(named);
    assert.equal(loadBalancer?.tags['ack.aliyun.com'], 'c1');
    assert.deepEqual(
      [
        loadBalancer.listeners.map(({ attributes }) => attributes['Description']),
        loadBalancer.serverGroups.map(({ name }) => name),
      ],
      [['k8s/80/web/shop/c1'], ['k8s/30080/web/shop/c1']],
    );
    await run.cluster.quiet(61 * 60_000);
    assert.equal(changes(named, since).length, 4);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet();
    assert.deepEqual([loadBalancers(named), run.cluster.service()], [[], undefined]);
    await named.process.stop();
  });

  it('leaves alone what is on a load balancer that people brought, as it may be another such cluster’s', async () => {
    const listeners = [{ port: 80, protocol: 'tcp', attributes: { Description: 'k8s/80/web/shop/clusterid' } }];
    const run = await running({}, { loadBalancers: [{ id: 'lb-shared', address: '47.1.1.1', listeners }] });
    const reusing = { [annotation('id')]: 'lb-shared', [annotation('force-override-listeners')]: 'true' };
    await apply(run, { annotations: reusing });
    assert.deepEqual([changes(run), standing(run)], [[], ['False', 'PortOwner']]);
    await run.process.stop();
  });
});
