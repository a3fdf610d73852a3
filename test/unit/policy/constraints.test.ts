import assert from 'node:assert/strict';
import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { Condition, Constraint } from '../../../src/policy/resource.ts';
import type { FactsSaid } from '../../support/facts.ts';
import { aBook, judgedWith, denied, told } from '../../support/policy-cache.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';

/** Returns annotations from the names of their options. */
const said = (options: Partial<Record<OptionName, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([option, text]) => [CATALOGUE[option as OptionName].key, text]));

interface Row {
  readonly constraint: Partial<Constraint> & Pick<Constraint, 'require'>;
  readonly service?: ServiceSaid;
  readonly facts?: FactsSaid;
  /** Denials, as `[annotation]=found` or `field=found`. */
  readonly denies: readonly string[];
}

const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };
const PUBLIC: Condition = { annotation: 'address-type', oneOf: ['internet'] };
const ON = { addressType: 'internet', aclStatus: 'on', aclId: 'acl-1', aclType: 'white' } as const;
const FREE = { owner: 'user' as const, addressType: 'internet' as const };

const ROWS: Readonly<Record<string, Row>> = {
  'a value that is not allowed': {
    constraint: { require: [INTRANET] },
    service: { annotations: said({ addressType: 'internet' }) },
    denies: ['[address-type]=internet'],
  },
  'silence, where what counts then is not allowed': {
    constraint: { require: [INTRANET] },
    denies: ['[address-type]='],
  },
  'nothing, where the value is allowed': {
    constraint: { require: [INTRANET] },
    service: { annotations: said({ addressType: 'intranet' }) },
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
  'a value under a deprecated key': {
    constraint: { require: [INTRANET] },
    service: { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-address-type': 'internet' } },
    denies: ['[address-type]=internet'],
  },
  'a public load balancer that is reused': {
    constraint: { require: [INTRANET] },
    service: { annotations: said({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': FREE } },
    denies: ['[address-type]='],
  },
  'nothing of a load balancer of which nothing is known': {
    constraint: { require: [INTRANET] },
    service: { annotations: said({ id: 'lb-1' }) },
    facts: { freshness: { kind: 'stale', ageMs: 600_000 } },
    denies: [],
  },
  'a public one without an access control list': {
    constraint: { when: [PUBLIC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    denies: ['[acl-status]='],
  },
  'nothing of a public one with such a list': {
    constraint: { when: [PUBLIC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    service: { annotations: said(ON) },
    denies: [],
  },
  'nothing where the condition does not hold': {
    constraint: { when: [PUBLIC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    service: { annotations: said({ addressType: 'intranet' }) },
    denies: [],
  },
  'an annotation that is forbidden': {
    constraint: { require: [{ annotation: 'id', present: false }] },
    service: { annotations: said({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': FREE } },
    denies: ['[id]=lb-1'],
  },
  'an annotation that is missing': {
    constraint: { require: [{ annotation: 'resource-group-id', present: true }] },
    denies: ['[resource-group-id]='],
  },
  'an empty annotation as a missing one': {
    constraint: { require: [{ annotation: 'resource-group-id', present: true }] },
    service: { annotations: said({ resourceGroupId: '' }) },
    denies: ['[resource-group-id]='],
  },
  'a number beyond a range': {
    constraint: { require: [{ annotation: 'bandwidth', max: 100 }] },
    service: { annotations: said({ chargeType: 'paybybandwidth', instanceChargeType: 'PayBySpec', bandwidth: '101' }) },
    denies: ['[bandwidth]=101'],
  },
  'nothing of a number that is not said': {
    constraint: { require: [{ annotation: 'bandwidth', max: 1 }] },
    denies: [],
  },
  'a specification by a pattern': {
    constraint: { require: [{ annotation: 'spec', noneOf: ['slb.s3.*'] }] },
    service: { annotations: said({ instanceChargeType: 'PayBySpec', spec: 'slb.s3.large' }) },
    denies: ['[spec]=slb.s3.large'],
  },
  'the specification that silence leads to': {
    constraint: { require: [{ annotation: 'spec', oneOf: ['slb.s2.*'] }] },
    service: { annotations: said({ instanceChargeType: 'PayBySpec' }) },
    denies: ['[spec]='],
  },
  'a charge type that follows from another': {
    constraint: { require: [{ annotation: 'instance-charge-type', oneOf: ['PayByCLCU'] }] },
    service: { annotations: said({ chargeType: 'paybybandwidth', bandwidth: '5' }) },
    denies: ['[instance-charge-type]='],
  },
  'one entry of a list': {
    constraint: { require: [{ annotation: 'acl-id', oneOf: ['acl-1'] }] },
    service: { annotations: said({ ...ON, aclId: 'acl-1,acl-2' }) },
    denies: ['[acl-id]=acl-1,acl-2'],
  },
  'a certificate of another domain': {
    constraint: { require: [{ annotation: 'domain-extensions', oneOf: ['*.example.com:*'] }] },
    service: {
      annotations: said({
        protocolPort: 'https:80',
        certId: '1_c',
        domainExtensions: 'a.example.com:2_c,b.example.org:3_c',
      }),
    },
    denies: ['[domain-extensions]=a.example.com:2_c,b.example.org:3_c'],
  },
  'a tag that is missing': {
    constraint: { require: [{ tag: 'team', present: true }] },
    service: { annotations: said({ additionalResourceTags: 'env=test' }) },
    denies: ['[additional-resource-tags]='],
  },
  'a tag with the value of another namespace': {
    constraint: { require: [{ tag: 'team', present: true, oneOf: ['${namespace}'] }] },
    service: { annotations: said({ additionalResourceTags: 'team=bank' }) },
    denies: ['[additional-resource-tags]=team=bank'],
  },
  'nothing of a tag with the value of the namespace': {
    constraint: { require: [{ tag: 'team', present: true, oneOf: ['${namespace}'] }] },
    service: { annotations: said({ additionalResourceTags: 'team=shop' }) },
    denies: [],
  },
  'nothing of a tag called like a method of objects, which nobody has given': {
    constraint: { require: [{ tag: 'constructor', present: false }] },
    service: { annotations: said({ additionalResourceTags: 'team=shop' }) },
    denies: [],
  },
  'a name of another pattern': {
    constraint: { require: [{ annotation: 'name', oneOf: ['${cluster}-${namespace}-*'] }] },
    service: { annotations: said({ name: 'c1-bank-web' }) },
    facts: { cluster: { clusterId: 'c1' } },
    denies: ['[name]=c1-bank-web'],
  },
  'nothing of a name that depends on what is not known': {
    constraint: { require: [{ annotation: 'name', oneOf: ['${cluster}-*'] }] },
    service: { annotations: said({ name: 'x' }) },
    facts: { cluster: null },
    denies: [],
  },
  'reuse of a load balancer that lacks a tag': {
    constraint: { when: [{ annotation: 'id', present: true }], require: [{ reusedTag: 'team', present: true }] },
    service: { annotations: said({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': { ...FREE, tags: [] } } },
    denies: ['[id]=lb-1'],
  },
  'reuse of a load balancer with the tag of others': {
    constraint: { require: [{ reusedTag: 'team', oneOf: ['${namespace}'] }] },
    service: { annotations: said({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': { ...FREE, tags: [{ key: 'team', value: 'bank' }] } } },
    denies: ['[id]=lb-1'],
  },
  'nothing of reuse as long as tags are not known': {
    constraint: { require: [{ reusedTag: 'team', present: true }] },
    service: { annotations: said({ id: 'lb-1' }) },
    facts: { loadBalancers: { 'lb-1': FREE } },
    denies: [],
  },
  'each port that is not allowed': {
    constraint: { require: [{ field: 'port', noneOf: ['22', '23'] }] },
    service: { ports: [22, 80, 23] },
    denies: ['spec.ports[0].port=22', 'spec.ports[2].port=23'],
  },
  'a protocol that listeners may not have': {
    constraint: { require: [{ field: 'protocol', oneOf: ['https'] }] },
    service: { ports: [80, 443], annotations: said({ protocolPort: 'https:443', certId: '1_c' }) },
    denies: ['spec.ports[0].protocol=tcp'],
  },
  'a list only where one of several ports asks for it': {
    constraint: { when: [{ field: 'port', oneOf: ['443'] }], require: [{ annotation: 'cert-id', present: true }] },
    service: { ports: [80, 443] },
    denies: ['[cert-id]='],
  },
  'a traffic policy by its default': {
    constraint: { require: [{ field: 'externalTrafficPolicy', oneOf: ['Local'] }] },
    denies: ['spec.externalTrafficPolicy='],
  },
  'everything that is wrong at once': {
    constraint: { require: [INTRANET, { annotation: 'resource-group-id', present: true }, { field: 'port', max: 79 }] },
    denies: ['[address-type]=', '[resource-group-id]=', 'spec.ports[0].port=80'],
  },
  'a value that cannot be read by its own rule alone': {
    constraint: { require: [{ annotation: 'bandwidth', max: 100 }] },
    service: { annotations: said({ bandwidth: 'lots' }) },
    denies: [],
  },
};

describe('a constraint denies', () => {
  for (const [what, { constraint, service, facts, denies }] of Object.entries(ROWS)) {
    it(what, () => {
      const book = aBook({ policies: { p: { constraints: [{ name: 'c', ...constraint }] } } });
      const outcome = judgedWith(book, { object: aService(service) }, facts);
      const ours = told(outcome).filter((line) => line.startsWith('deny policy/'));
      assert.deepEqual(
        ours,
        denies.map((fault) => `deny policy/p/c ${fault}`),
      );
      assert.deepEqual(outcome.unevaluated, []);
    });
  }

  const SENTENCES: Readonly<Record<string, readonly [Condition, ServiceSaid, string]>> = {
    'what is allowed': [
      INTRANET,
      { annotations: said({ addressType: 'internet' }) },
      'Invalid value: "internet": must be intranet [policy/p/c]',
    ],
    'that silence counts as something': [
      INTRANET,
      {},
      'Required value: must be intranet; the default is internet [policy/p/c]',
    ],
    'a range with its unit': [
      { annotation: 'bandwidth', max: 10 },
      { annotations: said({ chargeType: 'paybybandwidth', instanceChargeType: 'PayBySpec', bandwidth: '11' }) },
      'Invalid value: "11": must be at most 10 Mbit/s [policy/p/c]',
    ],
    'what counts in place of what cannot be read': [
      INTRANET,
      { annotations: said({ addressType: 'internett' }) },
      'Invalid value: "internett": must be intranet; the effective value is internet [policy/p/c]',
    ],
    'what must not be there': [
      { annotation: 'name', present: false },
      { annotations: said({ name: 'x' }) },
      'Forbidden: must not be set [policy/p/c]',
    ],
    'which tag is meant': [
      { tag: 'team', present: true, oneOf: ['a', 'b'] },
      {},
      'Required value: tag team must be a or b [policy/p/c]',
    ],
  };
  for (const [what, [condition, service, expected]] of Object.entries(SENTENCES)) {
    it(`and says ${what}`, () => {
      const book = aBook({ policies: { p: { constraints: [{ name: 'c', require: [condition] }] } } });
      const sentences = denied(judgedWith(book, { object: aService(service) }));
      assert.deepEqual(
        sentences.filter((sentence) => sentence.includes('policy/p/c')),
        [expected],
      );
    });
  }

  it('and says what the platform team has to say, harmless to terminals', () => {
    const constraint = { name: 'c', message: 'ask\u001b[2J the network team', require: [INTRANET] };
    const [sentence = ''] = denied(
      judgedWith(aBook({ policies: { p: { constraints: [constraint] } } }), { object: aService() }),
    );
    assert.match(sentence, /; ask\\u001b\[2J the network team \[policy\/p\/c\]$/);
  });

  it('a value that only now is wrong, and warns of one that was there before', () => {
    const constraints = [{ name: 'c', require: [INTRANET, { field: 'port' as const, max: 79 }] }];
    const book = aBook({ policies: { p: { constraints } } });
    const stored = aService({ ports: [80] });
    const outcome = judgedWith(book, { oldObject: stored, object: aService({ ports: [80, 90] }) });
    assert.deepEqual(told(outcome), [
      'deny policy/p/c spec.ports[1].port=90',
      'warn policy/p/c [address-type]=',
      'warn policy/p/c spec.ports[0].port=80',
    ]);
  });
});
