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
  'has no new violation if it writes the current value': {
    constraint: WEIGHTED,
    stored: {},
    asks: { scheduler: 'rr' },
    denies: [],
  },
  'has no new violation if it removes the current value': {
    constraint: WEIGHTED,
    stored: { scheduler: 'rr' },
    asks: {},
    denies: [],
  },
  'has no new violation if it removes an unreadable value': {
    constraint: WEIGHTED,
    stored: { scheduler: 'fair' },
    asks: {},
    denies: [],
  },
  'has no new violation if it writes the current number': {
    constraint: PATIENT,
    stored: {},
    asks: { persistenceTimeout: '0' },
    denies: [],
  },
  'has a new violation if it writes another value': {
    constraint: WEIGHTED,
    stored: {},
    asks: { scheduler: 'wlc' },
    denies: ['[scheduler]=wlc'],
  },
  'has a new violation if it removes a value without effect': {
    constraint: WEIGHTED,
    stored: { scheduler: 'wlc' },
    asks: {},
    denies: ['[scheduler]='],
  },
  'has no violation for an address type that the load balancer lacks': {
    constraint: WITH_ACL,
    stored: ON,
    asks: { ...ON, addressType: 'intranet', aclStatus: 'off' },
    facts: MIRROR,
    denies: ['[acl-status]=off'],
  },
  'has no violation for a label that names a load balancer with the address type': {
    constraint: WITH_ACL,
    stored: ON,
    asks: { ...ON, addressType: 'intranet', aclStatus: 'off' },
    labels: { [ID_LABEL]: 'lb-other' },
    facts: MIRROR,
    denies: ['[acl-status]=off'],
  },
  'has no violation for the requested address type': {
    constraint: { require: [{ annotation: 'address-type', oneOf: ['intranet'] }] },
    stored: {},
    asks: { addressType: 'intranet' },
    facts: MIRROR,
    denies: ['[address-type]=intranet'],
  },
  'has no violation for a foreign load balancer': {
    constraint: WITH_ACL,
    stored: { ...ON, addressType: 'intranet' },
    asks: { addressType: 'intranet', aclStatus: 'off' },
    facts: { loadBalancers: { 'lb-other': { ...OWN, service: 'bank/web' } } },
    denies: [],
  },
  'has a violation for the resource group even without an annotation': {
    constraint: { when: [{ annotation: 'resource-group-id', oneOf: ['rg-prod'] }], require: [SMALL] },
    stored: { resourceGroupId: 'rg-prod', instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' },
    asks: { instanceChargeType: 'PayBySpec', spec: 'slb.s3.large' },
    facts: MIRROR,
    denies: ['[spec]=slb.s3.large'],
  },
  'has no violation for a resource group that was never requested': {
    constraint: { require: [{ annotation: 'resource-group-id', oneOf: ['rg-1'] }] },
    stored: {},
    asks: { name: 'web' },
    facts: MIRROR,
    denies: [],
  },
  'has a violation with an unknown charge type': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: { chargeType: 'paybybandwidth', bandwidth: '5', spec: 'slb.s1.small' },
    asks: { chargeType: 'paybybandwidth', bandwidth: '5', spec: 'slb.s3.large' },
    denies: ['[spec]=slb.s3.large'],
  },
  'has a violation with a removed charge type': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: { instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' },
    asks: { spec: 'slb.s3.large' },
    denies: ['[spec]=slb.s3.large'],
  },
  'has a violation with a removed value': {
    constraint: { when: [BY_SPEC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    stored: ON,
    asks: {},
    denies: ['[acl-status]='],
  },
  'has no violation without a value and with an unknown charge type': {
    constraint: { when: [BY_SPEC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    stored: {},
    asks: { name: 'web' },
    denies: [],
  },
  'has no violation for a specification with a charge by use': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: {},
    asks: { instanceChargeType: 'PayByCLCU', spec: 'slb.s3.large' },
    denies: [],
  },
};

describe('a served Service', () => {
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

describe('the message of a denial', () => {
  it('contains nothing about a load balancer that a label names', () => {
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

describe('a listener on a reused load balancer', () => {
  it('has the usual default for an absent value', () => {
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
