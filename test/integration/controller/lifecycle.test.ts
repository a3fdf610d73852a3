import assert from 'node:assert/strict';
import { cloudPicture, loadBalancersCreated } from '../../support/cloud-picture.ts';
import { AN_AUDIT_MS, keyOf, SERVICES } from '../../support/simulated-cluster.ts';
import {
  annotation,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  deleteBinding,
  writesSince,
} from '../../support/running-controller.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());
const FINALIZER = 'service.k8s.alibaba/resources';

/** Covers the usual life of a Service: creation, changes, loss of the load balancer, and cleanup. */
describe('a Service from its creation to its cleanup', () => {
  it('publishes its address, or the host name of the annotation', async () => {
    const run = await running();
    await apply(run);
    const [loadBalancer] = loadBalancers(run);
    assert.deepEqual(ingress(run), [{ ip: loadBalancer?.address }]);
    const since = callCount(run);
    await patch(run, { metadata: { annotations: { [annotation('hostname')]: 'web.example' } } });
    assert.deepEqual(ingress(run), [{ hostname: 'web.example' }]);
    await patch(run, { metadata: { annotations: { [annotation('hostname')]: null } } });
    assert.deepEqual(ingress(run), [{ ip: loadBalancer?.address }]);
    assert.deepEqual(run.cluster.calls(since), []);
    await run.process.stop();
  });

  it('is synced on a load balancer without zones, with a note that the zone has no effect', async () => {
    const zoneless = { id: 'lb-zoneless', name: 'zoneless', masterZoneId: '', slaveZoneId: '' };
    const run = await running({}, { loadBalancers: [zoneless] });
    await apply(run, {
      annotations: { [annotation('id')]: 'lb-zoneless', [annotation('master-zoneid')]: 'cn-hangzhou-b' },
    });
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    assert.match(
      events(run, 'EnsuredLoadBalancer')[0] ?? '',
      /ignored master-zoneid, because the region has no such zones$/,
    );
    await run.process.stop();
  });

  it('has the requested name from creation on, and changes the name with the annotation', async () => {
    const name = `c1-shop-${'w'.repeat(72)}`;
    const run = await running();
    await apply(run, { annotations: { [annotation('name')]: name } });
    assert.deepEqual(
      loadBalancers(run).map((each) => each.name),
      [name],
    );
    await run.process.stop();
    const again = { ...run, process: run.cluster.start() };
    const since = callCount(again);
    await patch(again, { metadata: { annotations: { [annotation('name')]: 'web' }, labels: null } });
    assert.deepEqual(changes(again, since), ['SetLoadBalancerName']);
    assert.deepEqual(
      loadBalancers(again).map((each) => each.name),
      ['web'],
    );
    await again.process.stop();
  });

  it('leaves nothing behind when its type changes to ClusterIP', async () => {
    const run = await running();
    await apply(run);
    await patch(run, { spec: { type: 'ClusterIP' } });
    assert.deepEqual(loadBalancers(run), []);
    const service = run.cluster.service();
    assert.deepEqual(service?.metadata.finalizers, []);
    assert.deepEqual(service.metadata.labels, {});
    assert.equal(ingress(run), undefined);
    assert.deepEqual(events(run, 'TypeChanged').length, 1);
    await patch(run, { spec: { type: 'LoadBalancer' } });
    assert.equal(loadBalancers(run).length, 1, 'the Service gets another load balancer');
    await run.process.stop();
  });

  it('leaves nothing behind when its class names another controller', async () => {
    const run = await running();
    await apply(run);
    await patch(run, { metadata: { annotations: { 'service.beta.kubernetes.io/class': 'other' } } });
    assert.deepEqual(loadBalancers(run), []);
    await run.process.stop();
  });

  for (const [by, annotations] of Object.entries({
    'its address': {},
    'a host name': { [annotation('hostname')]: 'web.example' },
  }))
    it(`reports the deletion of its load balancer and gets no other if the status has ${by}`, async () => {
      const run = await running();
      await apply(run, { annotations });
      const id = loadBalancers(run)[0]?.id ?? '';
      run.cluster.simulator.seed({ remove: [id] });
      await patch(run, { metadata: { annotations: { [annotation('scheduler')]: 'wrr' } } });
      await run.cluster.quiet(10 * 60_000);
      assert.equal(loadBalancersCreated(run.cluster.simulator), 1);
      assert.deepEqual(statusAndReason(run), ['False', 'LoadBalancerNotFound']);
      assert.match(
        events(run, 'SyncLoadBalancerFailed').at(-1) ?? '',
        /the load balancer was deleted.*clear status\.loadBalancer/,
      );
      run.cluster.kubernetes.delete(SERVICES, KEY);
      await run.cluster.quiet(5 * 60_000);
      assert.equal(run.cluster.service(), undefined, 'it can still be deleted');
      await run.process.stop();
    });

  it('reports a deleted load balancer as long as a user does not clear the status', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.seed({ remove: [loadBalancers(run)[0]?.id ?? ''] });
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(statusAndReason(run), ['False', 'LoadBalancerNotFound']);
    await run.cluster.quiet(11 * 60_000);
    assert.deepEqual(statusAndReason(run), ['False', 'LoadBalancerNotFound']);
    await run.process.stop();
  });

  it('gets a new load balancer after the old one is deleted and the status is cleared', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.seed({ remove: [loadBalancers(run)[0]?.id ?? ''] });
    await patch(run, { metadata: { annotations: { [annotation('scheduler')]: 'wrr' } } });
    await run.cluster.quiet(10 * 60_000);
    await patch(run, { status: { loadBalancer: null } });
    assert.deepEqual(ingress(run), [{ ip: loadBalancers(run)[0]?.address }]);
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('gets another load balancer for a deleted one after a restart, even if a port is invalid', async () => {
    const run = await running();
    await apply(run, { ports: [80, { name: 'b', port: 443, protocol: 'TCP', targetPort: 443 }] });
    assert.equal(statusAndReason(run)[0], 'False');
    await run.process.stop();
    const id = loadBalancers(run)[0]?.id ?? '';
    run.cluster.simulator.seed({ remove: [id] });
    const next = run.cluster.start();
    await run.cluster.quiet();
    await patch(run, { status: { loadBalancer: null } });
    await run.cluster.quiet(60_000);
    assert.deepEqual(ingress(run), [{ ip: loadBalancers(run)[0]?.address }]);
    assert.equal(loadBalancers(run)[0]?.listeners.length, 1);
    await next.stop();
  });

  it('gets another load balancer if the token of its creation belongs to a deleted one', async () => {
    const run = await running();
    run.cluster.simulator.faults([
      { action: 'CreateVServerGroup', effect: 'reject', code: 'Forbidden.RAM', count: 'forever' },
    ]);
    await apply(run);
    await run.process.stop();
    run.cluster.simulator.seed({ remove: [loadBalancers(run)[0]?.id ?? ''] });
    run.cluster.simulator.clearFaults();
    const next = run.cluster.start();
    await run.cluster.quiet(10 * 60_000);
    assert.deepEqual([loadBalancers(run).length, statusAndReason(run)[0]], [1, 'True']);
    await next.stop();
  });

  it('gets its removed finalizer again, without a change in the cloud', async () => {
    const run = await running();
    await apply(run);
    const since = callCount(run);
    const before = run.cluster.binding()?.spec;
    run.cluster.kubernetes.put(SERVICES, aService());
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), []);
    assert.deepEqual(run.cluster.service()?.metadata.finalizers, [FINALIZER]);
    assert.deepEqual(run.cluster.binding()?.spec, before);
    await run.process.stop();
  });

  it('is not confused with an earlier Service of its name', async () => {
    const run = await running();
    await apply(run);
    const uid = '00000000-0000-4000-8000-000000000002';
    run.cluster.kubernetes.patch(SERVICES, KEY, { metadata: { finalizers: [] } });
    run.cluster.kubernetes.delete(SERVICES, KEY);
    run.cluster.kubernetes.put(SERVICES, aService({ uid }));
    await run.cluster.quiet();
    const names = loadBalancers(run).map(({ name }) => name);
    assert.ok(names.includes('a0000000000004000800000000000000'));
    assert.notDeepEqual(ingress(run), undefined);
    await run.process.stop();
  });

  it('is adopted from the existing controller without a change in the cloud', async () => {
    const run = await running();
    await apply(run, { ports: [80, 443] });
    await run.process.stop();
    deleteBinding(run);
    const since = callCount(run);
    const writes = run.cluster.kubernetes.writes.length;
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.deepEqual(changes(run, since), []);
    assert.deepEqual(writesSince(run, writes), ['create loadbalancerbindings']);
    await process.stop();
  });

  it('finds its load balancer by name if the owner tag is missing, and restores the tag', async () => {
    const run = await running();
    await apply(run);
    const id = loadBalancers(run)[0]?.id ?? '';
    await run.process.stop();
    await run.cluster.ask('UntagResources', {
      ResourceType: 'instance',
      'ResourceId.1': id,
      'TagKey.1': 'kubernetes.do.not.delete',
    });
    deleteBinding(run);
    run.cluster.kubernetes.patch(SERVICES, KEY, {
      metadata: { labels: { 'service.k8s.alibaba/loadbalancer-id': null } },
    });
    const process = run.cluster.start();
    await run.cluster.quiet();
    assert.equal(loadBalancersCreated(run.cluster.simulator), 1);
    assert.equal(loadBalancers(run)[0]?.tags['kubernetes.do.not.delete'], 'a5e4dbfc9c2ae4642b0335607860aef6');
    await process.stop();
  });

  it('is corrected within two hours after a user changes its resources', async () => {
    const run = await running();
    await apply(run);
    const expected = cloudPicture(run.cluster.simulator);
    const [loadBalancer] = loadBalancers(run);
    await run.cluster.ask('StopLoadBalancerListener', { LoadBalancerId: loadBalancer?.id ?? '', ListenerPort: 80 });
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(cloudPicture(run.cluster.simulator), expected);
    await run.process.stop();
  });
});
