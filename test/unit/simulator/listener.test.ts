import assert from 'node:assert/strict';
import { bench, HTTPS, PORT, TCP } from '../../support/listener-fixture.ts';
import type { Body, Parameters } from '../../support/simulator.ts';

/** Tests of listeners rely on the states of the simulator, which must be those of the cloud. */
describe('listeners of the simulator', () => {
  it('are created stopped, start for a moment, and then run', async () => {
    const { ok, listener, clock } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    assert.equal((await listener())['Status'], 'stopped');
    await ok('StartLoadBalancerListener', PORT);
    assert.equal((await listener())['Status'], 'starting');
    await clock.advance(300);
    assert.equal((await listener())['Status'], 'running');
  });

  it('reject changes while they start, are configured or stop', async () => {
    const { ok, rejected, clock } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    await ok('StartLoadBalancerListener', PORT);
    const set: Parameters = { ...PORT, Scheduler: 'rr' };
    assert.equal(
      await rejected('SetLoadBalancerTCPListenerAttribute', set),
      'OperationFailed.ListenerStatusNotSupport',
    );
    await clock.advance(300);
    await ok('SetLoadBalancerTCPListenerAttribute', set);
    assert.equal(await rejected('StartLoadBalancerListener', PORT), 'Operation.Deny');
    assert.equal(await rejected('DeleteLoadBalancerListener', PORT), 'OperationFailed.ListenerStatusNotSupport');
    await clock.advance(300);
    await ok('StopLoadBalancerListener', PORT);
    assert.equal(await rejected('SetLoadBalancerTCPListenerAttribute', set), '409 ServiceIsStopping');
  });

  it('keep attributes that a change omits', async () => {
    const { ok, listener } = bench();
    await ok('CreateLoadBalancerTCPListener', { ...TCP, EstablishedTimeout: 60, Description: 'mine' });
    await ok('SetLoadBalancerTCPListenerAttribute', { ...PORT, Scheduler: 'rr' });
    const { Scheduler, Description, VServerGroupId, TCPListenerConfig } = await listener();
    assert.deepEqual([Scheduler, Description, VServerGroupId], ['rr', 'mine', 'rsp-1']);
    assert.equal((TCPListenerConfig as Body)['EstablishedTimeout'], 60);
  });

  it('change the group only together with VServerGroup=on', async () => {
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

  it('can share a port between TCP and UDP, and then a call must name the protocol', async () => {
    const { ok, rejected } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    await ok('CreateLoadBalancerUDPListener', TCP);
    assert.equal(await rejected('StartLoadBalancerListener', PORT), 'TooManyListeners');
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

  it('return the PROXY protocol flag as text in a list, and as a boolean in a single read', async () => {
    const { ok, listener } = bench();
    await ok('CreateLoadBalancerTCPListener', { ...TCP, ProxyProtocolV2Enabled: true });
    assert.equal(((await listener())['TCPListenerConfig'] as Body)['ProxyProtocolV2Enabled'], 'true');
    assert.equal((await ok('DescribeLoadBalancerTCPListenerAttribute', PORT))['ProxyProtocolV2Enabled'], true);
  });

  it('are an absent field in the response, not an empty list, if none exists', async () => {
    const { ok } = bench();
    assert.ok(!('Listeners' in (await ok('DescribeLoadBalancerListeners', { 'LoadBalancerId.1': 'lb-1' }))));
  });

  it('are returned in pages by token', async () => {
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

  it('deactivate their load balancer if the last one is deleted, and activate it if one starts', async () => {
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

  it('lock their group for a moment after their deletion, if a setting requests that', async () => {
    const { ok, rejected, clock } = bench({ settings: { listenerDeletionMs: 500 } });
    await ok('CreateLoadBalancerTCPListener', TCP);
    await ok('DeleteLoadBalancerListener', PORT);
    assert.equal(await rejected('DeleteVServerGroup', { VServerGroupId: 'rsp-1' }), 'RspoolVipExist');
    await clock.advance(500);
    await ok('DeleteVServerGroup', { VServerGroupId: 'rsp-1' });
  });

  it('redirect HTTP to HTTPS without other attributes, and prevent the deletion of their target', async () => {
    const { ok, rejected } = bench();
    await ok('CreateLoadBalancerHTTPSListener', HTTPS);
    await ok('CreateLoadBalancerHTTPListener', { ...PORT, ListenerForward: 'on', ForwardPort: 443, Scheduler: 'rr' });
    const one = await ok('DescribeLoadBalancerHTTPListenerAttribute', PORT);
    assert.deepEqual([one['ListenerForward'], one['ForwardPort'], one['Scheduler']], ['on', 443, undefined]);
    assert.equal(await rejected('SetLoadBalancerHTTPListenerAttribute', { ...PORT, Gzip: 'off' }), 'InvalidParameter');
    assert.equal(await rejected('DeleteLoadBalancerListener', { ...PORT, ListenerPort: 443 }), 'ListenerForwardExist');
  });

  it('raise a health check timeout below the interval to the interval', async () => {
    const { ok } = bench();
    await ok('CreateLoadBalancerTCPListener', { ...TCP, HealthCheckInterval: 30, HealthCheckConnectTimeout: 3 });
    assert.equal((await ok('DescribeLoadBalancerTCPListenerAttribute', PORT))['HealthCheckConnectTimeout'], 30);
  });

  it('accept a start while they run, unless a setting forbids it', async () => {
    for (const [startRunning, allowed] of [
      ['accept', true],
      ['reject', false],
    ] as const) {
      const { ok, send, clock } = bench({ settings: { startRunning } });
      await ok('CreateLoadBalancerTCPListener', TCP);
      await ok('StartLoadBalancerListener', PORT);
      await clock.advance(300);
      assert.equal((await send('StartLoadBalancerListener', PORT)).status === 200, allowed);
    }
  });
});
