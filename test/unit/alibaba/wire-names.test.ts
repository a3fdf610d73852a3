import assert from 'node:assert/strict';
import { modelName, toModel, toParameters, wireName } from '../../../src/alibaba/wire-names.ts';

/** The name in the API → name in the model. */
const NAMES = {
  LoadBalancerId: 'loadBalancerId',
  AddressIPVersion: 'addressIPVersion',
  VSwitchId: 'vSwitchId',
  VpcId: 'vpcId',
  VServerGroupId: 'VServerGroupId',
  TLSCipherPolicy: 'TLSCipherPolicy',
  XForwardedFor_proto: 'XForwardedFor_proto',
  CACertificateId: 'CACertificateId',
  TCPListenerConfig: 'TCPListenerConfig',
};

/** The cloud API and our types (the model) name a parameter differently. The cloud ignores a wrong name without an error. */
describe('names of the cloud API', () => {
  for (const [wire, model] of Object.entries(NAMES)) {
    it(`${wire} is ${model} in the model, and back`, () => {
      assert.equal(modelName(wire), model);
      assert.equal(wireName(model), wire);
    });
  }

  it('make requests flat: lists from 1, scalars as text, empty text kept, undefined omitted', () => {
    const request = {
      vpcId: 'vpc-1',
      bandwidth: -1,
      proxyProtocolV2Enabled: false,
      tag: [
        { key: 'a', value: 'b' },
        { key: 'c', value: '' },
      ],
      resourceId: ['lb-1', 'lb-2'],
      address: undefined,
      description: '',
    };
    assert.deepEqual(toParameters(request), {
      VpcId: 'vpc-1',
      Bandwidth: '-1',
      ProxyProtocolV2Enabled: 'false',
      'Tag.1.Key': 'a',
      'Tag.1.Value': 'b',
      'Tag.2.Key': 'c',
      'Tag.2.Value': '',
      'ResourceId.1': 'lb-1',
      'ResourceId.2': 'lb-2',
      Description: '',
    });
  });

  it('keep the spelling of the few names in lower case', () => {
    assert.deepEqual(toParameters({ healthCheckInterval: 5, healthyThreshold: 3 }, ['healthCheckInterval']), {
      healthCheckInterval: '5',
      HealthyThreshold: '3',
    });
  });

  it('become names of the model at every depth of a response', () => {
    assert.deepEqual(toModel({ A: [{ VSwitchId: 'x', VServerGroups: { VServerGroup: [] } }], B: null, C: 'Text' }), {
      a: [{ vSwitchId: 'x', VServerGroups: { VServerGroup: [] } }],
      b: null,
      c: 'Text',
    });
  });
});
