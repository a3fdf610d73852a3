import assert from 'node:assert/strict';
import type { SimulatorSetup } from '../../support/simulator.ts';
import { aNetwork, aSimulator, callerOf, type Body, type Caller, type Parameters } from '../../support/simulator.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const WORLD = {
  ...aNetwork(),
  certificates: [{ id: 'cert-1', commonName: 'example.com', expiresAt: '2030-01-01T00:00:00Z' }],
  accessControlLists: [
    { id: 'acl-1', name: 'four' },
    { id: 'acl-6', name: 'six', ipVersion: 'ipv6' as const },
  ],
  loadBalancers: [
    { id: 'lb-1', vSwitchId: 'vsw-1', serverGroups: [{ id: 'rsp-1', name: 'one' }] },
    { id: 'lb-2', serverGroups: [{ id: 'rsp-2', name: 'two' }] },
  ],
};

interface Bench extends Caller {
  readonly clock: VirtualClock;
  readonly listener: (port?: number) => Promise<Record<string, unknown>>;
}

function bench(setup: SimulatorSetup = {}): Bench {
  const clock = new VirtualClock();
  const caller = callerOf(aSimulator({ world: WORLD, clock, ...setup }));
  const listener = async (port = 80): Promise<Record<string, unknown>> => {
    const answer = await caller.ok('DescribeLoadBalancerListeners', { 'LoadBalancerId.1': 'lb-1', ListenerPort: port });
    return ((answer['Listeners'] ?? []) as Record<string, unknown>[])[0] ?? {};
  };
  return { ...caller, clock, listener };
}

const PORT: Parameters = { LoadBalancerId: 'lb-1', ListenerPort: 80 };
const TCP: Parameters = { ...PORT, Bandwidth: -1, VServerGroupId: 'rsp-1' };
const HTTP: Parameters = { ...TCP, HealthCheck: 'off' };
const HTTPS: Parameters = { ...HTTP, ListenerPort: 443, ServerCertificateId: 'cert-1' };

describe('listeners of the simulator', () => {
  it('are made stopped, start for a moment, and then run', async () => {
    const { ok, listener, clock } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    assert.equal((await listener())['Status'], 'stopped');
    await ok('StartLoadBalancerListener', PORT);
    assert.equal((await listener())['Status'], 'starting');
    await clock.advance(300);
    assert.equal((await listener())['Status'], 'running');
  });

  it('refuse changes while they start, are configured or stop', async () => {
    const { ok, refused, clock } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    await ok('StartLoadBalancerListener', PORT);
    const set: Parameters = { ...PORT, Scheduler: 'rr' };
    assert.equal(await refused('SetLoadBalancerTCPListenerAttribute', set), 'OperationFailed.ListenerStatusNotSupport');
    await clock.advance(300);
    await ok('SetLoadBalancerTCPListenerAttribute', set);
    assert.equal(await refused('StartLoadBalancerListener', PORT), 'Operation.Deny');
    assert.equal(await refused('DeleteLoadBalancerListener', PORT), 'OperationFailed.ListenerStatusNotSupport');
    await clock.advance(300);
    await ok('StopLoadBalancerListener', PORT);
    assert.equal(await refused('SetLoadBalancerTCPListenerAttribute', set), '409 ServiceIsStopping');
  });

  it('keep what a change does not mention', async () => {
    const { ok, listener } = bench();
    await ok('CreateLoadBalancerTCPListener', { ...TCP, EstablishedTimeout: 60, Description: 'mine' });
    await ok('SetLoadBalancerTCPListenerAttribute', { ...PORT, Scheduler: 'rr' });
    const { Scheduler, Description, VServerGroupId, TCPListenerConfig } = await listener();
    assert.deepEqual([Scheduler, Description, VServerGroupId], ['rr', 'mine', 'rsp-1']);
    assert.equal((TCPListenerConfig as Body)['EstablishedTimeout'], 60);
  });

  it('take another group only together with VServerGroup=on', async () => {
    const { ok, listener } = bench();
    const { VServerGroupId } = await ok('CreateVServerGroup', { LoadBalancerId: 'lb-1', VServerGroupName: 'new' });
    await ok('CreateLoadBalancerTCPListener', TCP);
    await ok('SetLoadBalancerTCPListenerAttribute', { ...PORT, VServerGroupId: String(VServerGroupId) });
    assert.equal((await listener())['VServerGroupId'], 'rsp-1');
    await ok('SetLoadBalancerTCPListenerAttribute', {
      ...PORT,
      VServerGroup: 'on',
      VServerGroupId: String(VServerGroupId),
    });
    assert.equal((await listener())['VServerGroupId'], VServerGroupId);
  });

  it('share a port between TCP and UDP, and then need the protocol', async () => {
    const { ok, refused } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    await ok('CreateLoadBalancerUDPListener', TCP);
    assert.equal(await refused('StartLoadBalancerListener', PORT), 'TooManyListeners');
    await ok('StartLoadBalancerListener', { ...PORT, ListenerProtocol: 'udp' });
  });

  it('accept the lower-case names of the create operations', async () => {
    const { ok } = bench();
    await ok('CreateLoadBalancerUDPListener', {
      ...TCP,
      healthCheckInterval: 7,
      healthCheckReq: 'ping',
      healthCheckExp: 'pong',
    });
    const one = await ok('DescribeLoadBalancerUDPListenerAttribute', PORT);
    assert.deepEqual([one['HealthCheckInterval'], one['HealthCheckReq'], one['HealthCheckExp']], [7, 'ping', 'pong']);
  });

  it('show proxy protocol as text in the list and as a boolean alone', async () => {
    const { ok, listener } = bench();
    await ok('CreateLoadBalancerTCPListener', { ...TCP, ProxyProtocolV2Enabled: true });
    assert.equal(((await listener())['TCPListenerConfig'] as Body)['ProxyProtocolV2Enabled'], 'true');
    assert.equal((await ok('DescribeLoadBalancerTCPListenerAttribute', PORT))['ProxyProtocolV2Enabled'], true);
  });

  it('are left out of the list altogether when there are none', async () => {
    const { ok } = bench();
    assert.ok(!('Listeners' in (await ok('DescribeLoadBalancerListeners', { 'LoadBalancerId.1': 'lb-1' }))));
  });

  it('come in pages by token', async () => {
    const { ok } = bench();
    for (const port of [80, 81, 82]) await ok('CreateLoadBalancerTCPListener', { ...TCP, ListenerPort: port });
    const ports: unknown[] = [];
    let token: string | undefined = '';
    while (token !== undefined) {
      const page: Body = await ok('DescribeLoadBalancerListeners', { MaxResults: 2, NextToken: token });
      ports.push(...(page['Listeners'] as Body[]).map((listener) => listener['ListenerPort']));
      token = page['NextToken'] as string | undefined;
    }
    assert.deepEqual(ports, [80, 81, 82]);
  });

  it('leave their load balancer inactive when the last one goes, and wake it when one starts', async () => {
    const { ok } = bench();
    const status = async (): Promise<unknown> =>
      (await ok('DescribeLoadBalancerAttribute', { LoadBalancerId: 'lb-1' }))['LoadBalancerStatus'];
    await ok('CreateLoadBalancerTCPListener', TCP);
    assert.equal(await status(), 'active');
    await ok('DeleteLoadBalancerListener', PORT);
    assert.equal(await status(), 'inactive');
    await ok('CreateLoadBalancerTCPListener', TCP);
    await ok('StartLoadBalancerListener', PORT);
    assert.equal(await status(), 'active');
  });

  it('hold their group for a moment after they are deleted, where the knob says so', async () => {
    const { ok, refused, clock } = bench({ knobs: { listenerDeletionMs: 500 } });
    await ok('CreateLoadBalancerTCPListener', TCP);
    await ok('DeleteLoadBalancerListener', PORT);
    assert.equal(await refused('DeleteVServerGroup', { VServerGroupId: 'rsp-1' }), 'RspoolVipExist');
    await clock.advance(500);
    await ok('DeleteVServerGroup', { VServerGroupId: 'rsp-1' });
  });

  it('forward from HTTP to HTTPS, have nothing else then, and keep their target from being deleted', async () => {
    const { ok, refused } = bench();
    await ok('CreateLoadBalancerHTTPSListener', HTTPS);
    await ok('CreateLoadBalancerHTTPListener', { ...PORT, ListenerForward: 'on', ForwardPort: 443, Scheduler: 'rr' });
    const one = await ok('DescribeLoadBalancerHTTPListenerAttribute', PORT);
    assert.deepEqual([one['ListenerForward'], one['ForwardPort'], one['Scheduler']], ['on', 443, undefined]);
    assert.equal(await refused('SetLoadBalancerHTTPListenerAttribute', { ...PORT, Gzip: 'off' }), 'InvalidParameter');
    assert.equal(await refused('DeleteLoadBalancerListener', { ...PORT, ListenerPort: 443 }), 'ListenerForwardExist');
  });

  it('raise a time-out below the interval to the interval', async () => {
    const { ok } = bench();
    await ok('CreateLoadBalancerTCPListener', { ...TCP, HealthCheckInterval: 30, HealthCheckConnectTimeout: 3 });
    assert.equal((await ok('DescribeLoadBalancerTCPListenerAttribute', PORT))['HealthCheckConnectTimeout'], 30);
  });

  it('start again without a word when they run, unless the knob says otherwise', async () => {
    for (const [startRunning, allowed] of [
      ['accept', true],
      ['refuse', false],
    ] as const) {
      const { ok, send, clock } = bench({ knobs: { startRunning } });
      await ok('CreateLoadBalancerTCPListener', TCP);
      await ok('StartLoadBalancerListener', PORT);
      await clock.advance(300);
      assert.equal((await send('StartLoadBalancerListener', PORT)).status === 200, allowed);
    }
  });

  const refusals: Record<string, [action: string, parameters: Parameters, code: string]> = {
    'no bandwidth': ['CreateLoadBalancerTCPListener', { ...TCP, Bandwidth: undefined }, 'MissingParameter'],
    'port 0': ['CreateLoadBalancerTCPListener', { ...TCP, ListenerPort: 0 }, 'InvalidParam.ListenerPort'],
    'an idle time out of range': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, EstablishedTimeout: 9 },
      'InvalidParameter',
    ],
    'a scheduler of older instances': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, Scheduler: 'wlc' },
      'InvalidParameter',
    ],
    'a path that is the root alone': [
      'CreateLoadBalancerHTTPListener',
      { ...HTTP, HealthCheck: 'on', HealthCheckURI: '/' },
      'InvalidParameter',
    ],
    'a scheduler of UDP on TCP': ['CreateLoadBalancerTCPListener', { ...TCP, Scheduler: 'qch' }, 'InvalidParameter'],
    'neither group nor backend port': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, VServerGroupId: undefined },
      'MissingParameter',
    ],
    'a group that does not exist': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, VServerGroupId: 'rsp-9' },
      '404 InvalidParameter',
    ],
    'the group of another load balancer': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, VServerGroupId: 'rsp-2' },
      'InvalidParam.VServerGroupId',
    ],
    'draining without its time': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, ConnectionDrain: 'on' },
      'MissingParameter',
    ],
    'access control without a list': ['CreateLoadBalancerTCPListener', { ...TCP, AclStatus: 'on' }, 'MissingParameter'],
    'an unknown list': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, AclStatus: 'on', AclType: 'white', AclId: 'acl-9' },
      'AclNotExist',
    ],
    'a list of the other IP version': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, AclStatus: 'on', AclType: 'white', AclId: 'acl-6' },
      'IpVersionConflict',
    ],
    'a load balancer that does not exist': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, LoadBalancerId: 'lb-9' },
      '404 InvalidLoadBalancerId.NotFound',
    ],
    'HTTP without saying whether to check health': [
      'CreateLoadBalancerHTTPListener',
      { ...HTTP, HealthCheck: undefined },
      'MissingParameter',
    ],
    'sticky sessions without their kind': [
      'CreateLoadBalancerHTTPListener',
      { ...HTTP, StickySession: 'on' },
      'MissingParameter',
    ],
    'inserted cookies without their time': [
      'CreateLoadBalancerHTTPListener',
      { ...HTTP, StickySession: 'on', StickySessionType: 'insert' },
      'MissingParameter',
    ],
    'HTTPS with an unknown certificate': [
      'CreateLoadBalancerHTTPSListener',
      { ...HTTPS, ServerCertificateId: 'cert-9' },
      'CertificateNotExist',
    ],
    'forwarding to a port that has no HTTPS': [
      'CreateLoadBalancerHTTPListener',
      { ...PORT, ListenerForward: 'on', ForwardPort: 443 },
      '404 ListenerNotFound',
    ],
    'starting what does not exist': ['StartLoadBalancerListener', PORT, '404 ListenerNotFound'],
    'deleting what does not exist': ['DeleteLoadBalancerListener', PORT, '404 ResourceNotFound.Listener'],
  };
  for (const [what, [action, parameters, code]] of Object.entries(refusals)) {
    it(`refuse ${what} with ${code}`, async () => {
      assert.equal(await bench().refused(action, parameters), code);
    });
  }

  it('refuse a second one on the port with ListenerAlreadyExists, another protocol with ListenerPortConflict', async () => {
    const { ok, refused } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    assert.equal(await refused('CreateLoadBalancerTCPListener', TCP), 'ListenerAlreadyExists');
    assert.equal(await refused('CreateLoadBalancerHTTPListener', HTTP), 'ListenerPortConflict');
  });

  it('refuse one more than the quota', async () => {
    const { ok, refused } = bench({ knobs: { listenersPerLoadBalancer: 1 } });
    await ok('CreateLoadBalancerTCPListener', TCP);
    const second = { ...TCP, ListenerPort: 81 };
    assert.equal(await refused('CreateLoadBalancerTCPListener', second), 'ListenerNumberOverLimit');
  });

  it('have other schedulers on a shared load balancer', async () => {
    const shared = [{ id: 'lb-1', spec: null, serverGroups: [{ id: 'rsp-1', name: 'one' }] }];
    const { ok, refused } = bench({ world: { ...WORLD, loadBalancers: shared } });
    await ok('CreateLoadBalancerTCPListener', { ...TCP, Scheduler: 'wlc' });
    const hashed = { ...TCP, ListenerPort: 81, Scheduler: 'sch' };
    assert.equal(await refused('CreateLoadBalancerTCPListener', hashed), 'InvalidParameterValue.SpecNotSupport');
  });

  it('refuse a change from round robin to a hash', async () => {
    const { ok, refused } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    assert.equal(
      await refused('SetLoadBalancerTCPListenerAttribute', { ...PORT, Scheduler: 'sch' }),
      'InvalidParameter',
    );
  });

  it('refuse every change on a locked load balancer, and still read', async () => {
    const { ok, refused } = bench({ world: { ...WORLD, loadBalancers: [{ id: 'lb-1', status: 'locked' }] } });
    assert.equal(
      await refused('CreateLoadBalancerTCPListener', { ...TCP, VServerGroupId: undefined, BackendServerPort: 1 }),
      'ActionNotAllowed',
    );
    assert.equal(
      await refused('SetLoadBalancerName', { LoadBalancerId: 'lb-1', LoadBalancerName: 'x' }),
      'ActionNotAllowed',
    );
    await ok('DescribeLoadBalancerAttribute', { LoadBalancerId: 'lb-1' });
  });
});
