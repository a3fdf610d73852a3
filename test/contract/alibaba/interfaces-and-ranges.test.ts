import assert from 'node:assert/strict';
import type { CloudApis } from '../../../src/alibaba/cloud.ts';
import { aCall } from '../../support/scripted-cloud.ts';
import { cloudOverHttp } from '../../support/cloud-over-http.ts';
import { interfacesOf, addressOf } from '../../support/pods.ts';
import { aNetwork, startSimulator, type SimulatorServer } from '../../support/simulator.ts';

const call = aCall();
const WORLD = {
  ...aNetwork(),
  vpcs: [
    { id: 'vpc-1', cidrBlock: '10.0.0.0/8', secondaryCidrBlocks: ['172.16.0.0/12'], ipv6CidrBlock: '2001:db8::/56' },
    { id: 'vpc-2', cidrBlock: '10.0.0.0/8' },
  ],
  vSwitches: [
    { id: 'vsw-1', vpcId: 'vpc-1', cidrBlock: '10.1.0.0/16' },
    { id: 'vsw-2', vpcId: 'vpc-2', cidrBlock: '10.1.0.0/16' },
  ],
};

/** Creates the network client and its simulator with 120 equal and three special network interfaces. */
async function networkClient(): Promise<CloudApis & { readonly server: SimulatorServer } & AsyncDisposable> {
  const server = await startSimulator({ world: WORLD });
  server.simulator.seed({
    networkInterfaces: [
      ...interfacesOf(120),
      { id: 'eni-twin', vSwitchId: 'vsw-2', privateAddresses: [addressOf(1)] },
      { id: 'eni-spare', vSwitchId: 'vsw-1', privateAddresses: ['10.1.2.1'], status: 'Available' },
      {
        id: 'eni-many',
        vSwitchId: 'vsw-1',
        privateAddresses: ['10.1.2.2', '10.1.2.3'],
        ipv6Addresses: ['2001:db8::2'],
      },
    ],
  });
  return { ...cloudOverHttp(server.host), server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** A wrong lookup would register the network interface of another pod as a backend. */
describe('the network client with the simulated cloud', () => {
  it('finds a hundred addresses in a single call, each on its interface', async () => {
    await using cloud = await networkClient();
    const addresses = Array.from({ length: 100 }, (_, index) => addressOf(index + 21));
    const found = await cloud.network.findInterfaces('vpc-1', addresses, call);
    assert.equal(found.size, 100);
    assert.equal(found.get(addressOf(120)), 'eni-120');
    assert.equal(cloud.server.simulator.journal().length, 1);
  });

  it('finds secondary addresses and IPv6 addresses', async () => {
    await using cloud = await networkClient();
    assert.equal((await cloud.network.findInterfaces('vpc-1', ['10.1.2.3'], call)).get('10.1.2.3'), 'eni-many');
    assert.equal((await cloud.network.findInterfaces('vpc-1', ['2001:db8::2'], call)).get('2001:db8::2'), 'eni-many');
  });

  it('ignores interfaces of another VPC, and unused interfaces', async () => {
    await using cloud = await networkClient();
    const found = await cloud.network.findInterfaces('vpc-1', [addressOf(1), '10.1.2.1', '10.9.9.9'], call);
    assert.deepEqual([...found], [[addressOf(1), 'eni-1']]);
  });

  it('reads the ranges of the VPC', async () => {
    await using cloud = await networkClient();
    assert.deepEqual(await cloud.network.listRanges('vpc-1', call), ['10.0.0.0/8', '172.16.0.0/12', '2001:db8::/56']);
  });
});
