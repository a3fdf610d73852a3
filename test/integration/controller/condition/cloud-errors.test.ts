import assert from 'node:assert/strict';
import { NODES, objectKey } from '../../../support/simulated-cluster.ts';
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
} from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';

interface CloudError {
  readonly fault: { readonly action: string; readonly code: string };
  readonly reason: string;
  readonly message: RegExp;
}

const ERRORS: Readonly<Record<string, CloudError>> = {
  'an account in arrears': {
    fault: { action: 'CreateLoadBalancer', code: 'ORDER.ARREARAGE' },
    reason: 'Rejected',
    message: /pay the open bills of the account/,
  },
  'an account with too little balance': {
    fault: { action: 'CreateLoadBalancer', code: 'InvalidAccountStatus.NotEnoughBalance' },
    reason: 'Rejected',
    message: /pay the open bills of the account, or raise its balance/,
  },
  'an exhausted quota of load balancers': {
    fault: { action: 'CreateLoadBalancer', code: 'OverQuota' },
    reason: 'QuotaExceeded',
    message: /request a higher quota, or delete unused resources/,
  },
  'an exhausted quota of listeners': {
    fault: { action: 'CreateLoadBalancerTCPListener', code: 'ListenerNumberOverLimit' },
    reason: 'QuotaExceeded',
    message: /request a higher quota/,
  },
  'a missing permission': {
    fault: { action: 'CreateVServerGroup', code: 'Forbidden.RAM' },
    reason: 'Forbidden',
    message: /permission slb:CreateVServerGroup is missing; grant the permission/,
  },
  'a missing permission to read': {
    fault: { action: 'DescribeLoadBalancers', code: 'NoPermission' },
    reason: 'Forbidden',
    message: /permission slb:DescribeLoadBalancers is missing; grant the permission/,
  },
  'a VPC of another region': {
    fault: { action: 'CreateLoadBalancer', code: 'InvalidVpcId.NotExist' },
    reason: 'Rejected',
    message: /check region, vpcid and vswitchid of the cloud-config/,
  },
  'a vSwitch of another region': {
    fault: { action: 'CreateLoadBalancer', code: 'InvalidVSwitchId.NotFound' },
    reason: 'Rejected',
    message: /check region, vpcid and vswitchid of the cloud-config/,
  },
};

/** Users see an error of the cloud only in the condition and the events of the Service, which must name the cause. */
describe('among the errors of the cloud,', () => {
  for (const [what, { fault, reason, message }] of Object.entries(ERRORS)) {
    it(`${what} is reported, and retried until it is fixed`, async () => {
      const run = await running();
      run.cluster.simulator.faults([{ ...fault, effect: 'reject', count: 'forever' }]);
      await apply(run);
      const [event = ''] = events(run, 'SyncLoadBalancerFailed');
      assert.match(event, message);
      assert.equal(event.match(/[0-9A-F]{8}-[0-9A-F-]{27}/g)?.length, 1);
      assert.deepEqual(statusAndReason(run), ['False', reason]);
      await run.cluster.quiet(30 * 60_000);
      const since = callCount(run);
      await run.cluster.quiet(30 * 60_000);
      assert.ok(run.cluster.calls(since).filter((action) => action === fault.action).length <= 7);
      run.cluster.simulator.clearFaults();
      await run.cluster.quiet(6 * 60_000);
      assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
      assert.equal(loadBalancers(run).length, 1);
      await run.process.stop();
    });
  }

  it('a listener that cannot be changed blocks no removal of other ports and backends', async () => {
    const run = await running();
    await apply(run, { ports: [80, 443, 8080] });
    const rejection = { effect: 'reject', code: 'InvalidParameter', filter: { ListenerPort: '80' }, count: 'forever' };
    run.cluster.simulator.faults([{ action: 'SetLoadBalancerTCPListenerAttribute', ...rejection }]);
    const { spec } = aService({ ports: [80, 443] });
    await patch(run, { spec, metadata: { annotations: { [annotation('scheduler')]: 'wrr' } } });
    run.cluster.kubernetes.delete(NODES, objectKey('n3'));
    await run.cluster.quiet(10 * 60_000);
    const [{ listeners, serverGroups } = { listeners: [], serverGroups: [] }] = loadBalancers(run);
    assert.deepEqual(listeners.map(({ port }) => port).sort(), [443, 80]);
    assert.deepEqual(
      serverGroups.map(({ backends }) => backends.map(({ serverId }) => serverId).join()),
      ['i-1,i-2', 'i-1,i-2'],
    );
    assert.deepEqual(statusAndReason(run), ['False', 'Rejected']);
    await run.process.stop();
  });

  it('a rejected load balancer delays no other Service', async () => {
    const run = await running();
    const rejection = { action: 'CreateLoadBalancer', effect: 'reject', code: 'QuotaFull', count: 'forever' };
    run.cluster.simulator.faults([{ ...rejection, filter: { LoadBalancerName: 'broken' } }]);
    const uid = '00000000-0000-4000-8000-000000000002';
    await apply(run, { name: 'api', uid, annotations: { [annotation('name')]: 'broken' } });
    await apply(run);
    assert.deepEqual([ingress(run)?.length, ingress(run, 'api')], [1, undefined]);
    await run.process.stop();
  });

  it('an expired certificate is reported, and used after it is renewed', async () => {
    const run = await running(
      {},
      { certificates: [{ id: 'cert-1', commonName: 'web.example', expiresAt: '1969-12-31T00:00:00Z' }] },
    );
    await apply(run, { annotations: { [annotation('protocol-port')]: 'https:80', [annotation('cert-id')]: 'cert-1' } });
    assert.match(events(run, 'SyncLoadBalancerFailed').join(), /certificate cert-1 expired on 1969-12-31/);
    assert.deepEqual([statusAndReason(run), changes(run)], [['False', 'InvalidCertificateRef'], []]);
    run.cluster.simulator.seed({
      certificates: [{ id: 'cert-1', commonName: 'web.example', expiresAt: '2030-01-01T00:00:00Z' }],
    });
    await run.cluster.quiet(6 * 60_000);
    assert.deepEqual(statusAndReason(run), ['True', 'EnsuredLoadBalancer']);
    await run.process.stop();
  });

  it('a vSwitch without free addresses is skipped, and the next configured vSwitch is used', async () => {
    const vSwitch = (id: string, cidrBlock: string) => ({ id, vpcId: 'vpc-1', cidrBlock, zoneId: 'cn-hangzhou-a' });
    const seed = { vSwitches: [vSwitch('vsw-full', '10.2.0.0/30'), vSwitch('vsw-free', '10.3.0.0/24')] };
    const settings = { vSwitchIds: ['vsw-full', 'vsw-free'] };
    const uids = ['10000000-0000-4000-8000-000000000000', '20000000-0000-4000-8000-000000000000'];
    const run = await running({ settings }, seed);
    for (const uid of uids)
      await apply(run, { name: `s${uid.slice(0, 1)}`, uid, annotations: { [annotation('address-type')]: 'intranet' } });
    const made = loadBalancers(run) as unknown as readonly { readonly vSwitchId: string }[];
    assert.deepEqual(
      made.map(({ vSwitchId }) => vSwitchId),
      ['vsw-free', 'vsw-free'],
    );
    await run.process.stop();
  });

  it('a vSwitch without free addresses is reported if the Service names it', async () => {
    const vSwitch = { id: 'vsw-full', vpcId: 'vpc-1', cidrBlock: '10.2.0.0/30', zoneId: 'cn-hangzhou-a' };
    const run = await running({}, { vSwitches: [vSwitch] });
    await apply(run, {
      annotations: { [annotation('address-type')]: 'intranet', [annotation('vswitch-id')]: 'vsw-full' },
    });
    assert.deepEqual(loadBalancers(run), []);
    assert.match(
      events(run, 'SyncLoadBalancerFailed').join(),
      /set the annotation vswitch-id to a vSwitch with free addresses/,
    );
    await run.process.stop();
  });
});
