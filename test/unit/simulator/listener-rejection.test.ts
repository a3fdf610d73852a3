import assert from 'node:assert/strict';
import { bench, HTTP, HTTPS, PORT, TCP, WORLD } from '../../support/listener-fixture.ts';
import type { Parameters } from '../../support/simulator.ts';

/** A simulator that accepts an invalid listener would hide a defect of the controller. */
describe('listeners of the simulator', () => {
  const rejections: Record<string, [action: string, parameters: Parameters, code: string]> = {
    'a missing bandwidth': ['CreateLoadBalancerTCPListener', { ...TCP, Bandwidth: undefined }, 'MissingParameter'],
    'port 0': ['CreateLoadBalancerTCPListener', { ...TCP, ListenerPort: 0 }, 'InvalidParam.ListenerPort'],
    'an EstablishedTimeout outside its range': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, EstablishedTimeout: 9 },
      'InvalidParameter',
    ],
    'a scheduler that only shared load balancers have': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, Scheduler: 'wlc' },
      'InvalidParameter',
    ],
    'the root as the health check path': [
      'CreateLoadBalancerHTTPListener',
      { ...HTTP, HealthCheck: 'on', HealthCheckURI: '/' },
      'InvalidParameter',
    ],
    'a scheduler that only UDP listeners have': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, Scheduler: 'qch' },
      'InvalidParameter',
    ],
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
    'connection draining without a timeout': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, ConnectionDrain: 'on' },
      'MissingParameter',
    ],
    'access control without a list': ['CreateLoadBalancerTCPListener', { ...TCP, AclStatus: 'on' }, 'MissingParameter'],
    'an unknown access control list': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, AclStatus: 'on', AclType: 'white', AclId: 'acl-9' },
      'AclNotExist',
    ],
    'an access control list of the other IP version': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, AclStatus: 'on', AclType: 'white', AclId: 'acl-6' },
      'IpVersionConflict',
    ],
    'a load balancer that does not exist': [
      'CreateLoadBalancerTCPListener',
      { ...TCP, LoadBalancerId: 'lb-9' },
      '404 InvalidLoadBalancerId.NotFound',
    ],
    'HTTP without a health check switch': [
      'CreateLoadBalancerHTTPListener',
      { ...HTTP, HealthCheck: undefined },
      'MissingParameter',
    ],
    'sticky sessions without their type': [
      'CreateLoadBalancerHTTPListener',
      { ...HTTP, StickySession: 'on' },
      'MissingParameter',
    ],
    'inserted cookies without a timeout': [
      'CreateLoadBalancerHTTPListener',
      { ...HTTP, StickySession: 'on', StickySessionType: 'insert' },
      'MissingParameter',
    ],
    'HTTPS with an unknown certificate': [
      'CreateLoadBalancerHTTPSListener',
      { ...HTTPS, ServerCertificateId: 'cert-9' },
      'CertificateNotExist',
    ],
    'a redirect to a port without HTTPS': [
      'CreateLoadBalancerHTTPListener',
      { ...PORT, ListenerForward: 'on', ForwardPort: 443 },
      '404 ListenerNotFound',
    ],
    'the start of a missing listener': ['StartLoadBalancerListener', PORT, '404 ListenerNotFound'],
    'the deletion of a missing listener': ['DeleteLoadBalancerListener', PORT, '404 ResourceNotFound.Listener'],
  };
  for (const [what, [action, parameters, code]] of Object.entries(rejections)) {
    it(`reject ${what} with ${code}`, async () => {
      assert.equal(await bench().rejected(action, parameters), code);
    });
  }

  it('reject a second listener on a port: of the same protocol with ListenerAlreadyExists', async () => {
    const { ok, rejected } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    assert.equal(await rejected('CreateLoadBalancerTCPListener', TCP), 'ListenerAlreadyExists');
  });

  it('reject a second listener on a port: of another protocol with ListenerPortConflict', async () => {
    const { ok, rejected } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    assert.equal(await rejected('CreateLoadBalancerHTTPListener', HTTP), 'ListenerPortConflict');
  });

  it('reject a creation beyond the quota', async () => {
    const { ok, rejected } = bench({ settings: { listenersPerLoadBalancer: 1 } });
    await ok('CreateLoadBalancerTCPListener', TCP);
    const second = { ...TCP, ListenerPort: 81 };
    assert.equal(await rejected('CreateLoadBalancerTCPListener', second), 'ListenerNumberOverLimit');
  });

  it('have other schedulers on a shared load balancer', async () => {
    const shared = [{ id: 'lb-1', spec: null, serverGroups: [{ id: 'rsp-1', name: 'one' }] }];
    const { ok, rejected } = bench({ world: { ...WORLD, loadBalancers: shared } });
    await ok('CreateLoadBalancerTCPListener', { ...TCP, Scheduler: 'wlc' });
    const hashed = { ...TCP, ListenerPort: 81, Scheduler: 'sch' };
    assert.equal(await rejected('CreateLoadBalancerTCPListener', hashed), 'InvalidParameterValue.SpecNotSupport');
  });

  it('reject a change from round robin to a hash', async () => {
    const { ok, rejected } = bench();
    await ok('CreateLoadBalancerTCPListener', TCP);
    assert.equal(
      await rejected('SetLoadBalancerTCPListenerAttribute', { ...PORT, Scheduler: 'sch' }),
      'InvalidParameter',
    );
  });

  it('reject every change on a locked load balancer, but no read', async () => {
    const { ok, rejected } = bench({ world: { ...WORLD, loadBalancers: [{ id: 'lb-1', status: 'locked' }] } });
    assert.equal(
      await rejected('CreateLoadBalancerTCPListener', { ...TCP, VServerGroupId: undefined, BackendServerPort: 1 }),
      'ActionNotAllowed',
    );
    assert.equal(
      await rejected('SetLoadBalancerName', { LoadBalancerId: 'lb-1', LoadBalancerName: 'x' }),
      'ActionNotAllowed',
    );
    await ok('DescribeLoadBalancerAttribute', { LoadBalancerId: 'lb-1' });
  });
});
