import assert from 'node:assert/strict';
import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { Service } from '../../../src/base/objects.ts';
import type { Condition, Constraint } from '../../../src/policy/resource.ts';
import type { FactsSaid } from '../../support/facts.ts';
import { aBook, judgedWith, denied, told } from '../../support/policy-cache.ts';
import { anException } from '../../support/policy.ts';
import { aService, type ServiceSaid } from '../../support/service.ts';

type Said = Partial<Record<OptionName, string>>;

/** Returns annotations from the names of their options. */
const said = (options: Said): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([option, text]) => [CATALOGUE[option as OptionName].key, text]));

/** Returns Service shop/web with a published address. */
const served = (options: Said, labels: ServiceSaid['labels'] = {}): Service => ({
  ...aService({ annotations: said(options), labels }),
  status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } },
});

interface Row {
  readonly constraint: Pick<Constraint, 'when' | 'require'>;
  readonly stored: Said;
  readonly asks: Said;
  readonly labels?: ServiceSaid['labels'];
  readonly facts?: FactsSaid;
  /** Denials by constraints, as `[annotation]=found`. */
  readonly denies: readonly string[];
}

const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const OWN = { owner: 'this-cluster', service: 'shop/web', resourceGroupId: 'rg-prod' } as const;
const MIRROR: FactsSaid = {
  loadBalancers: {
    'lb-own': OWN,
    'lb-other': { ...OWN, service: 'shop/other', address: '10.0.0.9', addressType: 'intranet' },
  },
};
const PUBLIC: Condition = { annotation: 'address-type', oneOf: ['internet'] };
const BY_SPEC: Condition = { annotation: 'instance-charge-type', oneOf: ['PayBySpec'] };
const SMALL: Condition = { annotation: 'spec', oneOf: ['slb.s1.small'] };
const WITH_ACL = { when: [PUBLIC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] };
const ON = { aclStatus: 'on', aclId: 'acl-1', aclType: 'white' } as const;

const WEIGHTED = { require: [{ annotation: 'scheduler', oneOf: ['wrr'] }] };
const PATIENT = { require: [{ annotation: 'persistence-timeout', min: 10 }] };

const ROWS: Readonly<Record<string, Row>> = {
  'to write what counts already is no new fault': {
    constraint: WEIGHTED,
    stored: {},
    asks: { scheduler: 'rr' },
    denies: [],
  },
  'nor is it to say no more what counts all the same': {
    constraint: WEIGHTED,
    stored: { scheduler: 'rr' },
    asks: {},
    denies: [],
  },
  'nor to say no more what could not be read': {
    constraint: WEIGHTED,
    stored: { scheduler: 'fair' },
    asks: {},
    denies: [],
  },
  'nor to write the number that counts already': {
    constraint: PATIENT,
    stored: {},
    asks: { persistenceTimeout: '0' },
    denies: [],
  },
  'to write another one is': {
    constraint: WEIGHTED,
    stored: {},
    asks: { scheduler: 'wlc' },
    denies: ['[scheduler]=wlc'],
  },
  'and so is to say no more what did not count': {
    constraint: WEIGHTED,
    stored: { scheduler: 'wlc' },
    asks: {},
    denies: ['[scheduler]='],
  },
  'an address type that the load balancer does not have decides nothing': {
    constraint: WITH_ACL,
    stored: ON,
    asks: { ...ON, addressType: 'intranet', aclStatus: 'off' },
    facts: MIRROR,
    denies: ['[acl-status]=off'],
  },
  'nor does it where a label points to a load balancer that has it': {
    constraint: WITH_ACL,
    stored: ON,
    asks: { ...ON, addressType: 'intranet', aclStatus: 'off' },
    labels: { [ID_LABEL]: 'lb-other' },
    facts: MIRROR,
    denies: ['[acl-status]=off'],
  },
  'nor is it what is asked for': {
    constraint: { require: [{ annotation: 'address-type', oneOf: ['intranet'] }] },
    stored: {},
    asks: { addressType: 'intranet' },
    facts: MIRROR,
    denies: ['[address-type]=intranet'],
  },
  'a load balancer that is none of the Service is not looked at': {
    constraint: WITH_ACL,
    stored: { ...ON, addressType: 'intranet' },
    asks: { addressType: 'intranet', aclStatus: 'off' },
    facts: { loadBalancers: { 'lb-other': { ...OWN, service: 'bank/web' } } },
    denies: [],
  },
  'the resource group decides also once nobody asks for it any more': {
    constraint: { when: [{ annotation: 'resource-group-id', oneOf: ['rg-prod'] }], require: [SMALL] },
    stored: { resourceGroupId: 'rg-prod', instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' },
    asks: { instanceChargeType: 'PayBySpec', spec: 'slb.s3.large' },
    facts: MIRROR,
    denies: ['[spec]=slb.s3.large'],
  },
  'a resource group that nobody has asked for is no fault': {
    constraint: { require: [{ annotation: 'resource-group-id', oneOf: ['rg-1'] }] },
    stored: {},
    asks: { name: 'web' },
    facts: MIRROR,
    denies: [],
  },
  'what is asked for of a charge that cannot be known is judged as if it were so': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: { chargeType: 'paybybandwidth', bandwidth: '5', spec: 'slb.s1.small' },
    asks: { chargeType: 'paybybandwidth', bandwidth: '5', spec: 'slb.s3.large' },
    denies: ['[spec]=slb.s3.large'],
  },
  'also where the word for the charge is taken away with it': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: { instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' },
    asks: { spec: 'slb.s3.large' },
    denies: ['[spec]=slb.s3.large'],
  },
  'also where what is asked for is taken away': {
    constraint: { when: [BY_SPEC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    stored: ON,
    asks: {},
    denies: ['[acl-status]='],
  },
  'silence is left in peace where it cannot be known whether anything is asked for': {
    constraint: { when: [BY_SPEC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    stored: {},
    asks: { name: 'web' },
    denies: [],
  },
  'who pays by use may say what they like of a specification': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: {},
    asks: { instanceChargeType: 'PayByCLCU', spec: 'slb.s3.large' },
    denies: [],
  },
};

describe('of a Service that is served', () => {
  for (const [sentence, { constraint, stored, asks, labels, facts, denies }] of Object.entries(ROWS)) {
    it(sentence, () => {
      const policies = { p: { constraints: [{ name: 'c', ...constraint }] } };
      const exceptions = [
        anException('fixed', { rule: 'immutable-annotation' }),
        anException('charge', { rule: 'one-way-change' }),
      ];
      const request = { object: served(asks, labels), oldObject: served(stored) };
      const lines = told(judgedWith(aBook({ policies, exceptions }), request, facts));
      assert.deepEqual(
        lines.filter((line) => line.startsWith('deny')),
        denies.map((fault) => `deny policy/p/c ${fault}`),
      );
    });
  }
});

describe('what a denial says', () => {
  it('tells nothing of a load balancer that a label points to', () => {
    const asks = { addressType: 'intranet', ip: '10.1.1.2', resourceGroupId: 'rg-x' } as const;
    const facts: FactsSaid = {
      loadBalancers: {
        'lb-other': { ...OWN, service: 'bank/web', address: '10.66.7.8', resourceGroupId: 'rg-bank' },
        'lb-api': { owner: 'api-server', address: '10.0.0.1', resourceGroupId: 'rg-ops' },
      },
    };
    for (const id of ['lb-other', 'lb-api']) {
      const request = {
        object: served(asks, { [ID_LABEL]: id }),
        oldObject: served({ addressType: 'intranet', ip: '10.1.1.1', resourceGroupId: 'rg-a' }),
      };
      const sentences = denied(judgedWith(aBook(), request, facts));
      assert.equal(sentences.length, 2);
      assert.doesNotMatch(sentences.join(), /10\.66\.7\.8|10\.0\.0\.1|rg-bank|rg-ops/);
    }
  });
});

describe('of listeners that are made on a load balancer that is reused', () => {
  it('silence counts as it does on others', () => {
    const policies = { p: { constraints: [{ name: 'c', ...WITH_ACL }] } };
    const facts = { loadBalancers: { 'lb-1': { owner: 'user' as const } } };
    const denials = (options: Said) =>
      told(judgedWith(aBook({ policies }), { object: aService({ annotations: said(options) }) }, facts)).filter(
        (line) => line.startsWith('deny'),
      );
    assert.deepEqual(denials({ id: 'lb-1' }), [], 'none are made');
    assert.deepEqual(denials({ id: 'lb-1', forceOverrideListeners: 'true' }), ['deny policy/p/c [acl-status]=']);
  });
});
