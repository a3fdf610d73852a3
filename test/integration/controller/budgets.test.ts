import assert from 'node:assert/strict';
import { aCluster, aSlice, ENDPOINT_SLICES, keyOf, NODES, SERVICES, type Cluster } from '../../support/cluster.ts';
import { aNode } from '../../support/node.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';

const KEY = keyOf(aService());
const LOCAL = { externalTrafficPolicy: 'Local', selector: { app: 'web' } };
const annotation = (suffix: string): string => `service.beta.kubernetes.io/alibaba-cloud-loadbalancer-${suffix}`;

/** A cluster with the Service carried out, its controller running, and what was asked so far. */
async function served(said: ServiceSaid = {}, nodes = 3) {
  const cluster = aCluster({ nodes });
  const process = cluster.start();
  cluster.kubernetes.put(SERVICES, aService({ ports: [80, 443], ...said }));
  await cluster.quiet();
  return { cluster, process, ...mark(cluster) };
}

const mark = (cluster: Cluster) => ({
  since: cluster.simulator.journal().length,
  writes: cluster.kubernetes.writes.length,
});

describe('call budgets', () => {
  it('B01: creating a Service with two ports and three Nodes takes 8 calls, one of them a read', async () => {
    const { cluster, process } = await served();
    assert.deepEqual(cluster.calls(), [
      'DescribeLoadBalancers',
      'CreateLoadBalancer',
      'CreateVServerGroup',
      'CreateVServerGroup',
      'CreateLoadBalancerTCPListener',
      'StartLoadBalancerListener',
      'CreateLoadBalancerTCPListener',
      'StartLoadBalancerListener',
    ]);
    assert.equal(cluster.kubernetes.writes.length, 4);
    assert.ok(cluster.kubernetes.told.length <= 2);
    await process.stop();
  });

  it('B01: and no more when its pods become known a moment after it', async () => {
    const cluster = aCluster();
    const process = cluster.start();
    const service = aService({ ports: [80, 443] });
    cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, ...LOCAL } });
    await cluster.quiet(100);
    cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1', 'n2', 'n3']));
    await cluster.quiet();
    assert.equal(cluster.calls().length, 8);
    assert.deepEqual(
      cluster.kubernetes.told.map(({ reason }) => reason),
      ['EnsuredLoadBalancer'],
    );
    await process.stop();
  });

  it('a Service whose pods never become known is carried out all the same', async () => {
    const cluster = aCluster();
    const process = cluster.start();
    const service = aService({ ports: [80] });
    cluster.kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, ...LOCAL } });
    await cluster.quiet(1_900);
    assert.deepEqual(cluster.calls(), []);
    await cluster.quiet();
    assert.ok(cluster.calls().includes('StartLoadBalancerListener'));
    assert.deepEqual(
      cluster.kubernetes.told.map(({ reason }) => reason),
      ['UnAvailableLoadBalancer', 'EnsuredLoadBalancer'],
    );
    await process.stop();
  });

  it('an HTTPS port costs a read more for each certificate that is put into use, and none once it is', async () => {
    const certificates = ['a', 'b'].map((id) => ({ id, commonName: id, expiresAt: '2030-01-01T00:00:00Z' }));
    const cluster = aCluster();
    cluster.simulator.seed({ certificates });
    const process = cluster.start();
    const annotations = {
      [annotation('protocol-port')]: 'https:443',
      [annotation('cert-id')]: 'a',
      [annotation('domain-extensions')]: 'x.example:b,y.example:b',
    };
    cluster.kubernetes.put(SERVICES, aService({ ports: [443], annotations }));
    await cluster.quiet();
    assert.deepEqual(cluster.calls(), [
      'DescribeLoadBalancers',
      'DescribeServerCertificates',
      'DescribeServerCertificates',
      'CreateLoadBalancer',
      'CreateVServerGroup',
      'CreateLoadBalancerHTTPSListener',
      'CreateDomainExtension',
      'CreateDomainExtension',
      'StartLoadBalancerListener',
    ]);
    const { since } = mark(cluster);
    cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { [annotation('idle-timeout')]: '30' } } });
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), ['SetLoadBalancerHTTPSListenerAttribute']);
    await process.stop();
  });

  it('B02: an unchanged Service costs no call and no write, also after a restart', async () => {
    const { cluster, process, since, writes } = await served();
    await process.stop();
    const next = cluster.start();
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), []);
    assert.equal(cluster.kubernetes.writes.length, writes);
    await next.stop();
  });

  it('B03: an edit without effect in the cloud costs no call', async () => {
    const { cluster, process, since } = await served();
    cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { note: 'hello' } } });
    cluster.kubernetes.patch(SERVICES, KEY, { spec: { sessionAffinity: 'None' } });
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), []);
    await process.stop();
  });

  it('B04: one listener attribute costs one call', async () => {
    const { cluster, process, since, writes } = await served({ ports: [80] });
    cluster.kubernetes.patch(SERVICES, KEY, { metadata: { annotations: { [annotation('scheduler')]: 'wrr' } } });
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), ['SetLoadBalancerTCPListenerAttribute']);
    assert.equal(cluster.kubernetes.writes.length - writes, 2);
    await process.stop();
  });

  it('B05: a port more costs three calls', async () => {
    const { cluster, process, since } = await served();
    cluster.kubernetes.patch(SERVICES, KEY, { spec: aService({ ports: [80, 443, 8080] }).spec as object });
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), [
      'CreateVServerGroup',
      'CreateLoadBalancerTCPListener',
      'StartLoadBalancerListener',
    ]);
    await process.stop();
  });

  it('B06: a backend more costs one call a port', async () => {
    const { cluster, process, since, writes } = await served({}, 2);
    cluster.kubernetes.put(NODES, aNode('n3', { spec: { providerID: 'cn-hangzhou.i-3' } }));
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), ['AddVServerGroupBackendServers', 'AddVServerGroupBackendServers']);
    assert.equal(cluster.kubernetes.writes.length - writes, 2);
    await process.stop();
  });

  it('B07: a backend replaced costs two calls a port, and the new one comes first', async () => {
    const local = { ...aService({ ports: [80] }) };
    const cluster = aCluster();
    const process = cluster.start();
    cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(local, ['n1', 'n2']));
    cluster.kubernetes.put(SERVICES, { ...local, spec: { ...local.spec, externalTrafficPolicy: 'Local' } });
    await cluster.quiet();
    const { since } = mark(cluster);
    cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(local, ['n1', 'n3']));
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers']);
    await process.stop();
  });

  it('B10: deleting a Service costs three calls, one of them the proof of ownership', async () => {
    const { cluster, process, since } = await served();
    cluster.kubernetes.delete(SERVICES, KEY);
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), [
      'DescribeLoadBalancerAttribute',
      'SetLoadBalancerDeleteProtection',
      'DeleteLoadBalancer',
    ]);
    assert.equal(cluster.service(), undefined);
    await process.stop();
  });

  it('B14: a Node that flaps costs nothing where no pod of the Service is on it', async () => {
    const local = aService({ ports: [80] });
    const cluster = aCluster();
    const process = cluster.start();
    cluster.kubernetes.put(ENDPOINT_SLICES, aSlice(local, ['n1']));
    cluster.kubernetes.put(SERVICES, { ...local, spec: { ...local.spec, externalTrafficPolicy: 'Local' } });
    await cluster.quiet();
    const { since, writes } = mark(cluster);
    const flapping = { spec: { providerID: 'cn-hangzhou.i-3' } };
    cluster.kubernetes.put(NODES, aNode('n3', { ...flapping, ready: 'Unknown' }));
    cluster.kubernetes.put(NODES, aNode('n3', flapping));
    await cluster.quiet();
    assert.deepEqual(cluster.calls(since), []);
    assert.equal(cluster.kubernetes.writes.length, writes);
    await process.stop();
  });

  it('B22: a creating call whose answer is lost costs two calls more at most', async () => {
    for (const nth of [2, 3, 4, 5, 7]) {
      const cluster = aCluster();
      cluster.simulator.faults([{ action: '*', nth, effect: 'cut-after-commit' }]);
      const process = cluster.start();
      cluster.kubernetes.put(SERVICES, aService({ ports: [80, 443] }));
      await cluster.quiet(3 * 60_000);
      assert.match(cluster.calls()[nth - 1] ?? '', /^Create/);
      assert.ok(cluster.calls().length <= 10, `call ${nth}: ${cluster.calls().join(', ')}`);
      await process.stop();
    }
  });

  it('B23: a throttled call costs one call more', async () => {
    for (let nth = 1; nth <= 8; nth += 1) {
      const cluster = aCluster();
      cluster.simulator.faults([{ action: '*', nth, effect: 'throttle' }]);
      const process = cluster.start();
      cluster.kubernetes.put(SERVICES, aService({ ports: [80, 443] }));
      await cluster.quiet(3 * 60_000);
      assert.equal(cluster.calls().length, 9, `call ${nth}: ${cluster.calls().join(', ')}`);
      await process.stop();
    }
  });
});
