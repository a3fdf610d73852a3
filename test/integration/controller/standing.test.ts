import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotation,
  apply,
  events,
  ingress,
  loadBalancers,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const KEY = keyOf(aService());

const conditions = ({ cluster }: Running) => cluster.service()?.status?.conditions ?? [];

describe('the condition of a Service', () => {
  it('is true once all is carried out, in the write that says the address', async () => {
    const run = await running();
    await apply(run);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    const [told, ...others] = run.cluster.kubernetes.writes.filter(({ subresource }) => subresource === 'status');
    const { status } = (told?.patch ?? {}) as { readonly status?: object };
    assert.deepEqual([Object.keys(status ?? {}), others], [['loadBalancer', 'conditions'], []]);
    await run.process.stop();
  });

  it('is false for a Service that the rules refuse, and true once it is mended', async () => {
    const run = await running();
    await apply(run, { annotations: { [annotation('scheduler')]: 'fair' } });
    assert.deepEqual(standing(run), ['False', 'InvalidObject']);
    assert.match(conditions(run)[0]?.message ?? '', /scheduler.*fair/);
    await patch(run, { metadata: { annotations: { [annotation('scheduler')]: null } } });
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('is written once however often the same thing goes wrong', async () => {
    const run = await running();
    run.cluster.simulator.faults([
      { action: 'CreateLoadBalancer', effect: 'refuse', code: 'OverQuota', count: 'forever' },
    ]);
    await apply(run);
    const writes = run.cluster.kubernetes.writes.length;
    await run.cluster.quiet(60 * 60_000);
    assert.deepEqual(standing(run), ['False', 'QuotaExceeded']);
    assert.equal(run.cluster.kubernetes.writes.length, writes);
    await run.process.stop();
  });

  it('is false for a port that the cloud refuses, beside the address at which the others are reached', async () => {
    const run = await running();
    const refusal = { effect: 'refuse', code: 'InvalidParameter', filter: { ListenerPort: '443' }, count: 'forever' };
    run.cluster.simulator.faults([{ action: 'CreateLoadBalancerTCPListener', ...refusal }]);
    await apply(run, { ports: [80, 443] });
    assert.deepEqual(ingress(run), [{ ip: loadBalancers(run)[0]?.address }]);
    assert.deepEqual(standing(run), ['False', 'Rejected']);
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('is false for a Node whose instance is gone, beside the address at which the others are reached', async () => {
    const run = await running({}, { remove: ['i-3'] });
    await apply(run);
    assert.deepEqual(ingress(run), [{ ip: loadBalancers(run)[0]?.address }]);
    assert.deepEqual(standing(run), ['False', 'InvalidBackend']);
    await run.process.stop();
  });

  it('names a port that cannot be carried out beside what the cloud refuses of another, as the event does', async () => {
    const run = await running();
    run.cluster.simulator.faults([
      { action: 'CreateLoadBalancerTCPListener', effect: 'refuse', code: 'ListenerNumberOverLimit', count: 'forever' },
    ]);
    const [good] = aService().spec?.ports ?? [];
    const bad = { name: 'bad', port: 443, protocol: 'TCP', targetPort: 443 };
    await apply(run, { ports: [good ?? 80, bad] });
    const both = /ask for a higher quota.*; port 443: it has no node port/;
    assert.match(events(run, 'SyncLoadBalancerFailed').at(-1) ?? '', both);
    assert.match(run.cluster.service()?.status?.conditions?.[0]?.message ?? '', both);
    assert.deepEqual(standing(run), ['False', 'QuotaExceeded']);
    await run.process.stop();
  });

  it('says no address while no port is served', async () => {
    const run = await running();
    const refusal = { effect: 'refuse', code: 'InvalidParameter', count: 'forever' };
    run.cluster.simulator.faults([{ action: 'CreateLoadBalancerTCPListener', ...refusal }]);
    await apply(run);
    assert.equal(ingress(run), undefined);
    assert.deepEqual(standing(run), ['False', 'Rejected']);
    await run.process.stop();
  });

  it('keeps the time since which it stands as it does, and the conditions of others', async () => {
    const run = await running();
    await apply(run);
    const [ours] = conditions(run);
    const other = {
      type: 'other',
      status: 'True',
      reason: 'Said',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    run.cluster.kubernetes.patch(SERVICES, KEY, { status: { conditions: [other, ours] } });
    await run.cluster.quiet(10 * 60_000);
    await patch(run, {
      metadata: { annotations: { [annotation('cert-id')]: 'x', [annotation('protocol-port')]: 'https:80' } },
    });
    assert.deepEqual(standing(run), ['False', 'Certificate']);
    assert.deepEqual(conditions(run)[0], other);
    assert.notEqual(conditions(run)[1]?.lastTransitionTime, ours?.lastTransitionTime);
    await run.process.stop();
  });

  it('goes with the load balancer when the Service ceases to ask for one', async () => {
    const run = await running();
    await apply(run);
    await patch(run, { spec: { type: 'ClusterIP' } });
    assert.deepEqual(conditions(run), []);
    await run.process.stop();
  });

  it('says why a Service cannot go', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'refuse', code: 'Forbidden.RAM', count: 3 }]);
    run.cluster.kubernetes.delete(SERVICES, KEY);
    await run.cluster.quiet(1_000);
    assert.deepEqual(standing(run), ['False', 'Forbidden']);
    await run.cluster.quiet(10 * 60_000);
    assert.equal(run.cluster.service(), undefined);
    await run.process.stop();
  });
});
