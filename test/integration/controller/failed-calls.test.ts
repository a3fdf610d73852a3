import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, NODES, objectKey } from '../../support/cluster.ts';
import { aPodSlice, addressOf, interfacesOf } from '../../support/pods.ts';
import {
  annotated,
  apply,
  events,
  loadBalancers,
  now,
  patch,
  running,
  standing,
  type Running,
} from '../../support/running.ts';
import { aService } from '../../support/service.ts';

const AN_HOUR_MS = 60 * 60_000;
const certificate = (id: string) => ({ id, commonName: 'web.example', expiresAt: '2030-01-01T00:00:00Z' });
const SEED = {
  certificates: [certificate('cert-1'), certificate('cert-2')],
  loadBalancers: [{ id: 'lb-made', name: 'by-hand', address: '47.1.1.1' }],
  networkInterfaces: interfacesOf(10),
};
const denied = (action: string) => ({ action, effect: 'refuse', code: 'Forbidden.RAM', status: 403, count: 'forever' });
const backendsOf = (run: Running) =>
  loadBalancers(run).flatMap(({ serverGroups }) => serverGroups.flatMap(({ backends }) => backends));
const servers = (run: Running) => backendsOf(run).map(({ serverId }) => serverId);
const addresses = (run: Running) => backendsOf(run).map(({ serverIp }) => serverIp);

interface Row {
  readonly before: Readonly<Record<string, string>>;
  readonly change: Readonly<Record<string, string>>;
  readonly fault: object;
  readonly reason: string;
}

/** A change of a Service that is served, which the cloud does not carry out. */
const CHANGES: Readonly<Record<string, Row>> = {
  'a name that may not be given': {
    before: {},
    change: { name: 'shop' },
    fault: denied('SetLoadBalancerName'),
    reason: 'Forbidden',
  },
  'a name to which there is no answer': {
    before: {},
    change: { name: 'shop' },
    fault: { action: 'SetLoadBalancerName', effect: 'timeout-before-commit', count: 'forever' },
    reason: 'OutcomeUnknown',
  },
  'a certificate that may not be looked up': {
    before: { 'protocol-port': 'https:80', 'cert-id': 'cert-1' },
    change: { 'cert-id': 'cert-2' },
    fault: denied('DescribeServerCertificates'),
    reason: 'Forbidden',
  },
  'a certificate of which the cloud does not know': {
    before: { 'protocol-port': 'https:80', 'cert-id': 'cert-1' },
    change: { 'cert-id': 'cert-2' },
    fault: {
      action: 'DescribeServerCertificates',
      effect: 'refuse',
      code: 'InternalError',
      status: 500,
      count: 'forever',
    },
    reason: 'Unavailable',
  },
};

describe('a call that fails for good', () => {
  for (const [what, { before, change, fault, reason }] of Object.entries(CHANGES)) {
    it(`for ${what}, keeps no dead backends in service, and is made up for once it does not`, async () => {
      const run = await running({}, SEED);
      await apply(run, { annotations: annotated(before) });
      run.cluster.simulator.faults([fault]);
      await patch(run, { metadata: { annotations: annotated(change) } });
      run.cluster.kubernetes.delete(NODES, objectKey('n3'));
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual(servers(run), ['i-1', 'i-2']);
      assert.deepEqual(standing(run), ['False', reason]);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(6 * 60_000);
      assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
      await run.process.stop();
    });
  }

  it('for the mark of a load balancer that people made, keeps no Service from it', async () => {
    const run = await running({}, SEED);
    run.cluster.simulator.faults([denied('TagResources')]);
    await apply(run, { annotations: annotated({ id: 'lb-made', 'force-override-listeners': 'true' }) });
    const [{ listeners } = { listeners: [] }] = loadBalancers(run);
    assert.deepEqual([listeners.map(({ port }) => port), servers(run)], [[80], ['i-1', 'i-2', 'i-3']]);
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /permission slb:TagResources is missing/);
    assert.notEqual(run.cluster.service()?.status?.loadBalancer?.ingress, undefined);
    await run.process.stop();
  });

  it('for one port, by the cloud that does not know itself what became of it, keeps no other port from being served', async () => {
    const run = await running();
    const unwell = { effect: 'refuse', code: 'InternalError', status: 500, filter: { ListenerPort: '80' } };
    run.cluster.simulator.faults([{ action: 'CreateLoadBalancerTCPListener', ...unwell, count: 'forever' }]);
    await apply(run, { ports: [80, 443] });
    assert.deepEqual(
      loadBalancers(run)[0]?.listeners.map(({ port }) => port),
      [443],
    );
    assert.notEqual(run.cluster.service()?.status?.loadBalancer?.ingress, undefined);
    assert.deepEqual(standing(run), ['False', 'OutcomeUnknown']);
    await run.process.stop();
  });

  it('is not made again for every pod of a rolling update, whose changes are gathered all the same', async () => {
    const run = await running({}, { networkInterfaces: interfacesOf(40) });
    const said = { annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } };
    const roll = (from: number) =>
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(aService(said), [from, from + 1, from + 2]));
    roll(1);
    await apply(run, said);
    run.cluster.simulator.faults([
      { action: 'SetLoadBalancerName', effect: 'refuse', code: 'InvalidParameter', count: 'forever' },
    ]);
    await patch(run, { metadata: { annotations: annotated({ name: 'shop' }) } });
    const since = now(run);
    for (let from = 2; from < 32; from += 1) {
      roll(from);
      await run.cluster.quiet(1_000);
    }
    await run.cluster.quiet(3_000);
    const made = (action: string) => run.cluster.calls(since).filter((each) => each === action).length;
    assert.deepEqual(addresses(run).toSorted(), [addressOf(31), addressOf(32), addressOf(33)]);
    assert.ok(made('AddVServerGroupBackendServers') <= 14, `${made('AddVServerGroupBackendServers')} changes`);
    assert.ok(made('SetLoadBalancerName') <= 1, `${made('SetLoadBalancerName')} tries`);
    assert.ok(made('DescribeLoadBalancerAttribute') <= 1);
    run.cluster.simulator.clearFaults();
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual(standing(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  for (const action of ['DescribeNetworkInterfaces', 'DescribeVpcAttribute'])
    it(`for an address, by ${action}, neither keeps dead pods in service nor says that it has no interface`, async () => {
      const run = await running({}, SEED);
      const said = { annotations: { 'service.beta.kubernetes.io/backend-type': 'eni' } };
      const service = aService(said);
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [1, 2, 3]));
      await apply(run, said);
      run.cluster.simulator.faults([denied(action)]);
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [1, 99]));
      await run.cluster.quiet(10 * 60_000);
      assert.deepEqual([addresses(run), standing(run)], [[addressOf(1)], ['False', 'Forbidden']]);
      assert.deepEqual(
        events(run, 'SkipSyncBackends').filter((message) => message.includes(addressOf(99))),
        [],
      );
      run.cluster.kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [1, 4]));
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(AN_HOUR_MS);
      assert.deepEqual([addresses(run), standing(run)[0]], [[addressOf(1), addressOf(4)], 'True']);
      await run.process.stop();
    });
});
