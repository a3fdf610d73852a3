import assert from 'node:assert/strict';
import { aNetwork, aSimulator, callerOf, type Body, type Parameters } from '../../support/simulator.ts';

const WORLD = {
  ...aNetwork(12),
  networkInterfaces: [
    {
      id: 'eni-pods',
      vSwitchId: 'vsw-1',
      instanceId: 'i-1',
      privateAddresses: ['10.1.1.1', '10.1.1.2'],
      ipv6Addresses: ['2408::1'],
    },
  ],
};

function bench() {
  const simulator = aSimulator({ world: WORLD });
  const caller = callerOf(simulator);
  const ok = (action: string, parameters: Parameters = {}): Promise<Body> => caller.ok(action, parameters, 'Ecs');
  const rejected = (action: string, parameters: Parameters): Promise<string> =>
    caller.rejected(action, parameters, 'Ecs');
  const instances = async (parameters: Parameters): Promise<Body[]> =>
    ((await ok('DescribeInstances', parameters))['Instances'] as { Instance: Body[] }).Instance;
  const interfaces = async (parameters: Parameters): Promise<Body[]> =>
    ((await ok('DescribeNetworkInterfaces', parameters))['NetworkInterfaceSets'] as { NetworkInterfaceSet: Body[] })
      .NetworkInterfaceSet;
  return { simulator, ok, rejected, instances, interfaces };
}
const ids = (list: Body[], name = 'InstanceId'): unknown[] => list.map((item) => item[name]);

/** Tests of Nodes rely on the simulator, which must act as the API documentation describes. */
describe('instances of the simulator', () => {
  it('are omitted from the response for unknown ids', async () => {
    assert.deepEqual(ids(await bench().instances({ InstanceIds: '["i-2","i-99"]' })), ['i-2']);
  });

  it('are in the journal if a request did not find them', async () => {
    const { simulator, instances } = bench();
    await instances({ InstanceIds: '["i-2","i-99"]' });
    await instances({ InstanceIds: '["i-2"]' });
    assert.deepEqual(
      simulator.journal().map(({ missing }) => missing),
      [['i-99'], undefined],
    );
  });

  it('return none for an empty list of ids, and all without a list', async () => {
    const { instances } = bench();
    assert.deepEqual(await instances({ InstanceIds: '[]' }), []);
    assert.equal((await instances({ MaxResults: 100 })).length, 12);
  });

  it('are returned ten at a time by default, by token or by number', async () => {
    const { ok, instances } = bench();
    const first = await ok('DescribeInstances');
    const second = await instances({ NextToken: String(first['NextToken']) });
    assert.deepEqual(ids(second), ['i-11', 'i-12']);
    assert.deepEqual(ids(await instances({ PageNumber: 3, PageSize: 5 })), ['i-11', 'i-12']);
  });

  it('are found by private address', async () => {
    const found = await bench().instances({ InstanceNetworkType: 'vpc', PrivateIpAddresses: '["10.1.0.12"]' });
    assert.deepEqual(ids(found), ['i-2']);
  });

  it('have a primary interface, with its addresses only on request', async () => {
    const { instances } = bench();
    const primary = async (parameters: Parameters): Promise<Body | undefined> =>
      (
        (await instances({ InstanceIds: '["i-1"]', ...parameters }))[0]?.['NetworkInterfaces'] as {
          NetworkInterface: Body[];
        }
      ).NetworkInterface.find((found) => found['Type'] === 'Primary');
    assert.equal((await primary({}))?.['PrimaryIpAddress'], '10.1.0.11');
    assert.equal((await primary({}))?.['PrivateIpSets'], undefined);
    assert.deepEqual((await primary({ 'AdditionalAttributes.1': 'NETWORK_PRIMARY_ENI_IP' }))?.['PrivateIpSets'], {
      PrivateIpSet: [{ PrivateIpAddress: '10.1.0.11', Primary: true }],
    });
  });

  it('are released only by force while they run, together with their interface', async () => {
    const { ok, rejected, interfaces } = bench();
    assert.equal(await rejected('DeleteInstance', { InstanceId: 'i-2' }), '403 IncorrectInstanceStatus');
    await ok('DeleteInstance', { InstanceId: 'i-2', Force: true });
    assert.deepEqual(await interfaces({ InstanceId: 'i-2' }), []);
    assert.equal(await rejected('DeleteInstance', { InstanceId: 'i-2' }), '404 InvalidInstanceId.NotFound');
  });

  const rejections: Record<string, [parameters: Parameters, code: string]> = {
    'ids that are not JSON': [{ InstanceIds: 'i-1' }, 'InvalidParameter'],
    'a page of 101': [{ MaxResults: 101 }, 'InvalidParameter'],
    'a missing region': [{ RegionId: undefined }, 'MissingParameter'],
  };
  for (const [what, [parameters, code]] of Object.entries(rejections)) {
    it(`reject ${what} with ${code}`, async () =>
      assert.equal(await bench().rejected('DescribeInstances', parameters), code));
  }
});

describe('network interfaces of the simulator', () => {
  it('are found by secondary and by IPv6 addresses', async () => {
    const { interfaces } = bench();
    for (const parameters of [{ 'PrivateIpAddress.1': '10.1.1.2' }, { 'Ipv6Address.1': '2408::1' }]) {
      const found = await interfaces({ VpcId: 'vpc-1', Status: 'InUse', ...parameters });
      assert.deepEqual(ids(found, 'NetworkInterfaceId'), ['eni-pods']);
    }
  });

  it('can have their source check disabled', async () => {
    const { ok, interfaces } = bench();
    const primary = { InstanceId: 'i-3', Type: 'Primary' };
    const [before] = await interfaces(primary);
    assert.equal(before?.['SourceDestCheck'], true);
    await ok('ModifyNetworkInterfaceAttribute', {
      NetworkInterfaceId: String(before['NetworkInterfaceId']),
      SourceDestCheck: false,
    });
    assert.equal((await interfaces(primary))[0]?.['SourceDestCheck'], false);
  });

  it('reject an invalid id, an unknown id, and a page below ten', async () => {
    const { rejected } = bench();
    assert.equal(await rejected('DescribeNetworkInterfaces', { 'NetworkInterfaceId.1': 'i-1' }), 'InvalidParams.EniId');
    assert.equal(await rejected('DescribeNetworkInterfaces', { MaxResults: 9 }), 'InvalidParameter');
    const code = await rejected('ModifyNetworkInterfaceAttribute', { NetworkInterfaceId: 'eni-9' });
    assert.equal(code, '404 InvalidEniId.NotFound');
  });
});
