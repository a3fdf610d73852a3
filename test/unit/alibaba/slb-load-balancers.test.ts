import assert from 'node:assert/strict';
import { CloudRejection } from '../../../src/alibaba/cloud-call-types.ts';
import type { ClbApi } from '../../../src/clb/model/clb-api.ts';
import { aCall } from '../../support/scripted-cloud.ts';
import { lb, scriptedSlb } from '../../support/scripted-slb.ts';

const RegionId = 'cn-hangzhou';
const missing = new CloudRejection('The specified LoadBalancerId does not exist.', {
  code: 'InvalidLoadBalancerId.NotFound',
  status: 404,
});

/** An item of the list in the cloud's answer, with fields that this version does not know. */
const ITEM = {
  LoadBalancerId: 'lb-1',
  LoadBalancerName: 'web',
  Address: '47.96.0.1',
  AddressType: 'internet',
  AddressIPVersion: 'ipv4',
  LoadBalancerStatus: 'active',
  InternetChargeType: '3',
  InternetChargeTypeAlias: 'paybybandwidth',
  InstanceChargeType: 'PayBySpec',
  LoadBalancerSpec: 'slb.s1.small',
  Bandwidth: '10',
  ResourceGroupId: 'rg-1',
  VpcId: '',
  VSwitchId: '',
  MasterZoneId: 'cn-hangzhou-b',
  SlaveZoneId: 'cn-hangzhou-c',
  DeleteProtection: 'on',
  ModificationProtectionStatus: 'ConsoleProtection',
  ModificationProtectionReason: 'managed.by.ack',
  Tags: { Tag: [{ TagKey: 'team', TagValue: 'web' }, { TagKey: 'empty' }] },
  SomethingNew: { Deep: [1] },
};
const READ = {
  id: 'lb-1',
  name: 'web',
  address: '47.96.0.1',
  addressType: 'internet',
  ipVersion: 'ipv4',
  status: 'active',
  internetChargeType: 'paybybandwidth',
  instanceChargeType: 'PayBySpec',
  spec: 'slb.s1.small',
  bandwidth: 10,
  resourceGroupId: 'rg-1',
  masterZoneId: 'cn-hangzhou-b',
  slaveZoneId: 'cn-hangzhou-c',
  deleteProtection: 'on',
  modificationProtection: 'ConsoleProtection',
  modificationProtectionReason: 'managed.by.ack',
  tags: { team: 'web', empty: '' },
};
const list = (...items: object[]) => ({
  RequestId: 'R',
  LoadBalancers: { LoadBalancer: items },
  TotalCount: items.length,
});

/** A misread load balancer could count as missing, and the controller would create a second one. */
describe('load balancers of SLB', () => {
  it('are read with every attribute, and unknown fields are ignored', async () => {
    const { clb, sent } = scriptedSlb({ ...ITEM, InternetChargeType: 'paybybandwidth' });
    assert.deepEqual(await clb.read(lb('lb-1'), aCall()), READ);
    assert.deepEqual(sent, [
      { action: 'DescribeLoadBalancerAttribute', parameters: { RegionId, LoadBalancerId: 'lb-1' } },
    ]);
  });

  const answers: Record<string, readonly [object, object]> = {
    'a numeric charge type: 4 is by traffic': [{ InternetChargeType: '4' }, { internetChargeType: 'paybytraffic' }],
    'an unknown state as active': [{ LoadBalancerStatus: 'hibernated' }, { status: 'active' }],
    'an unknown charge type as no charge type': [
      { InstanceChargeType: 'PayByMoon' },
      { instanceChargeType: undefined },
    ],
    'an empty VPC as none': [{ VpcId: '' }, { vpcId: undefined }],
    'no tags as an empty map': [{ Tags: {} }, { tags: {} }],
  };
  for (const [title, [input, expected]] of Object.entries(answers)) {
    it(`are read with ${title}`, async () => {
      const { clb } = scriptedSlb({ ...ITEM, ...input });
      const found: Record<string, unknown> = { ...(await clb.read(lb('lb-1'), aCall())) };
      for (const [field, value] of Object.entries(expected)) assert.deepEqual(found[field], value);
    });
  }

  const HOMELESS = { ...ITEM, Address: '' };
  const lookups: Record<string, readonly [answer: object, find: (clb: ClbApi) => Promise<unknown>]> = {
    DescribeLoadBalancerAttribute: [HOMELESS, (clb) => clb.read(lb('lb-1'), aCall())],
    'DescribeLoadBalancers by tag': [list(HOMELESS), (clb) => clb.findByTag('team', 'web', aCall())],
    'DescribeLoadBalancers by name': [list(HOMELESS), (clb) => clb.findByName('web', aCall())],
  };
  for (const [how, [answer, find]] of Object.entries(lookups)) {
    it(`are an error if ${how} returns no address`, async () => {
      await assert.rejects(find(scriptedSlb(answer).clb), {
        reason: 'Unavailable',
        message: /^DescribeLoadBalancer\w+: .* no address of lb-1$/,
      });
    });
  }

  it('are absent if the cloud has none with the id', async () => {
    assert.equal(await scriptedSlb(missing).clb.read(lb('lb-1'), aCall()), undefined);
  });

  it('are found by a tag, and only if they really have it', async () => {
    const { clb, sent } = scriptedSlb(list(ITEM, { ...ITEM, LoadBalancerId: 'lb-2', Tags: { Tag: [] } }));
    assert.deepEqual(
      (await clb.findByTag('team', 'web', aCall())).map(({ id }) => id),
      ['lb-1'],
    );
    assert.deepEqual(sent[0]?.parameters, {
      RegionId,
      Tags: '[{"TagKey":"team","TagValue":"web"}]',
      PageNumber: '1',
      PageSize: '100',
    });
  });

  it('are found by exact name', async () => {
    const { clb, sent } = scriptedSlb(list(ITEM, { ...ITEM, LoadBalancerId: 'lb-2', LoadBalancerName: 'web2' }));
    assert.deepEqual(
      (await clb.findByName('web', aCall())).map(({ id }) => id),
      ['lb-1'],
    );
    assert.equal(sent[0]?.parameters['LoadBalancerName'], 'web');
  });

  it('are created in a single call with tags and token, by the parameter names of the API', async () => {
    const { clb, sent } = scriptedSlb({ LoadBalancerId: 'lb-9', Address: '1.2.3.4' });
    const created = await clb.create(
      {
        name: 'web',
        addressType: 'intranet',
        ipVersion: 'ipv4',
        vpcId: 'vpc-1',
        vSwitchId: 'vsw-1',
        spec: 'slb.s1.small',
        instanceChargeType: 'PayBySpec',
        modificationProtection: 'ConsoleProtection',
        modificationProtectionReason: 'managed.by.ack',
        deleteProtection: 'on',
        bandwidth: 5,
      },
      { 'kubernetes.do.not.delete': 'web', 'ack.aliyun.com': 'c1' },
      'token-1',
      aCall('create'),
    );
    assert.deepEqual(created, { id: 'lb-9', address: '1.2.3.4' });
    assert.deepEqual(sent, [
      {
        action: 'CreateLoadBalancer',
        parameters: {
          RegionId,
          LoadBalancerName: 'web',
          AddressType: 'intranet',
          AddressIPVersion: 'ipv4',
          VpcId: 'vpc-1',
          VSwitchId: 'vsw-1',
          LoadBalancerSpec: 'slb.s1.small',
          InstanceChargeType: 'PayBySpec',
          ModificationProtectionStatus: 'ConsoleProtection',
          ModificationProtectionReason: 'managed.by.ack',
          DeleteProtection: 'on',
          Bandwidth: '5',
          'Tag.1.Key': 'kubernetes.do.not.delete',
          'Tag.1.Value': 'web',
          'Tag.2.Key': 'ack.aliyun.com',
          'Tag.2.Value': 'c1',
          ClientToken: 'token-1',
        },
      },
    ]);
  });

  it('are created with an unknown outcome if the response has no id', async () => {
    const { clb } = scriptedSlb({ RequestId: 'R' });
    await assert.rejects(clb.create({}, {}, 't', aCall()), { reason: 'OutcomeUnknown', message: /loadBalancerId/ });
  });

  it('are an error if the response has another shape', async () => {
    for (const odd of [{ ...ITEM, AddressType: 7 }, { LoadBalancerId: '' }, { ...ITEM, Tags: { Tag: 'x' } }]) {
      await assert.rejects(scriptedSlb(odd).clb.read(lb('lb-1'), aCall()), { reason: 'Unavailable' });
    }
  });

  it('are deleted, even if they do not exist', async () => {
    const { clb, sent } = scriptedSlb(missing);
    await clb.delete(lb('lb-1'), aCall());
    assert.equal(sent[0]?.action, 'DeleteLoadBalancer');
  });

  it('are never untagged without a key, which could remove all tags', async () => {
    const { clb, sent } = scriptedSlb();
    await assert.rejects(clb.untag(lb('lb-1'), [], aCall()), { reason: 'Bug' });
    assert.deepEqual(sent, []);
  });

  /** Method of `ClbApi` → sent action and parameters, without region and id. */
  const changes: Record<string, readonly [(clb: ClbApi) => Promise<void>, string, object]> = {
    rename: [(clb) => clb.rename(lb('lb-1'), 'n', aCall()), 'SetLoadBalancerName', { LoadBalancerName: 'n' }],
    setDeleteProtection: [
      (clb) => clb.setDeleteProtection(lb('lb-1'), 'off', aCall()),
      'SetLoadBalancerDeleteProtection',
      { DeleteProtection: 'off' },
    ],
    setModificationProtection: [
      (clb) => clb.setModificationProtection(lb('lb-1'), 'ConsoleProtection', 'why', aCall()),
      'SetLoadBalancerModificationProtection',
      { ModificationProtectionStatus: 'ConsoleProtection', ModificationProtectionReason: 'why' },
    ],
    'setModificationProtection without a reason': [
      (clb) => clb.setModificationProtection(lb('lb-1'), 'NonProtection', undefined, aCall()),
      'SetLoadBalancerModificationProtection',
      { ModificationProtectionStatus: 'NonProtection' },
    ],
    setSpec: [
      (clb) => clb.setSpec(lb('lb-1'), 'slb.s2.small', aCall()),
      'ModifyLoadBalancerInstanceSpec',
      { LoadBalancerSpec: 'slb.s2.small' },
    ],
    setInstanceChargeType: [
      (clb) => clb.setInstanceChargeType(lb('lb-1'), 'PayByCLCU', aCall()),
      'ModifyLoadBalancerInstanceChargeType',
      { InstanceChargeType: 'PayByCLCU' },
    ],
    setInternetSpec: [
      (clb) => clb.setInternetSpec(lb('lb-1'), { chargeType: 'paybybandwidth', bandwidth: 20 }, aCall()),
      'ModifyLoadBalancerInternetSpec',
      { InternetChargeType: 'paybybandwidth', Bandwidth: '20' },
    ],
  };
  for (const [method, [call, action, parameters]] of Object.entries(changes)) {
    it(`are changed by ${method} with a single ${action}`, async () => {
      const { clb, sent } = scriptedSlb();
      await call(clb);
      assert.deepEqual(sent, [{ action, parameters: { RegionId, LoadBalancerId: 'lb-1', ...parameters } }]);
    });
  }

  it('are tagged and untagged as instances', async () => {
    const { clb, sent } = scriptedSlb();
    await clb.tag(lb('lb-1'), { a: 'b', c: '' }, aCall());
    await clb.untag(lb('lb-1'), ['a', 'c'], aCall());
    const resource = { RegionId, ResourceType: 'instance', 'ResourceId.1': 'lb-1' };
    assert.deepEqual(sent, [
      {
        action: 'TagResources',
        parameters: { ...resource, 'Tag.1.Key': 'a', 'Tag.1.Value': 'b', 'Tag.2.Key': 'c', 'Tag.2.Value': '' },
      },
      { action: 'UntagResources', parameters: { ...resource, 'TagKey.1': 'a', 'TagKey.2': 'c' } },
    ]);
  });
});
