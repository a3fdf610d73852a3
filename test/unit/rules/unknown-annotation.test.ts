import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../../src/policy/policy.ts';
import { evaluateRules } from '../../../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { SERVICE_RULES } from '../../../src/rules/index.ts';
import type { Rule } from '../../../src/rules/rule.ts';
import { unknownAnnotation } from '../../../src/rules/unknown-annotation.ts';
import { aFacts } from '../../support/facts.ts';
import { aService } from '../../support/service.ts';
import { faultsOf, on } from '../../support/found.ts';

const MAX_QPS = 'service.beta.kubernetes.io/dlb-listener-maxqps';
const OTHER_SPELLING = 'service.beta.kubernetes.io/Backend_Type';
const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

/** Returns the findings in a Service with the ports 80 and 443. */
function faultsAt(annotations: Readonly<Record<string, string>>, rules: readonly Rule[] = [unknownAnnotation]) {
  const subject = serviceSubject(aService({ annotations, ports: [80, 443] }));
  const { findings, unevaluated } = evaluateRules(rules, subject, { facts: aFacts(), policy: ENFORCE_ALL });
  assert.deepEqual(unevaluated, []);
  return findings.map(({ fault }) => fault);
}

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
  'a key in another spelling, of which a warning tells': {
    keys: { [OTHER_SPELLING]: 'eni' },
    finds: [`${OTHER_SPELLING}=${OTHER_SPELLING}?`],
  },
  'a limit that no classic load balancer has': { keys: { [MAX_QPS]: '1' }, finds: [`${MAX_QPS}=${MAX_QPS}?`] },
});

describe('the remedy for a key that no annotation replaces alone', () => {
  for (const suffix of ['access-control-list', 'access-control-id', 'redirect-http-to-https']) {
    it(`passes every rule if it is followed: ${suffix}`, () => {
      const [fault] = faultsOf(unknownAnnotation, { keys: { [suffix]: 'on' } });
      const written = [...(fault?.fix ?? '').matchAll(/(\S+) "([^"]+)"/g)];
      const annotations = Object.fromEntries(written.map(([, key = '', value = '']) => [key, value]));
      assert.ok(written.length >= 3, fault?.fix);
      assert.deepEqual(faultsAt(annotations, SERVICE_RULES), []);
    });
  }
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
    [OTHER_SPELLING]: /^write service\.beta\.kubernetes\.io\/backend-type, or remove it$/,
    'service.beta.kubernetes.io/Class': /^write service\.beta\.kubernetes\.io\/class, or remove it$/,
    'something-else': /^remove it, or write one that portcullis explain lists$/,
  };
  for (const [suffix, fix] of Object.entries(instead)) {
    it(`${suffix} is told what does what it was meant for`, () => {
      const [fault] = faultsOf(unknownAnnotation, { keys: { [suffix]: 'on' } });
      assert.match(fault?.fix ?? '', fix);
    });
  }
});
