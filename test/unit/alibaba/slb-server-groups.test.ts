import assert from 'node:assert/strict';
import { CloudRejection } from '../../../src/alibaba/cloud-call-types.ts';
import { createSlbClient } from '../../../src/alibaba/slb/client.ts';
import { serverGroupApi } from '../../../src/alibaba/slb/server-groups.ts';
import type { Backend } from '../../../src/clb/model/server-group.ts';
import { aCall, executorBench } from '../../support/scripted-cloud.ts';
import { group, lb, scriptedSlb, server } from '../../support/scripted-slb.ts';

const ECS: Backend = {
  type: 'ecs',
  serverId: server('i-1'),
  port: 30080,
  weight: 100,
  description: 'k8s/30080/web/shop/c1',
};
const ENI: Backend = {
  type: 'eni',
  serverId: server('eni-1'),
  serverIp: '10.0.0.9',
  port: 8080,
  weight: 0,
  description: '',
};
const WIRE = [
  { ServerId: 'i-1', Port: 30080, Weight: 100, Type: 'ecs', Description: 'k8s/30080/web/shop/c1' },
  { ServerId: 'eni-1', ServerIp: '10.0.0.9', Port: 8080, Weight: 0, Type: 'eni' },
];
const notFound = new CloudRejection('The specified VServerGroupId does not exist.', {
  code: 'InvalidParameter',
  status: 404,
});

/** A wrong call could empty a server group, and the port would lose its traffic. */
describe('server groups of SLB', () => {
  it('are created with their first backends in a single call', async () => {
    const { clb, sent } = scriptedSlb({ VServerGroupId: 'rsp-1', BackendServers: { BackendServer: [] } });
    assert.equal(await clb.createServerGroup(lb('lb-1'), 'k8s/30080/web/shop/c1', [ECS, ENI], aCall()), 'rsp-1');
    const { BackendServers, ...rest } = sent[0]?.parameters ?? {};
    assert.deepEqual(rest, {
      RegionId: 'cn-hangzhou',
      LoadBalancerId: 'lb-1',
      VServerGroupName: 'k8s/30080/web/shop/c1',
    });
    assert.deepEqual(JSON.parse(BackendServers ?? ''), WIRE);
  });

  for (const [method, action] of [
    ['addBackends', 'AddVServerGroupBackendServers'],
    ['removeBackends', 'RemoveVServerGroupBackendServers'],
    ['updateBackends', 'SetVServerGroupAttribute'],
  ] as const) {
    it(`are changed by ${method} with a single ${action}`, async () => {
      const { clb, sent } = scriptedSlb();
      await clb[method](group('rsp-1'), [ECS, ENI], aCall());
      assert.equal(sent[0]?.action, action);
      assert.equal(sent[0].parameters['VServerGroupId'], 'rsp-1');
      assert.deepEqual(JSON.parse(sent[0].parameters['BackendServers'] ?? ''), WIRE);
    });
  }

  it('get no backends from a call with more backends than the API allows', async () => {
    const { clb, sent } = scriptedSlb();
    const many = Array.from({ length: 21 }, () => ECS);
    await assert.rejects(clb.addBackends(group('rsp-1'), many, aCall()), { reason: 'Bug' });
    assert.deepEqual(sent, []);
  });

  it('are read with members, except members of a type that is never ours', async () => {
    const members = [
      {
        ServerId: 'i-1',
        Port: '30080',
        Weight: '100',
        Type: 'ecs',
        ServerIp: '10.0.0.1',
        Description: 'k8s/30080/web/shop/c1',
      },
      { ServerId: 'eni-1', ServerIp: '10.0.0.9', Port: 8080, Weight: 0, Type: 'eni' },
      { ServerId: 'eci-1', ServerIp: '10.0.0.8', Port: 8080, Weight: 0, Type: 'eci' },
    ];
    const { clb } = scriptedSlb({
      VServerGroupId: 'rsp-1',
      VServerGroupName: 'n',
      BackendServers: { BackendServer: members },
    });
    assert.deepEqual(await clb.readServerGroup(group('rsp-1'), aCall()), {
      id: 'rsp-1',
      name: 'n',
      backends: [ECS, ENI],
    });
  });

  it('are listed without members', async () => {
    const { clb } = scriptedSlb({
      VServerGroups: { VServerGroup: [{ VServerGroupId: 'rsp-1', VServerGroupName: 'n', ServerCount: 3 }] },
    });
    assert.deepEqual(await clb.listServerGroups(lb('lb-1'), aCall()), [{ id: 'rsp-1', name: 'n' }]);
  });

  it('that do not exist are an error for a read, and no error for a deletion', async () => {
    const { clb } = scriptedSlb(notFound);
    await assert.rejects(clb.readServerGroup(group('rsp-1'), aCall()), { reason: 'NotFound' });
    await clb.deleteServerGroup(group('rsp-1'), aCall());
  });

  it('that are still in use cannot be deleted yet, with the reason Busy', async () => {
    const inUse = new CloudRejection('The group is in use.', { code: 'RspoolVipExist', status: 400 });
    await assert.rejects(scriptedSlb(inUse).clb.deleteServerGroup(group('rsp-1'), aCall()), { reason: 'Busy' });
  });

  it('of a load balancer are changed sequentially if the load balancer is known', async () => {
    let underWay = 0;
    let most = 0;
    const bench = executorBench(async ({ action }) => {
      if (action === 'DescribeVServerGroups') {
        return { VServerGroups: { VServerGroup: ['rsp-1', 'rsp-2'].map((id) => ({ VServerGroupId: id })) } };
      }
      underWay += 1;
      most = Math.max(most, underWay);
      await bench.clock.sleep(100);
      underWay -= 1;
      return {};
    });
    const api = serverGroupApi(createSlbClient(bench.executor, 'cn-hangzhou'));
    await api.listServerGroups(lb('lb-1'), aCall());
    const changes = Promise.all([
      api.addBackends(group('rsp-1'), [ECS], aCall()),
      api.addBackends(group('rsp-2'), [ECS], aCall()),
    ]);
    await bench.clock.advance(200);
    await changes;
    assert.equal(most, 1);
  });

  it('are an error if the response is about another group', async () => {
    const { clb } = scriptedSlb({ VServerGroupId: 'rsp-2', BackendServers: { BackendServer: [] } });
    await assert.rejects(clb.readServerGroup(group('rsp-1'), aCall()), {
      reason: 'Unavailable',
      message: 'DescribeVServerGroupAttribute: the response describes rsp-2 instead of rsp-1',
    });
  });
});
