import assert from 'node:assert/strict';
import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import type { Condition, Constraint } from '../../../src/policy/custom-resources.ts';
import type { FactsInput } from '../../support/facts.ts';
import { aPolicyCache, evaluatedWith, denied, findingTexts } from '../../support/policy-cache.ts';
import { anException } from '../../support/policy.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

type Options = Partial<Record<OptionName, string>>;

/** Returns annotations by key for values by option. */
const annotated = (options: Options): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([option, text]) => [CATALOGUE[option as OptionName].key, text]));

/** Returns Service shop/web with a published address. */
const served = (options: Options, labels: ServiceInput['labels'] = {}): Service => ({
  ...aService({ annotations: annotated(options), labels }),
  status: { loadBalancer: { ingress: [{ ip: '47.96.0.1' }] } },
});

interface Row {
  readonly constraint: Pick<Constraint, 'when' | 'require'>;
  readonly stored: Options;
  readonly requested: Options;
  readonly labels?: ServiceInput['labels'];
  readonly facts?: FactsInput;
  /** The denials by constraints, as `[annotation]=found`. */
  readonly denies: readonly string[];
}

const ID_LABEL = 'service.k8s.alibaba/loadbalancer-id';
const OWN = { owner: 'this-cluster', service: 'shop/web', resourceGroupId: 'rg-prod' } as const;
const INVENTORY: FactsInput = {
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
    requested: { scheduler: 'rr' },
    denies: [],
  },
  'has no new violation if it removes the current value': {
    constraint: WEIGHTED,
    stored: { scheduler: 'rr' },
    requested: {},
    denies: [],
  },
  'has no new violation if it removes an unreadable value': {
    constraint: WEIGHTED,
    stored: { scheduler: 'fair' },
    requested: {},
    denies: [],
  },
  'has no new violation if it writes the current number': {
    constraint: PATIENT,
    stored: {},
    requested: { persistenceTimeout: '0' },
    denies: [],
  },
  'has a new violation if it writes another value': {
    constraint: WEIGHTED,
    stored: {},
    requested: { scheduler: 'wlc' },
    denies: ['[scheduler]=wlc'],
  },
  'has a new violation if it removes another value, and the default is forbidden': {
    constraint: WEIGHTED,
    stored: { scheduler: 'wlc' },
    requested: {},
    denies: ['[scheduler]='],
  },
  'violates a constraint on public load balancers although it requests a private one': {
    constraint: WITH_ACL,
    stored: ON,
    requested: { ...ON, addressType: 'intranet', aclStatus: 'off' },
    facts: INVENTORY,
    denies: ['[acl-status]=off'],
  },
  'violates a constraint on public load balancers, whatever load balancer a label names': {
    constraint: WITH_ACL,
    stored: ON,
    requested: { ...ON, addressType: 'intranet', aclStatus: 'off' },
    labels: { [ID_LABEL]: 'lb-other' },
    facts: INVENTORY,
    denies: ['[acl-status]=off'],
  },
  'has a violation for the address type of its load balancer, not for the requested type': {
    constraint: { require: [{ annotation: 'address-type', oneOf: ['intranet'] }] },
    stored: {},
    requested: { addressType: 'intranet' },
    facts: INVENTORY,
    denies: ['[address-type]=intranet'],
  },
  'has no violation for the address type of a foreign load balancer': {
    constraint: WITH_ACL,
    stored: { ...ON, addressType: 'intranet' },
    requested: { addressType: 'intranet', aclStatus: 'off' },
    facts: { loadBalancers: { 'lb-other': { ...OWN, service: 'bank/web' } } },
    denies: [],
  },
  'violates a constraint on its resource group even without an annotation': {
    constraint: { when: [{ annotation: 'resource-group-id', oneOf: ['rg-prod'] }], require: [SMALL] },
    stored: { resourceGroupId: 'rg-prod', instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' },
    requested: { instanceChargeType: 'PayBySpec', spec: 'slb.s3.large' },
    facts: INVENTORY,
    denies: ['[spec]=slb.s3.large'],
  },
  'has no violation for a resource group that was never requested': {
    constraint: { require: [{ annotation: 'resource-group-id', oneOf: ['rg-1'] }] },
    stored: {},
    requested: { name: 'web' },
    facts: INVENTORY,
    denies: [],
  },
  'violates a constraint on PayBySpec if its charge type is unknown': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: { chargeType: 'paybybandwidth', bandwidth: '5', spec: 'slb.s1.small' },
    requested: { chargeType: 'paybybandwidth', bandwidth: '5', spec: 'slb.s3.large' },
    denies: ['[spec]=slb.s3.large'],
  },
  'violates a constraint on PayBySpec although it removes the charge type': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: { instanceChargeType: 'PayBySpec', spec: 'slb.s1.small' },
    requested: { spec: 'slb.s3.large' },
    denies: ['[spec]=slb.s3.large'],
  },
  'violates a constraint on PayBySpec if it removes the required value': {
    constraint: { when: [BY_SPEC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    stored: ON,
    requested: {},
    denies: ['[acl-status]='],
  },
  'is not denied if the required value was absent before': {
    constraint: { when: [BY_SPEC], require: [{ annotation: 'acl-status', oneOf: ['on'] }] },
    stored: {},
    requested: { name: 'web' },
    denies: [],
  },
  'has no violation for a specification with a charge by use': {
    constraint: { when: [BY_SPEC], require: [SMALL] },
    stored: {},
    requested: { instanceChargeType: 'PayByCLCU', spec: 'slb.s3.large' },
    denies: [],
  },
};

/** A policy applies to what a Service has in the cloud, even if its annotations differ. */
describe('a served Service', () => {
  for (const [title, { constraint, stored, requested, labels, facts, denies }] of Object.entries(ROWS)) {
    it(title, () => {
      const policies = { p: { constraints: [{ name: 'c', ...constraint }] } };
      const exceptions = [
        anException('fixed', { rule: 'immutable-annotation' }),
        anException('charge', { rule: 'one-way-change' }),
      ];
      const request = { object: served(requested, labels), oldObject: served(stored) };
      const lines = findingTexts(evaluatedWith(aPolicyCache({ policies, exceptions }), request, facts));
      assert.deepEqual(
        lines.filter((line) => line.startsWith('deny')),
        denies.map((found) => `deny policy/p/c ${found}`),
      );
    });
  }
});

describe('the message of a denial', () => {
  it('contains nothing about a load balancer that a label names', () => {
    const requested = { addressType: 'intranet', ip: '10.1.1.2', resourceGroupId: 'rg-x' } as const;
    const facts: FactsInput = {
      loadBalancers: {
        'lb-other': { ...OWN, service: 'bank/web', address: '10.66.7.8', resourceGroupId: 'rg-bank' },
        'lb-api': { owner: 'api-server', address: '10.0.0.1', resourceGroupId: 'rg-ops' },
      },
    };
    for (const id of ['lb-other', 'lb-api']) {
      const request = {
        object: served(requested, { [ID_LABEL]: id }),
        oldObject: served({ addressType: 'intranet', ip: '10.1.1.1', resourceGroupId: 'rg-a' }),
      };
      const sentences = denied(evaluatedWith(aPolicyCache(), request, facts));
      assert.equal(sentences.length, 2);
      assert.doesNotMatch(sentences.join(), /10\.66\.7\.8|10\.0\.0\.1|rg-bank|rg-ops/);
    }
  });
});

describe('a listener on a reused load balancer', () => {
  it('has the usual default for an absent value', () => {
    const policies = { p: { constraints: [{ name: 'c', ...WITH_ACL }] } };
    const facts = { loadBalancers: { 'lb-1': { owner: 'user' as const } } };
    const denials = (options: Options) =>
      findingTexts(
        evaluatedWith(aPolicyCache({ policies }), { object: aService({ annotations: annotated(options) }) }, facts),
      ).filter((line) => line.startsWith('deny'));
    assert.deepEqual(denials({ id: 'lb-1' }), [], 'the Service has no listeners');
    assert.deepEqual(denials({ id: 'lb-1', forceOverrideListeners: 'true' }), ['deny policy/p/c [acl-status]=']);
  });
});
