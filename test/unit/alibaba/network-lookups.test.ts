import assert from 'node:assert/strict';
import { interfacesApi } from '../../../src/alibaba/ecs/interfaces-by-address.ts';
import { elasticAddressApi } from '../../../src/alibaba/vpc/elastic-addresses.ts';
import { rangesApi } from '../../../src/alibaba/vpc/ranges.ts';
import { hasReason } from '../../../src/base/errors.ts';
import { aCall, executorBench, scriptedCloud, type ScriptedAnswer } from '../../support/scripted-cloud.ts';
import { lb } from '../../support/scripted-slb.ts';

const interfaces = (...answers: ScriptedAnswer[]) => {
  const { transport, sent } = scriptedCloud(...answers);
  return { api: interfacesApi(executorBench(transport).executor, 'cn-hangzhou'), sent };
};
const ranges = (answer: ScriptedAnswer) => {
  const { transport, sent } = scriptedCloud(answer);
  return { api: rangesApi(executorBench(transport).executor, 'cn-hangzhou'), sent };
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

/** A missing page or a wrong interface would remove pods from their load balancers. */
describe('the lookup of network interfaces at ECS', () => {
  it('requests the interfaces in use in the VPC that have any of the addresses', async () => {
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

  it('uses the parameter for IPv6 with IPv6 addresses', async () => {
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

  it('stops if pages repeat', async () => {
    const { api } = interfaces(page([], 'a'), page([], 'b'), page([], 'a'));
    await assert.rejects(api.findInterfaces('vpc-1', ['10.0.0.1'], aCall()), (error) =>
      hasReason(error, 'Unavailable'),
    );
  });

  it('sends no request without addresses', async () => {
    const { api, sent } = interfaces(page([]));
    assert.equal((await api.findInterfaces('vpc-1', [], aCall())).size, 0);
    assert.deepEqual(sent, []);
  });

  for (const [what, answer] of Object.entries({
    'an interface without an id': page([{ PrivateIpAddress: '10.0.0.1' }]),
    'a list of another type': { NetworkInterfaceSets: { NetworkInterfaceSet: 'none' } },
  })) {
    it(`treats ${what} as an error, not as an empty result`, async () => {
      const { api } = interfaces(answer);
      await assert.rejects(
        api.findInterfaces('vpc-1', ['10.0.0.1'], aCall()),
        (error) => hasReason(error, 'Unavailable') && error.message.includes('the response is not valid'),
      );
    });
  }
});

describe('the elastic addresses of a load balancer', () => {
  const elastic = (EipAddresses: object) => {
    const { transport, sent } = scriptedCloud({ EipAddresses });
    return { api: elasticAddressApi(executorBench(transport).executor, 'cn-hangzhou'), sent };
  };

  it('are the bound addresses, in order', async () => {
    const { api, sent } = elastic({ EipAddress: ['8.0.0.2', '8.0.0.1'].map((IpAddress) => ({ IpAddress })) });
    assert.deepEqual(await api.listElasticAddresses(lb('lb-1'), aCall()), ['8.0.0.1', '8.0.0.2']);
    const parameters = { AssociatedInstanceType: 'SlbInstance', AssociatedInstanceId: 'lb-1', PageSize: '100' };
    assert.deepEqual(sent, [
      { action: 'DescribeEipAddresses', parameters: { RegionId: 'cn-hangzhou', ...parameters } },
    ]);
  });

  it('are an error if the response is unreadable', async () => {
    await assert.rejects(elastic([]).api.listElasticAddresses(lb('lb-1'), aCall()), { reason: 'Unavailable' });
  });

  it('are an error if the response is about another load balancer', async () => {
    const { api } = elastic({ EipAddress: [{ IpAddress: '47.1.1.9', InstanceId: 'lb-2' }] });
    await assert.rejects(
      api.listElasticAddresses(lb('lb-1'), aCall()),
      (error) => hasReason(error, 'Unavailable') && error.message.includes('describes lb-2 instead of lb-1'),
    );
  });
});

describe('the ranges of a VPC', () => {
  it('are the primary, the secondary and the IPv6 ranges, each once', async () => {
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
    'an invalid primary range': { CidrBlock: 'ten/eight' },
    'an address without a length': { CidrBlock: '10.0.0.0' },
    'an invalid secondary range': { SecondaryCidrBlocks: { SecondaryCidrBlock: ['10.0.0.0/99'] } },
    'an invalid IPv6 range': { Ipv6CidrBlock: '10.0.0.0/8' },
    'an invalid additional IPv6 range': { Ipv6CidrBlocks: { Ipv6CidrBlock: [{ Ipv6CidrBlock: 'fd00::' }] } },
    'a response about another VPC': { VpcId: 'vpc-2', CidrBlock: '10.0.0.0/8' },
  })) {
    it(`are not read from ${what}`, async () => {
      await assert.rejects(
        ranges(answer).api.listRanges('vpc-1', aCall()),
        (error) => hasReason(error, 'Unavailable') && error.message.startsWith('DescribeVpcAttribute: '),
      );
    });
  }

  it('can be a single range', async () => {
    const { api } = ranges({ CidrBlock: '10.0.0.0/8', Ipv6CidrBlock: '' });
    assert.deepEqual(await api.listRanges('vpc-1', aCall()), ['10.0.0.0/8']);
  });
});
