import assert from 'node:assert/strict';
import { CloudRejection } from '../../../src/alibaba/cloud-call-types.ts';
import type { ListenerAttributes } from '../../../src/clb/model/listener.ts';
import { aCall } from '../../support/scripted-cloud.ts';
import { group, lb, scriptedSlb } from '../../support/scripted-slb.ts';

const RegionId = 'cn-hangzhou';
const COMMON = { RegionId, LoadBalancerId: 'lb-1' };

/** Attributes → parameters of the creating call, without region and id. */
const CREATED: Record<string, readonly [ListenerAttributes, string, Record<string, string>]> = {
  'a TCP listener, with the parameter healthCheckInterval in lower case': [
    {
      protocol: 'tcp',
      port: 80,
      description: 'k8s/80/web/shop/c1',
      scheduler: 'wrr',
      healthCheckSwitch: 'on',
      healthCheckInterval: 5,
      healthCheckConnectTimeout: 6,
      healthCheckURI: '/ready',
      persistenceTimeout: 0,
      proxyProtocolV2Enabled: true,
      connectionDrain: 'on',
      connectionDrainTimeout: 30,
    },
    'CreateLoadBalancerTCPListener',
    {
      ListenerPort: '80',
      Bandwidth: '-1',
      Description: 'k8s/80/web/shop/c1',
      Scheduler: 'wrr',
      HealthCheckSwitch: 'on',
      healthCheckInterval: '5',
      HealthCheckConnectTimeout: '6',
      HealthCheckURI: '/ready',
      PersistenceTimeout: '0',
      ProxyProtocolV2Enabled: 'true',
      ConnectionDrain: 'on',
      ConnectionDrainTimeout: '30',
      VServerGroupId: 'rsp-1',
    },
  ],
  'a UDP listener that probes the backend port, which needs no parameter': [
    { protocol: 'udp', port: 53, description: 'd', healthCheckInterval: 5, healthCheckConnectPort: -520 },
    'CreateLoadBalancerUDPListener',
    { ListenerPort: '53', Bandwidth: '-1', Description: 'd', healthCheckInterval: '5', VServerGroupId: 'rsp-1' },
  ],
  'an HTTP listener, with the health check explicitly off': [
    {
      protocol: 'http',
      port: 80,
      description: 'd',
      healthCheckInterval: 5,
      XForwardedFor_proto: 'on',
      stickySession: 'on',
    },
    'CreateLoadBalancerHTTPListener',
    {
      ListenerPort: '80',
      HealthCheck: 'off',
      Description: 'd',
      HealthCheckInterval: '5',
      XForwardedFor_proto: 'on',
      StickySession: 'on',
      VServerGroupId: 'rsp-1',
    },
  ],
  'an HTTPS listener': [
    {
      protocol: 'https',
      port: 443,
      description: 'd',
      bandwidth: 10,
      healthCheck: 'on',
      serverCertificateId: 'cert-1',
      enableHttp2: 'off',
      TLSCipherPolicy: 'tls_cipher_policy_1_2',
      aclStatus: 'on',
      aclType: 'white',
      aclId: 'acl-1,acl-2',
    },
    'CreateLoadBalancerHTTPSListener',
    {
      ListenerPort: '443',
      Bandwidth: '10',
      HealthCheck: 'on',
      Description: 'd',
      ServerCertificateId: 'cert-1',
      EnableHttp2: 'off',
      TLSCipherPolicy: 'tls_cipher_policy_1_2',
      AclStatus: 'on',
      AclType: 'white',
      AclId: 'acl-1,acl-2',
      VServerGroupId: 'rsp-1',
    },
  ],
};

/** Each protocol has its own parameters. A wrong parameter would change a listener that carries traffic. */
describe('listeners of SLB', () => {
  for (const [title, [attributes, action, parameters]] of Object.entries(CREATED)) {
    it(`are created: ${title}`, async () => {
      const { clb, sent } = scriptedSlb();
      await clb.createListener(lb('lb-1'), attributes, group('rsp-1'), aCall());
      assert.deepEqual(sent, [{ action, parameters: { ...COMMON, ...parameters } }]);
    });
  }

  it('are created without a group if they only redirect', async () => {
    const { clb, sent } = scriptedSlb();
    const attributes = {
      protocol: 'http',
      port: 80,
      description: 'd',
      listenerForward: 'on',
      forwardPort: 443,
    } as const;
    await clb.createListener(lb('lb-1'), attributes, undefined, aCall());
    assert.equal(sent[0]?.parameters['ForwardPort'], '443');
    assert.equal('VServerGroupId' in sent[0].parameters, false);
  });

  it('are changed only in the requested attributes; -520 probes the backend port again', async () => {
    const { clb, sent } = scriptedSlb();
    await clb.updateListener(
      lb('lb-1'),
      { port: 80, protocol: 'tcp' },
      { healthCheckInterval: 7, healthCheckConnectPort: -520 },
      undefined,
      aCall(),
    );
    assert.deepEqual(sent, [
      {
        action: 'SetLoadBalancerTCPListenerAttribute',
        parameters: { ...COMMON, ListenerPort: '80', HealthCheckInterval: '7', HealthCheckConnectPort: '-520' },
      },
    ]);
  });

  it('get another group by the parameters VServerGroup and VServerGroupId together', async () => {
    const { clb, sent } = scriptedSlb();
    await clb.updateListener(lb('lb-1'), { port: 53, protocol: 'udp' }, {}, group('rsp-2'), aCall());
    assert.deepEqual(sent[0]?.parameters, {
      ...COMMON,
      ListenerPort: '53',
      VServerGroup: 'on',
      VServerGroupId: 'rsp-2',
    });
  });

  it('get no attribute that their protocol lacks', async () => {
    const { clb, sent } = scriptedSlb();
    const call = clb.updateListener(
      lb('lb-1'),
      { port: 53, protocol: 'udp' },
      { serverCertificateId: 'x' },
      undefined,
      aCall(),
    );
    await assert.rejects(call, { reason: 'Bug', message: 'a udp listener has no serverCertificateId' });
    assert.deepEqual(sent, []);
  });

  it('are started and deleted by port and protocol, and deleted even if they do not exist', async () => {
    const missing = new CloudRejection('no such listener', { code: 'ResourceNotFound.Listener', status: 404 });
    const { clb, sent } = scriptedSlb({ RequestId: 'R' }, missing);
    await clb.startListener(lb('lb-1'), { port: 53, protocol: 'udp' }, aCall());
    await clb.deleteListener(lb('lb-1'), { port: 53, protocol: 'udp' }, undefined, aCall());
    const key = { ListenerPort: '53', ListenerProtocol: 'udp' };
    assert.deepEqual(sent, [
      { action: 'StartLoadBalancerListener', parameters: { ...COMMON, ...key } },
      { action: 'DeleteLoadBalancerListener', parameters: { ...COMMON, ...key } },
    ]);
  });

  describe('are observed', () => {
    const observe = async (item: object) => {
      const { clb } = scriptedSlb({
        Listeners: [{ LoadBalancerId: 'lb-1', ListenerPort: 80, Status: 'running', ...item }],
      });
      return (await clb.listListeners(lb('lb-1'), aCall()))[0];
    };

    it('as none if the response has no list', async () => {
      assert.deepEqual(await scriptedSlb({ RequestId: 'R', TotalCount: 0 }).clb.listListeners(lb('lb-1'), aCall()), []);
    });

    it('with the attributes of their protocol, and the health check switch as in requests', async () => {
      const found = await observe({
        ListenerProtocol: 'tcp',
        Description: 'k8s/80/web/shop/c1',
        VServerGroupId: 'rsp-1',
        Scheduler: 'rr',
        Bandwidth: -1,
        AclStatus: 'on',
        AclIds: ['acl-1', 'acl-2'],
        AclType: 'black',
        TCPListenerConfig: {
          HealthCheck: 'on',
          HealthCheckInterval: '2',
          HealthCheckType: 'tcp',
          ProxyProtocolV2Enabled: 'false',
          EstablishedTimeout: 900,
          PersistenceTimeout: 0,
          SomethingNew: 1,
        },
      });
      assert.deepEqual(found, {
        protocol: 'tcp',
        port: 80,
        description: 'k8s/80/web/shop/c1',
        status: 'running',
        groupId: 'rsp-1',
        scheduler: 'rr',
        bandwidth: -1,
        aclStatus: 'on',
        aclId: 'acl-1,acl-2',
        aclType: 'black',
        healthCheckSwitch: 'on',
        healthCheckInterval: 2,
        healthCheckType: 'tcp',
        proxyProtocolV2Enabled: false,
        establishedTimeout: 900,
        persistenceTimeout: 0,
      });
    });

    it('with a PROXY protocol flag that is a boolean in this response', async () => {
      const found = await observe({ ListenerProtocol: 'udp', UDPListenerConfig: { ProxyProtocolV2Enabled: true } });
      assert.equal(found?.protocol === 'udp' && found.proxyProtocolV2Enabled, true);
    });

    it('without unknown enumeration values, and with an unknown state as configuring', async () => {
      const found = await observe({
        ListenerProtocol: 'https',
        Status: 'hibernating',
        Scheduler: 'quantum',
        HTTPSListenerConfig: { EnableHttp2: 'maybe', HealthCheck: 'on', IdleTimeout: 'long' },
      });
      assert.deepEqual(found, {
        protocol: 'https',
        port: 80,
        description: '',
        status: 'configuring',
        healthCheck: 'on',
      });
    });

    it('only with a known protocol', async () => {
      assert.equal(await observe({ ListenerProtocol: 'tcpssl' }), undefined);
    });

    it('completely: a response of another shape is an error', async () => {
      await assert.rejects(observe({ ListenerProtocol: 'tcp', ListenerPort: 'eighty' }), { reason: 'Unavailable' });
    });

    it('only for the requested load balancer', async () => {
      await assert.rejects(observe({ ListenerProtocol: 'tcp', LoadBalancerId: 'lb-2' }), {
        reason: 'Unavailable',
        message: /^DescribeLoadBalancerListeners: .* describes lb-2 instead of lb-1$/,
      });
    });

    it('page by page, with an error if the next page is an earlier page', async () => {
      const page = { Listeners: [], NextToken: 'same' };
      await assert.rejects(scriptedSlb(page).clb.listListeners(lb('lb-1'), aCall()), {
        reason: 'Unavailable',
        message: /the next page is an earlier page; if the error lasts, report it to Alibaba Cloud$/,
      });
    });
  });
});
