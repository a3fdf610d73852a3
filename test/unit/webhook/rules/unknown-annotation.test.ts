import assert from 'node:assert/strict';
import { unknownAnnotation } from '../../../../webhook/rules/unknown-annotation.ts';
import { faultsOf, on } from '../../../support/found.ts';

const MAX_QPS = 'service.beta.kubernetes.io/dlb-listener-maxqps';
const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

on(unknownAnnotation, {
  'a misspelt key, which does no harm to what is stored': {
    keys: { 'adress-type': 'intranet' },
    finds: [`adress-type=${KEY}adress-type~`],
  },
  'an unknown key without a value': { keys: { 'white-list': '' }, finds: [`white-list=${KEY}white-list?~`] },
  'a key that nobody reads any more': { keys: { region: 'cn-hangzhou' }, finds: [`region=${KEY}region?`] },
  'the former annotation of the kind of network, which is not read as the current one': {
    keys: { 'slb-network-type': 'classic' },
    finds: [`slb-network-type=${KEY}slb-network-type?`],
  },
  'a limit that no classic load balancer has': { keys: { [MAX_QPS]: '1' }, finds: [`${MAX_QPS}=${MAX_QPS}?`] },
});

describe('in place of a key that nobody reads', () => {
  const instead: Readonly<Record<string, RegExp>> = {
    'adress-type': /^write \S+-address-type, or remove it$/,
    'access-control-enable': /^write \S+-acl-status, or remove it$/,
    'security-group-id': /access control list .* acl-status/,
    'white-list': /everybody gets in without one$/,
    WhiteList: /everybody gets in without one$/,
    whitelist: /everybody gets in without one$/,
    'source-ranges': /everybody gets in without one$/,
    tags: /^write \S+-additional-resource-tags, or remove it$/,
    'loadbalancer-type': /spec\.loadBalancerClass alibabacloud\.com\/nlb/,
    'loadbalancer-class': /spec\.loadBalancerClass alibabacloud\.com\/nlb/,
    class: /spec\.loadBalancerClass alibabacloud\.com\/nlb/,
    'zone-mapping': /spec\.loadBalancerClass alibabacloud\.com\/nlb/,
    'enable-access-log': /^remove it, and .* in the cloud$/,
    'something-else': /^remove it, or write one that portcullis explain lists$/,
  };
  for (const [suffix, fix] of Object.entries(instead)) {
    it(`${suffix} is told what does what it was meant for`, () => {
      const [fault] = faultsOf(unknownAnnotation, { keys: { [suffix]: 'on' } });
      assert.match(fault?.fix ?? '', fix);
    });
  }
});
