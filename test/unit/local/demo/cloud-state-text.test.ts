import assert from 'node:assert/strict';
import { callsFor, type CloudLoadBalancer } from '../../../../src/local/demo/simulator-client.ts';
import { countCalls, drawLoadBalancer, drawRoutes, table } from '../../../../src/local/demo/cloud-state-text.ts';

const listener = (port: number, protocol: string, attributes: Readonly<Record<string, unknown>>) => ({
  ...{ port, protocol, status: 'running' },
  attributes: { Description: `k8s/${port}/web/demo/c1`, ...attributes },
});

const BALANCER: CloudLoadBalancer = {
  id: 'lb-1',
  name: 'web',
  address: '47.0.0.1',
  tags: {},
  listeners: [
    listener(443, 'https', { VServerGroupId: 'rsp-1', ServerCertificateId: 'cert-1' }),
    listener(80, 'http', { VServerGroupId: 'rsp-1', ListenerForward: 'on', ForwardPort: 443 }),
    listener(25, 'tcp', { VServerGroupId: 'rsp-2', Description: 'mail' }),
  ],
  serverGroups: [
    { id: 'rsp-1', name: 'pods', backends: [{ serverId: 'eni-1', serverIp: '10.0.0.9', port: 8080, weight: 100 }] },
    { id: 'rsp-2', name: 'mail', backends: [{ serverId: 'i-1', serverIp: '10.0.0.1', port: 2525, weight: 1 }] },
  ],
};

/** The demo prints the state of the cloud for its readers. */
describe('the demo output of the cloud', () => {
  it('has a load balancer with its listeners and their backends, and marks listeners of users', () =>
    assert.equal(
      drawLoadBalancer(BALANCER),
      `load balancer lb-1  47.0.0.1  web
  listener https/443 running, certificate cert-1
    server group pods
      eni-1 10.0.0.9:8080  weight 100
  listener http/80 running, redirects to 443
  listener tcp/25 running, created by a user: mail
    server group mail
      i-1:2525  weight 1`,
    ));

  it('has routes by destination', () => {
    const route = (destination: string) => ({ destination, nextHopId: 'i-1', type: 'Custom', status: 'Available' });
    assert.equal(
      drawRoutes([route('10.64.2.0/24'), route('10.64.1.0/24')]),
      '  route 10.64.1.0/24   to i-1   Available\n  route 10.64.2.0/24   to i-1   Available',
    );
  });

  it('has calls with the most frequent first', () => {
    const call = (action: string) => ({ n: 1, userAgent: '', product: 'Slb', action, parameters: {} });
    assert.deepEqual(countCalls(['A', 'B', 'B'].map(call)), [
      ['slb:B', 2],
      ['slb:A', 1],
    ]);
  });

  it('has the calls for a single load balancer', () => {
    const call = (action: string, more: object) => ({ n: 1, userAgent: '', action, parameters: {}, ...more });
    const calls = [
      call('DescribeLoadBalancers', { parameters: { Tags: '[{"TagKey":"owner","TagValue":"web"}]' } }),
      call('DescribeLoadBalancerAttribute', { parameters: { LoadBalancerId: 'lb-1' } }),
      call('DescribeVServerGroups', { parameters: { LoadBalancerId: 'lb-12' } }),
      call('StartLoadBalancerListener', { subject: 'lb-1' }),
    ];
    assert.deepEqual(
      callsFor(calls, BALANCER).map(({ action }) => action),
      ['DescribeLoadBalancers', 'DescribeLoadBalancerAttribute', 'StartLoadBalancerListener'],
    );
  });

  it('has columns as wide as their widest cell, without trailing space', () =>
    assert.equal(
      table([
        ['a', 'bb'],
        ['ccc', ''],
      ]),
      'a     bb\nccc',
    ));
});
