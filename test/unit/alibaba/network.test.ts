import assert from 'node:assert/strict';
import { interfacesApi } from '../../../src/alibaba/ecs/interfaces.ts';
import { elasticAddressApi } from '../../../src/alibaba/vpc/elastic-addresses.ts';
import { rangesApi } from '../../../src/alibaba/vpc/ranges.ts';
import { hasReason } from '../../../src/base/errors.ts';
import { aCall, doorBench, scriptedCloud, type ScriptedAnswer } from '../../support/cloud.ts';
import { lb } from '../../support/slb.ts';

const interfaces = (...answers: ScriptedAnswer[]) => {
  const { transport, sent } = scriptedCloud(...answers);
  return { api: interfacesApi(doorBench(transport).door, 'cn-hangzhou'), sent };
};
const ranges = (answer: ScriptedAnswer) => {
  const { transport, sent } = scriptedCloud(answer);
  return { api: rangesApi(doorBench(transport).door, 'cn-hangzhou'), sent };
};
const eni = (id: string, addresses: readonly string[], ipv6: readonly string[] = []) => ({
  NetworkInterfaceId: id,
  PrivateIpAddress: addresses[0],
  PrivateIpSets: { PrivateIpSet: addresses.map((PrivateIpAddress) => ({ PrivateIpAddress, Primary: false })) },
  Ipv6Sets: { Ipv6Set: ipv6.map((Ipv6Address) => ({ Ipv6Address })) },
});
const page = (items: readonly object[], NextToken = '') => ({
  RequestId: 'R',
  NetworkInterfaceSets: { NetworkInterfaceSet: items },
  NextToken,
});

describe('looking up interfaces at ECS', () => {
  it('asks for those in use in the VPC that have one of the addresses', async () => {
    const { api, sent } = interfaces(page([eni('eni-1', ['10.0.0.1', '10.0.0.2'])]));
    const found = await api.findInterfaces('vpc-1', ['10.0.0.2', '10.0.0.9'], aCall());
    assert.deepEqual([...found], [['10.0.0.2', 'eni-1']]);
    assert.deepEqual(sent, [
      {
        action: 'DescribeNetworkInterfaces',
        parameters: {
          RegionId: 'cn-hangzhou',
          VpcId: 'vpc-1',
          Status: 'InUse',
          MaxResults: '100',
          'PrivateIpAddress.1': '10.0.0.2',
          'PrivateIpAddress.2': '10.0.0.9',
        },
      },
    ]);
  });

  it('asks by IPv6 address for IPv6', async () => {
    const { api, sent } = interfaces(page([eni('eni-1', ['10.0.0.1'], ['2001:db8::1'])]));
    const found = await api.findInterfaces('vpc-1', ['2001:db8::1'], aCall());
    assert.deepEqual([...found], [['2001:db8::1', 'eni-1']]);
    assert.equal(sent[0]?.parameters['Ipv6Address.1'], '2001:db8::1');
  });

  it('reads all pages', async () => {
    const { api, sent } = interfaces(page([eni('eni-1', ['10.0.0.1'])], 'next'), page([eni('eni-2', ['10.0.0.2'])]));
    const found = await api.findInterfaces('vpc-1', ['10.0.0.1', '10.0.0.2'], aCall());
    assert.equal(found.size, 2);
    assert.equal(sent[1]?.parameters['NextToken'], 'next');
  });

  it('does not read pages in a circle', async () => {
    const { api } = interfaces(page([], 'a'), page([], 'b'), page([], 'a'));
    await assert.rejects(api.findInterfaces('vpc-1', ['10.0.0.1'], aCall()), (error) =>
      hasReason(error, 'Unavailable'),
    );
  });

  it('asks nothing for no address', async () => {
    const { api, sent } = interfaces(page([]));
    assert.equal((await api.findInterfaces('vpc-1', [], aCall())).size, 0);
    assert.deepEqual(sent, []);
  });

  for (const [what, answer] of Object.entries({
    'an interface without an id': page([{ PrivateIpAddress: '10.0.0.1' }]),
    'a list that is none': { NetworkInterfaceSets: { NetworkInterfaceSet: 'none' } },
  })) {
    it(`takes ${what} for no answer, not for an empty one`, async () => {
      const { api } = interfaces(answer);
      await assert.rejects(
        api.findInterfaces('vpc-1', ['10.0.0.1'], aCall()),
        (error) => hasReason(error, 'Unavailable') && error.message.includes('could not be read'),
      );
    });
  }
});

describe('the elastic addresses of a load balancer', () => {
  it('are not read from those of another', async () => {
    const EipAddresses = { EipAddress: [{ IpAddress: '47.1.1.9', InstanceId: 'lb-2' }] };
    const { door } = doorBench(scriptedCloud({ EipAddresses }).transport);
    await assert.rejects(
      elasticAddressApi(door, 'cn-hangzhou').listElasticAddresses(lb('lb-1'), aCall()),
      (error) => hasReason(error, 'Unavailable') && error.message.includes('about lb-2, and not lb-1'),
    );
  });
});

describe('the ranges of a VPC', () => {
  it('are the first, the secondary ones and those of IPv6, each once', async () => {
    const { api, sent } = ranges({
      CidrBlock: '10.0.0.0/8',
      SecondaryCidrBlocks: { SecondaryCidrBlock: ['172.16.0.0/16'] },
      Ipv6CidrBlock: '2001:db8::/56',
      Ipv6CidrBlocks: { Ipv6CidrBlock: [{ Ipv6CidrBlock: '2001:db8::/56' }, { Ipv6CidrBlock: '2001:db9::/56' }] },
    });
    assert.deepEqual(await api.listRanges('vpc-1', aCall()), [
      '10.0.0.0/8',
      '172.16.0.0/16',
      '2001:db8::/56',
      '2001:db9::/56',
    ]);
    assert.deepEqual(sent[0]?.parameters, { RegionId: 'cn-hangzhou', VpcId: 'vpc-1' });
  });

  for (const [what, answer] of Object.entries({
    'a first one that is none': { CidrBlock: 'ten/eight' },
    'an address without a length': { CidrBlock: '10.0.0.0' },
    'a secondary one that is none': { SecondaryCidrBlocks: { SecondaryCidrBlock: ['10.0.0.0/99'] } },
    'one of IPv6 that is none': { Ipv6CidrBlock: '10.0.0.0/8' },
    'a further one of IPv6 that is none': { Ipv6CidrBlocks: { Ipv6CidrBlock: [{ Ipv6CidrBlock: 'fd00::' }] } },
    'those of another VPC': { VpcId: 'vpc-2', CidrBlock: '10.0.0.0/8' },
  })) {
    it(`are not read from ${what}`, async () => {
      await assert.rejects(
        ranges(answer).api.listRanges('vpc-1', aCall()),
        (error) => hasReason(error, 'Unavailable') && error.message.startsWith('DescribeVpcAttribute: '),
      );
    });
  }

  it('may be only one', async () => {
    const { api } = ranges({ CidrBlock: '10.0.0.0/8', Ipv6CidrBlock: '' });
    assert.deepEqual(await api.listRanges('vpc-1', aCall()), ['10.0.0.0/8']);
  });
});
