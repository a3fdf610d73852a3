import assert from 'node:assert/strict';
import { keyOf, SERVICES } from '../../../support/simulated-cluster.ts';
import {
  annotated,
  apply,
  conditionOf,
  events,
  ingress,
  loadBalancers,
  messageOf,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService, type ServiceInput } from '../../../support/service.ts';

const READY = ['True', 'EnsuredLoadBalancer'];
const CREATE_LISTENER = 'CreateLoadBalancerTCPListener';

/** Tools wait for the condition LoadBalancerReady. A wrong value would let a deployment continue without traffic. */
describe('the condition LoadBalancerReady is False', () => {
  interface Row {
    readonly input?: ServiceInput;
    readonly seed?: object;
    /** Rejection by the cloud. */
    readonly fault?: object;
    readonly reason: string;
    readonly message: RegExp;
    /** True if the Service gets its address anyway. */
    readonly isServed: boolean;
    readonly mend: (run: Running) => Promise<unknown>;
  }
  const later = async ({ cluster }: Running): Promise<void> => {
    cluster.simulator.clearFaults();
    await cluster.quiet(10 * 60_000);
  };
  const portsOf = (...numbers: readonly number[]) => aService({ ports: numbers }).spec?.ports ?? [];
  const ROWS: Readonly<Record<string, Row>> = {
    'without an address if a rule denies the Service': {
      input: { annotations: annotated({ scheduler: 'fair' }) },
      reason: 'Invalid',
      message: /scheduler.*fair/,
      isServed: false,
      mend: (run) => patch(run, { metadata: { annotations: annotated({ scheduler: null }) } }),
    },
    'with an address if the cloud rejects one of two ports': {
      input: { ports: [80, 443] },
      fault: { action: CREATE_LISTENER, code: 'InvalidParameter', filter: { ListenerPort: '443' } },
      reason: 'Rejected',
      message: new RegExp(CREATE_LISTENER),
      isServed: true,
      mend: later,
    },
    'without an address if the cloud rejects the only port': {
      fault: { action: CREATE_LISTENER, code: 'InvalidParameter' },
      reason: 'Rejected',
      message: new RegExp(CREATE_LISTENER),
      isServed: false,
      mend: later,
    },
    'with an address if the instance of a Node does not exist': {
      seed: { remove: ['i-3'] },
      reason: 'InvalidBackend',
      message: /i-3/,
      isServed: true,
      mend: async (run) => {
        const instance = { id: 'i-3', vSwitchId: 'vsw-1', privateAddresses: ['10.1.0.13'] };
        run.cluster.simulator.seed({ instances: [instance] });
        await run.cluster.quiet(10 * 60_000);
      },
    },
    'with all causes if one port is invalid and the cloud rejects the other': {
      input: { ports: [...portsOf(80), { name: 'bad', port: 443, protocol: 'TCP', targetPort: 443 }] },
      fault: { action: CREATE_LISTENER, code: 'ListenerNumberOverLimit' },
      reason: 'QuotaExceeded',
      message: /request a higher quota.*; port 443: the port has no node port/,
      isServed: false,
      mend: async (run) => {
        await later(run);
        await patch(run, { spec: { ports: portsOf(80, 443) } });
      },
    },
  };
  for (const [what, { input = {}, seed, fault, reason, message, isServed, mend }] of Object.entries(ROWS))
    it(what, async () => {
      const run = await running({}, seed);
      if (fault !== undefined) run.cluster.simulator.faults([{ ...fault, effect: 'reject', count: 'forever' }]);
      await apply(run, input);
      assert.deepEqual(statusAndReason(run), ['False', reason]);
      for (const text of [messageOf(run), events(run, 'SyncLoadBalancerFailed').at(-1) ?? ''])
        assert.match(text, message);
      assert.deepEqual(ingress(run), isServed ? [{ ip: loadBalancers(run)[0]?.address }] : undefined);
      await mend(run);
      assert.deepEqual(statusAndReason(run), READY);
      await run.process.stop();
    });
});

describe('the condition LoadBalancerReady', () => {
  it('becomes True in the write that publishes the address', async () => {
    const run = await running();
    await apply(run);
    assert.deepEqual(statusAndReason(run), READY);
    const [write, ...others] = run.cluster.kubernetes.writes.filter(({ subresource }) => subresource === 'status');
    const { status } = (write?.patch ?? {}) as { readonly status?: object };
    assert.deepEqual([Object.keys(status ?? {}), others], [['loadBalancer', 'conditions'], []]);
    await run.process.stop();
  });

  it('is written once, however often the same call fails', async () => {
    const run = await running();
    run.cluster.simulator.faults([
      { action: 'CreateLoadBalancer', effect: 'reject', code: 'OverQuota', count: 'forever' },
    ]);
    await apply(run);
    const writes = run.cluster.kubernetes.writes.length;
    await run.cluster.quiet(60 * 60_000);
    assert.deepEqual(statusAndReason(run), ['False', 'QuotaExceeded']);
    assert.equal(run.cluster.kubernetes.writes.length, writes);
    await run.process.stop();
  });

  it('gets a new transition time only if it changes, and keeps other conditions', async () => {
    const run = await running();
    await apply(run);
    const ours = conditionOf(run);
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const other = { type: 'other', status: 'True', reason: 'Said', message: '', lastTransitionTime };
    run.cluster.kubernetes.patch(SERVICES, keyOf(aService()), { status: { conditions: [other, ours] } });
    await run.cluster.quiet(10 * 60_000);
    assert.equal(conditionOf(run)?.lastTransitionTime, ours?.lastTransitionTime);
    await patch(run, { metadata: { annotations: annotated({ 'cert-id': 'x', 'protocol-port': 'https:80' }) } });
    assert.deepEqual(statusAndReason(run), ['False', 'InvalidCertificateRef']);
    assert.deepEqual(run.cluster.service()?.status?.conditions?.[0], other);
    assert.notEqual(conditionOf(run)?.lastTransitionTime, ours?.lastTransitionTime);
    await run.process.stop();
  });

  it('is removed with the load balancer when the type of the Service changes', async () => {
    const run = await running();
    await apply(run);
    await patch(run, { spec: { type: 'ClusterIP' } });
    assert.deepEqual(run.cluster.service()?.status?.conditions ?? [], []);
    await run.process.stop();
  });

  it('reports why a deleted Service cannot be cleaned up', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'reject', code: 'Forbidden.RAM', count: 3 }]);
    run.cluster.kubernetes.delete(SERVICES, keyOf(aService()));
    await run.cluster.quiet(1_000);
    assert.deepEqual(statusAndReason(run), ['False', 'Forbidden']);
    await run.cluster.quiet(10 * 60_000);
    assert.equal(run.cluster.service(), undefined);
    await run.process.stop();
  });
});
