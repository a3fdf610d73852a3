import assert from 'node:assert/strict';
import { AN_AUDIT_MS, keyOf, SERVICES } from '../../support/cluster.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  now,
  running,
  standing,
  type Running,
  deleteBinding,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const SHARED = { loadBalancers: [{ id: 'lb-shared', name: 'shared', address: '47.1.1.1' }] };
const REUSING = annotated({ id: 'lb-shared', 'force-override-listeners': 'true' });
const NOTHING_BUT_AN_ID = JSON.stringify({ RequestId: 'x' });

/** Makes one answer another than the cloud means. */
const distort = ({ cluster }: Running, action: string, body: string, count: number | 'forever' = 1): void =>
  cluster.simulator.faults([{ action, effect: 'malformed-body', body, count }]);

describe('an answer of the cloud that is not one', () => {
  for (const action of ['DescribeVServerGroups', 'DescribeVServerGroupAttribute']) {
    it(`lets no Service go while something of it is there: ${action} without its list`, async () => {
      const run = await running({}, SHARED);
      await apply(run, { annotations: REUSING });
      distort(run, action, NOTHING_BUT_AN_ID);
      run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
      await run.cluster.quiet(10 * 60_000);
      assert.equal(run.cluster.service(), undefined);
      assert.deepEqual(loadBalancers(run)[0]?.serverGroups, []);
      assert.deepEqual(loadBalancers(run)[0]?.listeners, []);
      await run.process.stop();
    });
  }

  it('lets no Service go while its own load balancer is there: DescribeLoadBalancers without its list', async () => {
    const run = await running();
    await apply(run);
    await run.process.stop();
    deleteBinding(run);
    const forgotten = { 'service.k8s.alibaba/loadbalancer-id': null };
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { metadata: { labels: forgotten } });
    distort(run, 'DescribeLoadBalancers', NOTHING_BUT_AN_ID, 2);
    run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
    const next = run.cluster.start();
    await run.cluster.quiet(10 * 60_000);
    assert.equal(run.cluster.service(), undefined);
    assert.deepEqual(loadBalancers(run), []);
    await next.stop();
  });

  it('is not taken for one about the load balancer that was asked for when it is about another', async () => {
    const other = { id: 'lb-other', name: 'others', address: '47.1.1.2' };
    const run = await running({}, { loadBalancers: [...SHARED.loadBalancers, other] });
    const answer = await run.cluster.ask('DescribeLoadBalancerAttribute', { LoadBalancerId: 'lb-other' });
    distort(run, 'DescribeLoadBalancerAttribute', JSON.stringify(answer));
    await apply(run, { annotations: REUSING });
    assert.deepEqual(ingress(run), [{ ip: '47.1.1.1' }]);
    const untouched = loadBalancers(run).find(({ id }) => id === 'lb-other');
    assert.deepEqual([untouched?.tags, untouched?.listeners, untouched?.serverGroups], [{}, [], []]);
    await run.process.stop();
  });

  it('has the address read that a creation has not told', async () => {
    const run = await running({
      answered: ({ action }, _parameters, answer) =>
        action === 'CreateLoadBalancer' ? { ...answer, Address: undefined } : answer,
    });
    await apply(run);
    assert.deepEqual(ingress(run), [{ ip: loadBalancers(run)[0]?.address }]);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('has no empty address said where neither a creation nor a description tells one', async () => {
    const homeless = ['CreateLoadBalancer', 'DescribeLoadBalancerAttribute'];
    const run = await running({
      answered: ({ action }, _parameters, answer) =>
        homeless.includes(action) ? { ...answer, Address: undefined } : answer,
    });
    const refusal = { effect: 'refuse', code: 'InvalidParameter', filter: { ListenerPort: '443' } };
    run.cluster.simulator.faults([{ action: 'CreateLoadBalancerTCPListener', ...refusal, count: 'forever' }]);
    await apply(run, { ports: [80, 443] });
    assert.deepEqual([loadBalancers(run)[0]?.listeners.length, ingress(run) ?? []], [1, []]);
    await run.process.stop();
  });

  it('takes no address away that it does not tell', async () => {
    const run = await running();
    await apply(run);
    const said = ingress(run);
    const id = loadBalancers(run)[0]?.id ?? '';
    const answer = await run.cluster.ask('DescribeLoadBalancerAttribute', { LoadBalancerId: id });
    distort(run, 'DescribeLoadBalancerAttribute', JSON.stringify({ ...answer, Address: undefined }), 'forever');
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(ingress(run), said);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /DescribeLoadBalancerAttribute: .* no address of it/);
    await run.process.stop();
  });

  describe('and lists the listeners of another load balancer', () => {
    const listener = {
      ListenerPort: 81,
      ListenerProtocol: 'tcp',
      Status: 'running',
      Description: 'k8s/81/web/shop/c1',
    };
    const body = JSON.stringify({ Listeners: [{ ...listener, LoadBalancerId: 'lb-other', TCPListenerConfig: {} }] });

    it('has nothing done to those of that number, and is told', async () => {
      const run = await running({}, SHARED);
      await apply(run, { annotations: REUSING });
      distort(run, 'DescribeLoadBalancerListeners', body, 'forever');
      const since = now(run);
      run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(changes(run, since), []);
      assert.match(events(run, 'CleanLoadBalancerFailed').join(), /DescribeLoadBalancerListeners: .* about lb-other/);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(10 * 60_000);
      assert.equal(run.cluster.service(), undefined);
      assert.deepEqual(loadBalancers(run)[0]?.listeners, []);
      await run.process.stop();
    });
  });

  for (const body of ['null', '5', '[]', '"x"']) {
    it(`is told as such when it is ${body}`, async () => {
      const run = await running();
      distort(run, 'DescribeLoadBalancers', body, 'forever');
      await apply(run);
      await run.cluster.quiet(5 * 60_000);
      assert.match(events(run, 'SyncLoadBalancerFailed').join(), /DescribeLoadBalancers: .*could not be read/);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(6 * 60_000);
      assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
      await run.process.stop();
    });
  }
});
