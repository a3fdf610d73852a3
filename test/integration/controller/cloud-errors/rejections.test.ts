import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, NODES, objectKey } from '../../../support/simulated-cluster.ts';
import { addressOf, aPodSlice, interfacesOf } from '../../../support/pods.ts';
import {
  annotated,
  apply,
  changes,
  events,
  ingress,
  loadBalancers,
  callCount,
  patch,
  running,
  statusAndReason,
  type Running,
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';
import { listenerPorts, remove } from '../../../support/service-changes.ts';

const MINUTE_MS = 60_000;
const READY = ['True', 'EnsuredLoadBalancer'];
const certificate = (id: string) => ({ id, commonName: 'web.example', expiresAt: '2030-01-01T00:00:00Z' });
const SEED = {
  certificates: [certificate('cert-1'), certificate('cert-2')],
  loadBalancers: [{ id: 'lb-a', name: 'a', address: '47.1.1.1' }],
  networkInterfaces: interfacesOf(40),
};
const ENI = { annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } };
const DENIED = { effect: 'reject', code: 'Forbidden.RAM', status: 403, count: 'forever' };
const UNWELL = { effect: 'reject', code: 'InternalError', status: 500, count: 'forever' };

const backendsOf = (run: Running) =>
  loadBalancers(run).flatMap(({ serverGroups }) => serverGroups.flatMap(({ backends }) => backends));
const servers = (run: Running) => backendsOf(run).map(({ serverId }) => serverId);
const addresses = (run: Running) => backendsOf(run).map(({ serverIp }) => serverIp);
const setPods = ({ cluster }: Running, ...pods: readonly number[]) =>
  cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(aService(ENI), pods));
const annotate = (run: Running, annotations: Readonly<Record<string, string | null>>): Promise<void> =>
  patch(run, { metadata: { annotations: annotated(annotations) } });

/** A rejected change must not stop the other changes of a Service. Otherwise dead backends would keep receiving traffic. */
describe('a Service whose change the cloud rejects', () => {
  interface Row {
    readonly before?: Readonly<Record<string, string>>;
    readonly change: Readonly<Record<string, string>>;
    readonly fault: object;
    readonly reason: string;
  }
  const NEW_NAME = { name: 'shop' };
  const NEW_CERTIFICATE = {
    before: { 'protocol-port': 'https:80', 'cert-id': 'cert-1' },
    change: { 'cert-id': 'cert-2' },
  };
  const ROWS: Readonly<Record<string, Row>> = {
    'a permission is missing': {
      ...{ change: NEW_NAME, fault: { action: 'SetLoadBalancerName', ...DENIED }, reason: 'Forbidden' },
    },
    'no response comes': {
      change: NEW_NAME,
      fault: { action: 'SetLoadBalancerName', effect: 'timeout-before-commit', count: 'forever' },
      reason: 'OutcomeUnknown',
    },
    'the lookup of a certificate is forbidden': {
      ...NEW_CERTIFICATE,
      ...{ fault: { action: 'DescribeServerCertificates', ...DENIED }, reason: 'Forbidden' },
    },
    'the lookup of a certificate fails': {
      ...NEW_CERTIFICATE,
      ...{ fault: { action: 'DescribeServerCertificates', ...UNWELL }, reason: 'Unavailable' },
    },
  };
  for (const [what, { before = {}, change, fault, reason }] of Object.entries(ROWS))
    it(`loses dead backends and is synced later if ${what}`, async () => {
      const run = await running({}, SEED);
      await apply(run, { annotations: annotated(before) });
      run.cluster.simulator.faults([fault]);
      await annotate(run, change);
      run.cluster.kubernetes.delete(NODES, objectKey('n3'));
      await run.cluster.quiet(10 * MINUTE_MS);
      assert.deepEqual(
        [servers(run), statusAndReason(run)],
        [
          ['i-1', 'i-2'],
          ['False', reason],
        ],
      );
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(6 * MINUTE_MS);
      assert.deepEqual(statusAndReason(run), READY);
      await run.process.stop();
    });

  for (const action of ['DescribeNetworkInterfaces', 'DescribeVpcAttribute'])
    it(`loses dead pods and does not report new pods as skipped if ${action} is forbidden`, async () => {
      const run = await running({}, SEED);
      setPods(run, 1, 2, 3);
      await apply(run, ENI);
      run.cluster.simulator.faults([{ action, ...DENIED }]);
      setPods(run, 1, 99);
      await run.cluster.quiet(10 * MINUTE_MS);
      assert.deepEqual([addresses(run), statusAndReason(run)], [[addressOf(1)], ['False', 'Forbidden']]);
      const skipped = events(run, 'SkipSyncBackends').filter((message) => message.includes(addressOf(99)));
      assert.deepEqual(skipped, []);
      setPods(run, 1, 4);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(60 * MINUTE_MS);
      assert.deepEqual([addresses(run), statusAndReason(run)[0]], [[addressOf(1), addressOf(4)], 'True']);
      await run.process.stop();
    });

  it('is not retried for every pod of a rolling update, whose changes are batched', async () => {
    const run = await running({}, SEED);
    setPods(run, 1, 2, 3);
    await apply(run, ENI);
    run.cluster.simulator.faults([{ action: 'SetLoadBalancerName', ...DENIED, code: 'InvalidParameter' }]);
    await annotate(run, NEW_NAME);
    const since = callCount(run);
    for (let from = 2; from < 32; from += 1) {
      setPods(run, from, from + 1, from + 2);
      await run.cluster.quiet(1_000);
    }
    await run.cluster.quiet(3_000);
    assert.deepEqual(addresses(run).toSorted(), [31, 32, 33].map(addressOf));
    const limits = { AddVServerGroupBackendServers: 14, SetLoadBalancerName: 1, DescribeLoadBalancerAttribute: 1 };
    for (const [action, limit] of Object.entries(limits)) {
      const count = run.cluster.calls(since).filter((each) => each === action).length;
      assert.ok(count <= limit, `${count} ${action}`);
    }
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(6 * MINUTE_MS);
    assert.deepEqual(statusAndReason(run), READY);
    await run.process.stop();
  });

  it('is synced by a new plan for the changed state of the cloud', async () => {
    const run = await running();
    await apply(run, { annotations: annotated({ 'instance-charge-type': 'PayBySpec' }) });
    const LoadBalancerId = loadBalancers(run)[0]?.id ?? '';
    await run.cluster.ask('ModifyLoadBalancerInstanceChargeType', { LoadBalancerId, InstanceChargeType: 'PayByCLCU' });
    const since = callCount(run);
    await annotate(run, { spec: 'slb.s2.small', 'instance-charge-type': null });
    await run.cluster.quiet(30 * MINUTE_MS);
    assert.deepEqual([changes(run, since), ingress(run)?.length], [['ModifyLoadBalancerInstanceSpec'], 1]);
    await run.process.stop();
  });
});

describe('a Service for which the cloud rejects', () => {
  it('the tag of reuse is served by the user-managed load balancer, with an event', async () => {
    const run = await running({}, SEED);
    run.cluster.simulator.faults([{ action: 'TagResources', ...DENIED }]);
    await apply(run, { annotations: annotated({ id: 'lb-a', 'force-override-listeners': 'true' }) });
    assert.deepEqual([listenerPorts(run), servers(run)], [[80], ['i-1', 'i-2', 'i-3']]);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /permission slb:TagResources is missing/);
    assert.deepEqual(ingress(run), [{ ip: '47.1.1.1' }]);
    await run.process.stop();
  });

  it('a listener by an internal error is served on its other ports', async () => {
    const run = await running();
    run.cluster.simulator.faults([
      { action: 'CreateLoadBalancerTCPListener', ...UNWELL, filter: { ListenerPort: '80' } },
    ]);
    await apply(run, { ports: [80, 443] });
    assert.deepEqual([listenerPorts(run), statusAndReason(run)], [[443], ['False', 'OutcomeUnknown']]);
    assert.notEqual(ingress(run), undefined);
    await run.process.stop();
  });
});

describe('a deletion that the cloud rejects', () => {
  interface Row {
    /** Changes the cloud as a user between the rejection and the next attempt. */
    readonly change: (run: Running, id: string) => Promise<unknown>;
    readonly count: number;
    readonly left: readonly string[];
  }
  const ROWS: Readonly<Record<string, Row>> = {
    'is not retried if the load balancer is owned by another cluster': {
      change: async ({ cluster }, id) => {
        await cluster.ask('SetLoadBalancerName', { LoadBalancerId: id, LoadBalancerName: 'kept' });
        const owner = { 'Tag.1.Key': 'kubernetes.do.not.delete', 'Tag.1.Value': 'aother' };
        const other = { 'Tag.2.Key': 'ack.aliyun.com', 'Tag.2.Value': 'c9' };
        await cluster.ask('TagResources', { ResourceType: 'instance', 'ResourceId.1': id, ...owner, ...other });
      },
      ...{ count: 3, left: ['kept'] },
    },
    'turns off a protection that a user has turned on': {
      change: ({ cluster }, id) =>
        cluster.ask('SetLoadBalancerDeleteProtection', { LoadBalancerId: id, DeleteProtection: 'on' }),
      ...{ count: 1, left: [] },
    },
  };
  for (const [title, { change, count, left }] of Object.entries(ROWS))
    it(title, async () => {
      const run = await running();
      await apply(run, { annotations: annotated({ 'delete-protection': 'off' }) });
      const id = loadBalancers(run)[0]?.id ?? '';
      run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', ...DENIED, count }]);
      await remove(run, 1_000);
      await change(run, id);
      await run.cluster.quiet(30 * MINUTE_MS);
      assert.deepEqual([loadBalancers(run).map(({ name }) => name), run.cluster.service()], [left, undefined]);
      await run.process.stop();
    });

  it('is retried without further reads if the cloud is only throttled', async () => {
    const run = await running();
    await apply(run);
    run.cluster.simulator.faults([{ action: 'DeleteLoadBalancer', effect: 'throttle', count: 2 }]);
    const since = callCount(run);
    await remove(run, 5 * MINUTE_MS);
    assert.deepEqual(run.cluster.calls(since), [
      ...['DescribeLoadBalancerAttribute', 'SetLoadBalancerDeleteProtection'],
      ...['DeleteLoadBalancer', 'DeleteLoadBalancer', 'DeleteLoadBalancer'],
    ]);
    await run.process.stop();
  });
});
