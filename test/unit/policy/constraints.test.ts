import assert from 'node:assert/strict';
import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { Condition, Constraint } from '../../../src/policy/custom-resources.ts';
import type { FactsInput } from '../../support/facts.ts';
import { aPolicyCache, evaluatedWith, denied, findingTexts } from '../../support/policy-cache.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

/** Returns annotations by key for values by option. */
const annotated = (options: Partial<Record<OptionName, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([option, text]) => [CATALOGUE[option as OptionName].key, text]));

interface Row {
  readonly constraint: Partial<Constraint> & Pick<Constraint, 'require'>;
  readonly service?: ServiceInput;
  readonly facts?: FactsInput;
  /** The denials, as `[annotation]=found` or `field=found`. */
  readonly denies: readonly string[];
}

const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };
const PUBLIC: Condition = { annotation: 'address-type', oneOf: ['internet'] };
const ON = { addressType: 'internet', aclStatus: 'on', aclId: 'acl-1', aclType: 'white' } as const;
const FREE = { owner: 'user' as const, addressType: 'internet' as const };

const ROWS: Readonly<Record<string, Row>> = {
  'a forbidden value': {
    constraint: { require: [INTRANET] },
    service: { annotations: annotated({ addressType: 'internet' }) },
    denies: ['[address-type]=internet'],
  },
  'an absent value with a forbidden default': {
    constraint: { require: [INTRANET] },
    denies: ['[address-type]='],
  },
  'nothing for an allowed value': {
    constraint: { require: [INTRANET] },
    service: { annotations: annotated({ addressType: 'intranet' }) },
    denies: [],
  },
  'an absent value, if the default of the listener is not allowed': {
    constraint: { require: [{ annotation: 'health-check-interval', oneOf: ['2'] }] },
    service: { ports: [{ name: 'dns', port: 53, protocol: 'UDP', targetPort: 53, nodePort: 30_053 }] },
    denies: ['[health-check-interval]='],
  },
  'nothing, if the default of the listener is allowed': {
    constraint: { require: [{ annotation: 'health-check-interval', oneOf: ['2'] }] },
    denies: [],
  },
  'an absent value, if the default of one of two listeners is not allowed': {
    constraint: { require: [{ annotation: 'health-check-interval', oneOf: ['2'] }] },
    service: { ports: [80, { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53, nodePort: 30_053 }] },
    denies: ['[health-check-interval]='],
  },
  'a value with a deprecated key': {
    constraint: { require: [INTRANET] },
    service: { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-address-type': 'internet' } },
    denies: ['[address-type]=internet'],
  },
  'a reused public load balancer': {
    constraint: { require: [INTRANET] },
    service: { annotations: annotated({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': FREE } },
    denies: ['[address-type]='],
  },
  'nothing about an unknown load balancer': {
    constraint: { require: [INTRANET] },
    service: { annotations: annotated({ id: 'lb-1' }) },
    facts: { freshness: { kind: 'stale', ageMs: 600_000 } },
    denies: [],
  },
  'a public load balancer without an access control list': {
    constraint: { when: [PUBLIC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    denies: ['[acl-status]='],
  },
  'nothing for a public load balancer with an access control list': {
    constraint: { when: [PUBLIC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    service: { annotations: annotated(ON) },
    denies: [],
  },
  'nothing if the condition is false': {
    constraint: { when: [PUBLIC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    service: { annotations: annotated({ addressType: 'intranet' }) },
    denies: [],
  },
  'a forbidden annotation': {
    constraint: { require: [{ annotation: 'id', present: false }] },
    service: { annotations: annotated({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': FREE } },
    denies: ['[id]=lb-1'],
  },
  'a missing annotation': {
    constraint: { require: [{ annotation: 'resource-group-id', present: true }] },
    denies: ['[resource-group-id]='],
  },
  'an empty annotation like a missing annotation': {
    constraint: { require: [{ annotation: 'resource-group-id', present: true }] },
    service: { annotations: annotated({ resourceGroupId: '' }) },
    denies: ['[resource-group-id]='],
  },
  'a number outside a range': {
    constraint: { require: [{ annotation: 'bandwidth', max: 100 }] },
    service: {
      annotations: annotated({ chargeType: 'paybybandwidth', instanceChargeType: 'PayBySpec', bandwidth: '101' }),
    },
    denies: ['[bandwidth]=101'],
  },
  'nothing for an absent number': {
    constraint: { require: [{ annotation: 'bandwidth', max: 1 }] },
    denies: [],
  },
  'a specification by a pattern': {
    constraint: { require: [{ annotation: 'spec', noneOf: ['slb.s3.*'] }] },
    service: { annotations: annotated({ instanceChargeType: 'PayBySpec', spec: 'slb.s3.large' }) },
    denies: ['[spec]=slb.s3.large'],
  },
  'an absent specification with a forbidden default': {
    constraint: { require: [{ annotation: 'spec', oneOf: ['slb.s2.*'] }] },
    service: { annotations: annotated({ instanceChargeType: 'PayBySpec' }) },
    denies: ['[spec]='],
  },
  'the charge type PayBySpec, which follows from paybybandwidth': {
    constraint: { require: [{ annotation: 'instance-charge-type', oneOf: ['PayByCLCU'] }] },
    service: { annotations: annotated({ chargeType: 'paybybandwidth', bandwidth: '5' }) },
    denies: ['[instance-charge-type]='],
  },
  'an entry of a list': {
    constraint: { require: [{ annotation: 'acl-id', oneOf: ['acl-1'] }] },
    service: { annotations: annotated({ ...ON, aclId: 'acl-1,acl-2' }) },
    denies: ['[acl-id]=acl-1,acl-2'],
  },
  'a certificate of another domain': {
    constraint: { require: [{ annotation: 'domain-extensions', oneOf: ['*.example.com:*'] }] },
    service: {
      annotations: annotated({
        protocolPort: 'https:80',
        certId: '1_c',
        domainExtensions: 'a.example.com:2_c,b.example.org:3_c',
      }),
    },
    denies: ['[domain-extensions]=a.example.com:2_c,b.example.org:3_c'],
  },
  'a missing tag': {
    constraint: { require: [{ tag: 'team', present: true }] },
    service: { annotations: annotated({ additionalResourceTags: 'env=test' }) },
    denies: ['[additional-resource-tags]='],
  },
  'a tag with the value of another namespace': {
    constraint: { require: [{ tag: 'team', present: true, oneOf: ['${namespace}'] }] },
    service: { annotations: annotated({ additionalResourceTags: 'team=bank' }) },
    denies: ['[additional-resource-tags]=team=bank'],
  },
  'nothing for a tag with the value of the namespace': {
    constraint: { require: [{ tag: 'team', present: true, oneOf: ['${namespace}'] }] },
    service: { annotations: annotated({ additionalResourceTags: 'team=shop' }) },
    denies: [],
  },
  'nothing for an absent tag with the name of an object method': {
    constraint: { require: [{ tag: 'constructor', present: false }] },
    service: { annotations: annotated({ additionalResourceTags: 'team=shop' }) },
    denies: [],
  },
  'a name that does not match the pattern': {
    constraint: { require: [{ annotation: 'name', oneOf: ['${cluster}-${namespace}-*'] }] },
    service: { annotations: annotated({ name: 'c1-bank-web' }) },
    facts: { cluster: { clusterId: 'c1' } },
    denies: ['[name]=c1-bank-web'],
  },
  'nothing for a name, if a variable of the pattern is unknown': {
    constraint: { require: [{ annotation: 'name', oneOf: ['${cluster}-*'] }] },
    service: { annotations: annotated({ name: 'x' }) },
    facts: { cluster: null },
    denies: [],
  },
  'reuse of a load balancer that lacks a tag': {
    constraint: { when: [{ annotation: 'id', present: true }], require: [{ reusedTag: 'team', present: true }] },
    service: { annotations: annotated({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': { ...FREE, tags: [] } } },
    denies: ['[id]=lb-1'],
  },
  'reuse of a load balancer with the tag of another namespace': {
    constraint: { require: [{ reusedTag: 'team', oneOf: ['${namespace}'] }] },
    service: { annotations: annotated({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': { ...FREE, tags: [{ key: 'team', value: 'bank' }] } } },
    denies: ['[id]=lb-1'],
  },
  'nothing for reuse with unknown tags': {
    constraint: { require: [{ reusedTag: 'team', present: true }] },
    service: { annotations: annotated({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': FREE } },
    denies: [],
  },
  'each forbidden port': {
    constraint: { require: [{ field: 'port', noneOf: ['22', '23'] }] },
    service: { ports: [22, 80, 23] },
    denies: ['spec.ports[0].port=22', 'spec.ports[2].port=23'],
  },
  'a forbidden protocol': {
    constraint: { require: [{ field: 'protocol', oneOf: ['https'] }] },
    service: { ports: [80, 443], annotations: annotated({ protocolPort: 'https:443', certId: '1_c' }) },
    denies: ['spec.ports[0].protocol=tcp'],
  },
  'a missing certificate, if one of several ports requires it': {
    constraint: { when: [{ field: 'port', oneOf: ['443'] }], require: [{ annotation: 'cert-id', present: true }] },
    service: { ports: [80, 443] },
    denies: ['[cert-id]='],
  },
  'a traffic policy by its default': {
    constraint: { require: [{ field: 'externalTrafficPolicy', oneOf: ['Local'] }] },
    denies: ['spec.externalTrafficPolicy='],
  },
  'all violations together': {
    constraint: { require: [INTRANET, { annotation: 'resource-group-id', present: true }, { field: 'port', max: 79 }] },
    denies: ['[address-type]=', '[resource-group-id]=', 'spec.ports[0].port=80'],
  },
  'nothing for an unreadable value, which another rule denies': {
    constraint: { require: [{ annotation: 'bandwidth', max: 100 }] },
    service: { annotations: annotated({ bandwidth: 'lots' }) },
    denies: [],
  },
};

/** A constraint that finds too little lets forbidden Services pass, and a constraint that finds too much blocks teams. */
describe('a constraint denies', () => {
  for (const [what, { constraint, service, facts, denies }] of Object.entries(ROWS)) {
    it(what, () => {
      const cache = aPolicyCache({ policies: { p: { constraints: [{ name: 'c', ...constraint }] } } });
      const outcome = evaluatedWith(cache, { object: aService(service) }, facts);
      const ours = findingTexts(outcome).filter((line) => line.startsWith('deny policy/'));
      assert.deepEqual(
        ours,
        denies.map((fault) => `deny policy/p/c ${fault}`),
      );
      assert.deepEqual(outcome.unevaluated, []);
    });
  }

  const SENTENCES: Readonly<Record<string, readonly [Condition, ServiceInput, string]>> = {
    'the allowed values': [
      INTRANET,
      { annotations: annotated({ addressType: 'internet' }) },
      'Invalid value: "internet": must be intranet [policy/p/c]',
    ],
    'the default of an absent value': [
      INTRANET,
      {},
      'Required value: must be intranet; the default is internet [policy/p/c]',
    ],
    'a range with its unit': [
      { annotation: 'bandwidth', max: 10 },
      { annotations: annotated({ chargeType: 'paybybandwidth', instanceChargeType: 'PayBySpec', bandwidth: '11' }) },
      'Invalid value: "11": must be at most 10 Mbit/s [policy/p/c]',
    ],
    'the default instead of an unreadable value': [
      INTRANET,
      { annotations: annotated({ addressType: 'internett' }) },
      'Invalid value: "internett": must be intranet; the effective value is internet [policy/p/c]',
    ],
    'that an annotation must not be set': [
      { annotation: 'name', present: false },
      { annotations: annotated({ name: 'x' }) },
      'Forbidden: must not be set [policy/p/c]',
    ],
    'the tag': [
      { tag: 'team', present: true, oneOf: ['a', 'b'] },
      {},
      'Required value: tag team must be a or b [policy/p/c]',
    ],
  };
  for (const [what, [condition, service, expected]] of Object.entries(SENTENCES)) {
    it(`and reports ${what}`, () => {
      const cache = aPolicyCache({ policies: { p: { constraints: [{ name: 'c', require: [condition] }] } } });
      const sentences = denied(evaluatedWith(cache, { object: aService(service) }));
      assert.deepEqual(
        sentences.filter((title) => title.includes('policy/p/c')),
        [expected],
      );
    });
  }

  it('with the message of the platform team, without control characters', () => {
    const constraint = { name: 'c', message: 'ask\u001b[2J the network team', require: [INTRANET] };
    const [title = ''] = denied(
      evaluatedWith(aPolicyCache({ policies: { p: { constraints: [constraint] } } }), { object: aService() }),
    );
    assert.match(title, /; ask\\u001b\[2J the network team \[policy\/p\/c\]$/);
  });

  it('a new violation, and warns about a violation of the stored object', () => {
    const constraints = [{ name: 'c', require: [INTRANET, { field: 'port' as const, max: 79 }] }];
    const cache = aPolicyCache({ policies: { p: { constraints } } });
    const stored = aService({ ports: [80] });
    const outcome = evaluatedWith(cache, { oldObject: stored, object: aService({ ports: [80, 90] }) });
    assert.deepEqual(findingTexts(outcome), [
      'deny policy/p/c spec.ports[1].port=90',
      'warn policy/p/c [address-type]=',
      'warn policy/p/c spec.ports[0].port=80',
    ]);
  });
});
