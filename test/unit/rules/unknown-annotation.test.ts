import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../../src/policy/policy-decisions.ts';
import { evaluateRules } from '../../../src/rules/engine/evaluate.ts';
import { serviceSubject } from '../../../src/rules/engine/subject.ts';
import { SERVICE_RULES } from '../../../src/rules/index.ts';
import type { Rule } from '../../../src/rules/rule.ts';
import { unknownAnnotation } from '../../../src/rules/unknown-annotation.ts';
import { aFacts } from '../../support/facts.ts';
import { aService } from '../../support/service.ts';
import { violationsOf, describeViolations } from '../../support/rule-violations.ts';

const MAX_QPS = 'service.beta.kubernetes.io/dlb-listener-maxqps';
const OTHER_SPELLING = 'service.beta.kubernetes.io/Backend_Type';
const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

/** Returns the findings in a Service with the ports 80 and 443. */
function violationsAt(annotations: Readonly<Record<string, string>>, rules: readonly Rule[] = [unknownAnnotation]) {
  const subject = serviceSubject(aService({ annotations, ports: [80, 443] }));
  const { findings, unevaluated } = evaluateRules(rules, subject, { facts: aFacts(), policy: ENFORCE_ALL });
  assert.deepEqual(unevaluated, []);
  return findings.map(({ violation }) => violation);
}

/**
 * The Alibaba Cloud Controller Manager ignores a misspelled annotation without a message.
 * In `finds`, `?` marks a warning, and `~` a violation that is synced anyway.
 */
describeViolations(unknownAnnotation, {
  'a misspelled key, which the controller ignores': {
    keys: { 'adress-type': 'intranet' },
    finds: ['adress-type=intranet~'],
  },
  'an unknown key without a value': { keys: { 'white-list': '' }, finds: ['white-list=?~'] },
  'an obsolete key': { keys: { region: 'cn-hangzhou' }, finds: ['region=cn-hangzhou?'] },
  'the old annotation of the network type': {
    keys: { 'slb-network-type': 'classic' },
    finds: ['slb-network-type=classic?'],
  },
  'a known key with capital letters and an underscore': {
    keys: { [OTHER_SPELLING]: 'eni' },
    finds: [`${OTHER_SPELLING}=eni?`],
  },
  'a limit of requests, which no classic load balancer has': { keys: { [MAX_QPS]: '1' }, finds: [`${MAX_QPS}=1?`] },
});

describe('the remedy for a key without a single replacement', () => {
  for (const suffix of ['access-control-list', 'access-control-id', 'redirect-http-to-https']) {
    it(`violates no rule if it is followed: ${suffix}`, () => {
      const [violation] = violationsOf(unknownAnnotation, { keys: { [suffix]: 'on' } });
      const written = [
        ...(violation?.remedy ?? '').matchAll(/([a-z-]+) (?:"([^"]+)"|with the id of [a-z ]+, such as (\S+))/g),
      ];
      const annotations = Object.fromEntries(written.map(([, name = '', value, id = '']) => [KEY + name, value ?? id]));
      assert.ok(written.length >= 3, violation?.remedy);
      assert.deepEqual(violationsAt(annotations, SERVICE_RULES), []);
    });
  }
});

describe('the remedy for an unknown or obsolete key', () => {
  const instead: Readonly<Record<string, RegExp>> = {
    'adress-type': /^did you mean \S+-address-type\?$/,
    'access-control-enable': /^did you mean \S+-acl-status\?$/,
    'security-group-id': /access control list .* acl-status/,
    'white-list': /^the load balancer accepts every client: .* acl-status, acl-id and acl-type$/,
    WhiteList: /^the load balancer accepts every client: .* acl-status, acl-id and acl-type$/,
    whitelist: /^the load balancer accepts every client: .* acl-status, acl-id and acl-type$/,
    'source-ranges': /^the load balancer accepts every client: .* acl-status, acl-id and acl-type$/,
    tags: /^did you mean \S+-additional-resource-tags\?$/,
    'loadbalancer-type': /spec\.loadBalancerClass alibabacloud\.com\/nlb/,
    'loadbalancer-class': /spec\.loadBalancerClass alibabacloud\.com\/nlb/,
    class: /spec\.loadBalancerClass alibabacloud\.com\/nlb/,
    'zone-mapping': /spec\.loadBalancerClass alibabacloud\.com\/nlb/,
    'enable-access-log': /^remove the annotation, and .* in the cloud$/,
    [OTHER_SPELLING]: /^did you mean service\.beta\.kubernetes\.io\/backend-type\?$/,
    'service.beta.kubernetes.io/Class': /^did you mean service\.beta\.kubernetes\.io\/class\?$/,
    'something-else': /^run portcullis explain to list the known keys$/,
  };
  for (const [suffix, remedy] of Object.entries(instead)) {
    it(`names what replaces ${suffix}`, () => {
      const [violation] = violationsOf(unknownAnnotation, { keys: { [suffix]: 'on' } });
      assert.match(violation?.remedy ?? '', remedy);
    });
  }
});
