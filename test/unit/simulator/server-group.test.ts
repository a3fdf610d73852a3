import assert from 'node:assert/strict';
import {
  aNetwork,
  aSimulator,
  callerOf,
  type Body,
  type Parameters,
  type SimulatorSetup,
} from '../../support/simulator.ts';

const WORLD = {
  ...aNetwork(),
  vpcs: [...(aNetwork().vpcs ?? []), { id: 'vpc-2', cidrBlock: '10.0.0.0/8' }],
  vSwitches: [...(aNetwork().vSwitches ?? []), { id: 'vsw-2', vpcId: 'vpc-2', cidrBlock: '10.9.0.0/24' }],
  instances: [
    ...(aNetwork().instances ?? []),
    { id: 'i-far', vSwitchId: 'vsw-2' },
    { id: 'i-off', vSwitchId: 'vsw-1', status: 'Stopped' as const },
  ],
  networkInterfaces: [
    { id: 'eni-1', vSwitchId: 'vsw-1', instanceId: 'i-1', privateAddresses: ['10.1.1.1', '10.1.1.2'] },
  ],
  loadBalancers: [{ id: 'lb-1', vSwitchId: 'vsw-1', serverGroups: [{ id: 'rsp-1', name: 'one' }] }],
};
const GROUP: Parameters = { VServerGroupId: 'rsp-1' };

const bench = (setup: SimulatorSetup = {}) => callerOf(aSimulator({ world: WORLD, ...setup }));
const backends = (...items: object[]): string => JSON.stringify(items);
const node = (n: number, extra: object = {}): object => ({ ServerId: `i-${n}`, Port: 30080, Type: 'ecs', ...extra });
const pod = (address: string): object => ({ ServerId: 'eni-1', ServerIp: address, Port: 8080, Type: 'eni' });

const membersOf = (answer: Body): unknown[][] =>
  (answer['BackendServers'] as { BackendServer: Body[] }).BackendServer.map((member) => [
    member['ServerId'],
    member['ServerIp'],
    member['Port'],
    member['Weight'],
  ]);

/** Tests of backends rely on the simulator, which must act as the API documentation describes. */
describe('server groups of the simulator', () => {
  it('answer a change with the resulting group', async () => {
    const { ok } = bench();
    await ok('AddVServerGroupBackendServers', { ...GROUP, BackendServers: backends(node(1)) });
    const answer = await ok('AddVServerGroupBackendServers', {
      ...GROUP,
      BackendServers: backends(node(2, { Weight: 0 })),
    });
    assert.deepEqual(membersOf(answer), [
      ['i-1', '10.1.0.11', 30080, 100],
      ['i-2', '10.1.0.12', 30080, 0],
    ]);
  });

  it('read keys in any case, quoted numbers, and ignore unknown fields of members', async () => {
    const { ok } = bench();
    const item = {
      serverId: 'i-1',
      port: '30080',
      weight: '7',
      type: 'ecs',
      serverIp: '',
      vpcId: 'x',
      isUserManaged: false,
    };
    assert.deepEqual(
      membersOf(await ok('AddVServerGroupBackendServers', { ...GROUP, BackendServers: backends(item) })),
      [['i-1', '10.1.0.11', 30080, 7]],
    );
  });

  it('distinguish the addresses of an interface', async () => {
    const { ok } = bench();
    await ok('AddVServerGroupBackendServers', { ...GROUP, BackendServers: backends(pod('10.1.1.1'), pod('10.1.1.2')) });
    const left = await ok('RemoveVServerGroupBackendServers', { ...GROUP, BackendServers: backends(pod('10.1.1.1')) });
    assert.deepEqual(membersOf(left), [['eni-1', '10.1.1.2', 8080, 100]]);
  });

  it('keep a single entry of a backend that is added again, with the new weight', async () => {
    const { ok } = bench();
    await ok('AddVServerGroupBackendServers', { ...GROUP, BackendServers: backends(node(1)) });
    const again = await ok('AddVServerGroupBackendServers', {
      ...GROUP,
      BackendServers: backends(node(1, { Weight: 5 })),
    });
    assert.deepEqual(membersOf(again), [['i-1', '10.1.0.11', 30080, 5]]);
  });

  it('change weight and description of the listed members, and keep the rest', async () => {
    const { ok } = bench();
    await ok('AddVServerGroupBackendServers', { ...GROUP, BackendServers: backends(node(1), node(2)) });
    await ok('SetVServerGroupAttribute', {
      ...GROUP,
      VServerGroupName: 'renamed',
      BackendServers: backends(node(2, { Weight: 3, Description: 'mine' })),
    });
    const group = await ok('DescribeVServerGroupAttribute', GROUP);
    const members = (group['BackendServers'] as { BackendServer: Body[] }).BackendServer;
    assert.deepEqual(
      members.map((member) => [member['Weight'], member['Description']]),
      [
        [100, undefined],
        [3, 'mine'],
      ],
    );
    assert.equal(group['VServerGroupName'], 'renamed');
  });

  it('swap members in a single step, and change nothing if a new member is invalid', async () => {
    const { ok, rejected } = bench();
    await ok('AddVServerGroupBackendServers', { ...GROUP, BackendServers: backends(node(1)) });
    const swap = (wanted: object): Parameters => ({
      ...GROUP,
      OldBackendServers: backends(node(1)),
      NewBackendServers: backends(wanted),
    });
    assert.equal(await rejected('ModifyVServerGroupBackendServers', swap(node(9))), 'InvalidServerId.NotExist');
    assert.equal(membersOf(await ok('DescribeVServerGroupAttribute', GROUP))[0]?.[0], 'i-1');
    assert.equal(membersOf(await ok('ModifyVServerGroupBackendServers', swap(node(2))))[0]?.[0], 'i-2');
  });

  it('ignore the removal of a missing backend', async () => {
    await bench().ok('RemoveVServerGroupBackendServers', { ...GROUP, BackendServers: backends(node(1)) });
  });

  it('are listed without members, and with listeners only on request', async () => {
    const { ok } = bench();
    await ok('CreateLoadBalancerTCPListener', { LoadBalancerId: 'lb-1', ListenerPort: 80, Bandwidth: -1, ...GROUP });
    const groups = async (extra: Parameters): Promise<Body | undefined> =>
      (
        (await ok('DescribeVServerGroups', { LoadBalancerId: 'lb-1', ...extra }))['VServerGroups'] as {
          VServerGroup: Body[];
        }
      ).VServerGroup[0];
    assert.ok(!('BackendServers' in ((await groups({})) ?? {})));
    assert.equal((await groups({}))?.['AssociatedObjects'], undefined);
    assert.deepEqual((await groups({ IncludeListener: true }))?.['AssociatedObjects'], {
      Listeners: { Listener: [{ Port: 80, Protocol: 'tcp' }] },
      Rules: { Rule: [] },
    });
  });

  const rejections: Record<string, [text: string, code: string]> = {
    'text that is not JSON': ['[', 'BackendServersMalformed'],
    'an item without a port': [backends({ ServerId: 'i-1' }), 'BackendServersMalformed'],
    'a weight over 100': [backends(node(1, { Weight: 101 })), 'InvalidWeight.Malformed'],
    'an unknown type': [backends(node(1, { Type: 'vm' })), 'BackendServer.InvalidType'],
    'an instance that does not exist': [backends(node(9)), 'InvalidServerId.NotExist'],
    'an interface that does not exist': [
      backends({ ...pod('10.1.1.1'), ServerId: 'eni-9' }),
      '404 ResourceNotFound.vServers',
    ],
    'an address that the interface lacks': [backends(pod('10.1.1.9')), 'InvalidParameter'],
    'an instance that does not run': [backends({ ServerId: 'i-off', Port: 1 }), 'ObtainIpFail'],
    'an instance of another VPC': [backends({ ServerId: 'i-far', Port: 1 }), 'NetworkConflict'],
    'more than twenty backends in a single call': [
      backends(...Array.from({ length: 21 }, (_, port) => node(1, { Port: port + 1 }))),
      'TooManyBackendServers',
    ],
  };
  for (const [what, [text, code]] of Object.entries(rejections)) {
    it(`reject ${what} with ${code}, and add no backend of the call`, async () => {
      const { ok, rejected } = bench();
      assert.equal(await rejected('AddVServerGroupBackendServers', { ...GROUP, BackendServers: text }), code);
      assert.deepEqual(membersOf(await ok('DescribeVServerGroupAttribute', GROUP)), []);
    });
  }

  it('answer a missing group with the generic code and 404', async () => {
    assert.equal(await bench().rejected('DeleteVServerGroup', { VServerGroupId: 'rsp-9' }), '404 InvalidParameter');
  });

  it('reject more backends than the quota allows over all groups of a load balancer', async () => {
    const { ok, rejected } = bench({ settings: { backendsPerLoadBalancer: 2 } });
    await ok('CreateVServerGroup', {
      LoadBalancerId: 'lb-1',
      VServerGroupName: 'two',
      BackendServers: backends(node(1), node(2)),
    });
    const code = await rejected('AddVServerGroupBackendServers', { ...GROUP, BackendServers: backends(node(3)) });
    assert.equal(code, 'InstanceBackendServerNumberOverLimit');
  });

  it('return the health of a running listener only', async () => {
    const { ok } = bench({ settings: { listenerTransitionMs: 0 } });
    await ok('AddVServerGroupBackendServers', { ...GROUP, BackendServers: backends(node(1), pod('10.1.1.1')) });
    await ok('CreateLoadBalancerTCPListener', { LoadBalancerId: 'lb-1', ListenerPort: 80, Bandwidth: -1, ...GROUP });
    const health = async (): Promise<unknown[]> =>
      (
        (await ok('DescribeHealthStatus', { LoadBalancerId: 'lb-1' }))['BackendServers'] as { BackendServer: Body[] }
      ).BackendServer.map((server) => server['ServerHealthStatus']);
    assert.deepEqual(await health(), ['unavailable', 'unavailable']);
    await ok('StartLoadBalancerListener', { LoadBalancerId: 'lb-1', ListenerPort: 80 });
    assert.deepEqual(await health(), ['normal', 'normal']);
  });
});
