import { AN_AUDIT_MS } from '../../support/simulated-cluster.ts';
import { AUDIT_PERIOD_MS } from '../../../src/controller/service/state/service-state.ts';
import assert from 'node:assert/strict';
import {
  annotation,
  apply,
  events,
  ingress,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../support/running-controller.ts';

/** Clients use the published elastic address. An outdated address leads to the wrong load balancer, or to none. */
describe('elastic IP addresses', () => {
  const bind = (run: Running, ...addresses: readonly string[]): void => {
    const instanceId = loadBalancers(run)[0]?.id ?? '';
    run.cluster.simulator.seed({
      eips: addresses.map((address, index) => ({
        id: `eip-${index}`,
        address,
        instanceId,
        instanceType: 'SlbInstance',
      })),
    });
  };
  const ASKING = { [annotation('address-type')]: 'intranet', [annotation('external-ip-type')]: 'eip' };

  it('replace the private address after they are bound', async () => {
    const run = await running();
    await apply(run, { annotations: ASKING });
    assert.deepEqual(ingress(run), [{ ip: loadBalancers(run)[0]?.address }]);
    assert.match(events(run, 'FailedSetEIPAddress')[0] ?? '', /load balancer lb-\w+ has no elastic IP address/);
    bind(run, '8.0.0.2', '8.0.0.1');
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual(ingress(run), [{ ip: '8.0.0.1' }, { ip: '8.0.0.2' }]);
    const since = callCount(run);
    await run.cluster.quiet(AUDIT_PERIOD_MS);
    const lookups = run.cluster.calls(since).filter((action) => action === 'DescribeEipAddresses');
    assert.equal(lookups.length, 1, 'one lookup for each audit');
    await run.process.stop();
  });

  it('are looked up once if none is bound, although the published address changes meanwhile', async () => {
    const run = await running();
    await apply(run, { annotations: ASKING });
    const lookups = run.cluster.calls().filter((action) => action === 'DescribeEipAddresses');
    assert.equal(lookups.length, 1);
    assert.equal(events(run, 'FailedSetEIPAddress').length, 1);
    await run.process.stop();
  });

  it('change within an audit if another is bound, and are removed with the annotation', async () => {
    const run = await running();
    await apply(run, { annotations: ASKING });
    bind(run, '8.0.0.1');
    await run.cluster.quiet(6 * 60_000);
    bind(run, '8.0.0.9');
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(ingress(run), [{ ip: '8.0.0.9' }]);
    await patch(run, { metadata: { annotations: { [annotation('external-ip-type')]: null } } });
    assert.deepEqual(ingress(run), [{ ip: loadBalancers(run)[0]?.address }]);
    await run.process.stop();
  });

  it('are replaced by the private address within an audit if none is bound any more', async () => {
    const run = await running();
    await apply(run, { annotations: ASKING });
    bind(run, '8.0.0.1');
    await run.cluster.quiet(6 * 60_000);
    run.cluster.simulator.seed({ remove: ['eip-0'] });
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(ingress(run), [{ ip: loadBalancers(run)[0]?.address }]);
    await run.process.stop();
  });

  it('stay published after a restart, and if they cannot be looked up', async () => {
    const run = await running();
    await apply(run, { annotations: ASKING });
    bind(run, '8.0.0.1');
    await run.cluster.quiet(6 * 60_000);
    await run.process.stop();
    run.cluster.simulator.faults([
      { action: 'DescribeEipAddresses', effect: 'reject', code: 'Forbidden.RAM', count: 'forever' },
    ]);
    const process = run.cluster.start();
    await patch(run, { metadata: { annotations: { [annotation('scheduler')]: 'wrr' } } });
    assert.deepEqual(ingress(run), [{ ip: '8.0.0.1' }]);
    assert.match(events(run, 'FailedSetEIPAddress').at(-1) ?? '', /permission vpc:DescribeEipAddresses is missing/);
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    await process.stop();
  });

  it('of a user-managed load balancer are published until the annotation is removed', async () => {
    const run = await running({}, { loadBalancers: [{ id: 'lb-shared', address: '47.1.1.1' }] });
    run.cluster.simulator.seed({
      eips: [{ id: 'eip-1', address: '8.0.0.1', instanceId: 'lb-shared', instanceType: 'SlbInstance' }],
    });
    await apply(run, { annotations: { [annotation('id')]: 'lb-shared', [annotation('external-ip-type')]: 'eip' } });
    assert.deepEqual(ingress(run), [{ ip: '8.0.0.1' }]);
    await patch(run, { metadata: { annotations: { [annotation('external-ip-type')]: null } } });
    assert.deepEqual(ingress(run), [{ ip: '47.1.1.1' }]);
    await run.process.stop();
  });
});
