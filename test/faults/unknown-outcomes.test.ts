import { LOAD_BALANCER_BINDINGS } from '../../src/inventory/binding.ts';
import assert from 'node:assert/strict';
import { loadBalancersCreated } from '../support/cloud-picture.ts';
import { aCluster, keyOf, SERVICES, type Cluster } from '../support/simulated-cluster.ts';
import type { ControllerProcess } from '../support/simulated-controller.ts';
import { annotation, changes, loadBalancers } from '../support/running-controller.ts';
import { aService } from '../support/service.ts';

const KEY = keyOf(aService());
const MINUTES = 60_000;

/** Returns a cluster with a creation that takes effect `ms` milliseconds later, after its controller was killed. */
async function creationInProgress(ms: number): Promise<Cluster> {
  const cluster = aCluster();
  cluster.simulator.faults([{ action: 'CreateLoadBalancer', effect: 'late-commit', ms }]);
  const sent = Promise.withResolvers<undefined>();
  const process = cluster.start({
    onCall: async (action, when) => {
      if (action === 'CreateLoadBalancer' && when === 'before') sent.resolve(undefined);
    },
  });
  cluster.kubernetes.put(SERVICES, aService());
  await cluster.clock.complete(sent.promise);
  await cluster.quiet(500);
  process.kill();
  return cluster;
}

/** A call without a response may have created a load balancer. A blind repetition would create a second one. */
describe('a creation with an unknown outcome', () => {
  it('delays the deletion of its Service, so that no resources stay behind', async () => {
    const cluster = await creationInProgress(60_000);
    cluster.kubernetes.delete(SERVICES, KEY);
    const process = cluster.start();
    await cluster.quiet(30_000);
    assert.notEqual(cluster.service(), undefined, 'released while the creation was in progress');
    await cluster.quiet(10 * MINUTES);
    assert.deepEqual(loadBalancers({ cluster, process }), []);
    assert.equal(cluster.service(), undefined);
    await process.stop();
  });

  it('is not followed by a second creation if the Service changes in the meantime', async () => {
    const cluster = await creationInProgress(60_000);
    cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { [annotation('name')]: 'other' } } });
    const process = cluster.start();
    await cluster.quiet(10 * MINUTES);
    assert.equal(loadBalancersCreated(cluster.simulator), 1);
    assert.equal(loadBalancers({ cluster, process })[0]?.name, 'other');
    await process.stop();
  });

  it('differs from a rejected creation, after which a corrected Service is retried at once', async () => {
    const cluster = aCluster();
    cluster.simulator.faults([{ action: 'CreateLoadBalancer', effect: 'reject', code: 'InvalidParameter' }]);
    const process = cluster.start();
    cluster.kubernetes.put(SERVICES, aService());
    await cluster.quiet(1_000);
    cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { [annotation('name')]: 'other' } } });
    await cluster.quiet(1_000);
    assert.equal(loadBalancers({ cluster, process }).length, 1);
    await process.stop();
  });

  it('is found by its token without visible tags, and its resources are not created twice', async () => {
    const cluster = aCluster();
    const first: ControllerProcess = cluster.start({
      onWrite: async ({ verb, plural }, when) => {
        const isResult = verb === 'patch' && plural === LOAD_BALANCER_BINDINGS.plural;
        if (isResult && when === 'before') first.kill();
      },
    });
    cluster.kubernetes.put(SERVICES, aService({ ports: [80, 443] }));
    await cluster.quiet(1_000);
    cluster.simulator.faults([{ action: 'DescribeLoadBalancers', effect: 'stale-list', ms: 30_000 }]);
    const since = cluster.journal().length;
    const process = cluster.start();
    await cluster.quiet();
    assert.deepEqual(changes({ cluster, process }, since), ['CreateLoadBalancer']);
    assert.equal(loadBalancersCreated(cluster.simulator), 1);
    await process.stop();
  });
});

describe('the second creation for a Service that becomes ClusterIP and a LoadBalancer again', () => {
  it('has a new token', async () => {
    const cluster = aCluster();
    const process = cluster.start();
    cluster.kubernetes.put(SERVICES, aService());
    await cluster.quiet();
    for (const type of ['ClusterIP', 'LoadBalancer']) {
      cluster.kubernetes.patch(SERVICES, KEY, { spec: { type } });
      await cluster.quiet();
    }
    const tokens = cluster
      .journal()
      .flatMap(({ action, parameters }) => (action === 'CreateLoadBalancer' ? [parameters['ClientToken']] : []));
    assert.equal(new Set(tokens).size, 2);
    assert.equal(loadBalancers({ cluster, process }).length, 1);
    await process.stop();
  });
});

describe('a controller with a stale cache', () => {
  it('changes nothing in the cloud for a Service that changed since', async () => {
    const cluster = aCluster();
    const process = cluster.start({
      onCall: async (action, when) => {
        if (action !== 'DescribeLoadBalancers' || when !== 'after') return;
        process.freeze();
        cluster.kubernetes.patch(SERVICES, KEY, { spec: aService({ ports: [443] }).spec as object });
      },
    });
    cluster.kubernetes.put(SERVICES, aService());
    await cluster.quiet();
    assert.deepEqual(changes({ cluster, process }), []);
    await process.stop();
  });
});
