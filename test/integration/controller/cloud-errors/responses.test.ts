import assert from 'node:assert/strict';
import { cloudPicture } from '../../../support/cloud-picture.ts';
import { AN_AUDIT_MS } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  changes,
  deleteBinding,
  events,
  ingress,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { during, ID_LABEL, remove } from '../../../support/service-changes.ts';

const MINUTE_MS = 60_000;
const READY = ['True', 'EnsuredLoadBalancer'];
const SEED = {
  loadBalancers: [
    { id: 'lb-a', name: 'a', address: '47.1.1.1', listeners: [{ port: 22, protocol: 'tcp' }] },
    { id: 'lb-b', name: 'b', address: '47.1.1.2' },
  ],
};
const REUSING = annotated({ id: 'lb-a', 'force-override-listeners': 'true' });
const NO_LIST = JSON.stringify({ RequestId: 'x' });
const NO_LISTENERS = JSON.stringify({ Listeners: [], RequestId: 'x', TotalCount: 0 });
const LISTENER = { ListenerPort: 81, ListenerProtocol: 'tcp', Status: 'running', Description: 'k8s/81/web/shop/c1' };
const OF_ANOTHER = JSON.stringify({ Listeners: [{ ...LISTENER, LoadBalancerId: 'lb-b', TCPListenerConfig: {} }] });

/** Replaces answers of the cloud. */
const distort = ({ cluster }: Running, action: string, body: string, count: number | 'forever' = 1): void =>
  cluster.simulator.faults([{ action, effect: 'malformed-body', body, count }]);

/** A wrong response of the cloud, such as an empty list, must not lead to a deletion or to a second load balancer. */
describe('a Service that is deleted while the cloud responds', () => {
  const ROWS: Readonly<Record<string, readonly [action: string, body: string]>> = {
    'with no list of server groups': ['DescribeVServerGroups', NO_LIST],
    'with no list of backends': ['DescribeVServerGroupAttribute', NO_LIST],
    'with an empty list of listeners': ['DescribeLoadBalancerListeners', NO_LISTENERS],
  };
  for (const [what, [action, body]] of Object.entries(ROWS))
    it(`${what} is cleaned up on a user-managed load balancer`, async () => {
      const run = await running({}, SEED);
      const before = cloudPicture(run.cluster.simulator);
      await apply(run, { annotations: REUSING });
      distort(run, action, body);
      await remove(run, 30 * MINUTE_MS);
      assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
      await run.process.stop();
    });

  it('with no list of load balancers is cleaned up without binding and label', async () => {
    const run = await running();
    await apply(run);
    const next = await during(run, 'stopped', async () => {
      deleteBinding(run);
      await patch(run, { metadata: { labels: { [ID_LABEL]: null } } });
      distort(run, 'DescribeLoadBalancers', NO_LIST, 2);
      await remove(run, 0);
    });
    await run.cluster.quiet(10 * MINUTE_MS);
    assert.deepEqual([loadBalancers(run), run.cluster.service()], [[], undefined]);
    await next.process.stop();
  });

  it('with the listeners of another load balancer changes nothing until the response is correct', async () => {
    const run = await running({}, SEED);
    const before = cloudPicture(run.cluster.simulator);
    await apply(run, { annotations: REUSING });
    distort(run, 'DescribeLoadBalancerListeners', OF_ANOTHER, 'forever');
    const since = callCount(run);
    await remove(run, 10 * MINUTE_MS);
    assert.deepEqual(changes(run, since), []);
    assert.match(
      events(run, 'CleanLoadBalancerFailed').join(),
      /DescribeLoadBalancerListeners: .* describes lb-b instead of lb-a/,
    );
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(10 * MINUTE_MS);
    assert.deepEqual([cloudPicture(run.cluster.simulator), run.cluster.service()], [before, undefined]);
    await run.process.stop();
  });
});

describe('a Service that is synced while the cloud', () => {
  it('describes another load balancer leaves that load balancer unchanged', async () => {
    const run = await running({}, SEED);
    const other = () => loadBalancers(run).find(({ id }) => id === 'lb-b');
    const before = other();
    const answer = await run.cluster.ask('DescribeLoadBalancerAttribute', { LoadBalancerId: 'lb-b' });
    distort(run, 'DescribeLoadBalancerAttribute', JSON.stringify(answer));
    await apply(run, { annotations: REUSING });
    assert.deepEqual([ingress(run), other()], [[{ ip: '47.1.1.1' }], before]);
    await run.process.stop();
  });

  /** Answers without an address, and the resulting number of published addresses. */
  const ADDRESSLESS = {
    'creates its load balancer without an address publishes the address of a later response': [
      ['CreateLoadBalancer'],
      1,
    ],
    'never reports an address publishes none': [['CreateLoadBalancer', 'DescribeLoadBalancerAttribute'], 0],
  } as const;
  for (const [title, [actions, count]] of Object.entries(ADDRESSLESS))
    it(title, async () => {
      const run = await running({
        answered: ({ action }, _parameters, answer) =>
          (actions as readonly string[]).includes(action) ? { ...answer, Address: undefined } : answer,
      });
      const rejection = { effect: 'reject', code: 'InvalidParameter', filter: { ListenerPort: '443' } };
      run.cluster.simulator.faults([{ action: 'CreateLoadBalancerTCPListener', ...rejection, count: 'forever' }]);
      await apply(run, { ports: [80, 443] });
      const [{ address, listeners } = assert.fail()] = loadBalancers(run);
      assert.deepEqual([listeners.length, ingress(run) ?? []], [1, [{ ip: address }].slice(0, count)]);
      await run.process.stop();
    });

  it('no longer reports its address keeps the published address', async () => {
    const run = await running();
    await apply(run);
    const address = ingress(run);
    const id = loadBalancers(run)[0]?.id ?? '';
    const answer = await run.cluster.ask('DescribeLoadBalancerAttribute', { LoadBalancerId: id });
    distort(run, 'DescribeLoadBalancerAttribute', JSON.stringify({ ...answer, Address: undefined }), 'forever');
    await run.cluster.quiet(AN_AUDIT_MS);
    assert.deepEqual(ingress(run), address);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /DescribeLoadBalancerAttribute: .* no address of/);
    await run.process.stop();
  });

  for (const body of ['null', '5', '[]', '"x"'])
    it(`responds ${body} gets an event, and is ready when the response is correct`, async () => {
      const run = await running();
      distort(run, 'DescribeLoadBalancers', body, 'forever');
      await apply(run);
      await run.cluster.quiet(5 * MINUTE_MS);
      assert.match(
        events(run, 'SyncLoadBalancerFailed').join(),
        /DescribeLoadBalancers: the response is not (?:valid|a JSON object)/,
      );
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(6 * MINUTE_MS);
      assert.deepEqual(statusAndReason(run), READY);
      await run.process.stop();
    });
});
