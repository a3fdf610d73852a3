import assert from 'node:assert/strict';
import { CATALOGUE, type OptionName } from '../../../src/annotation/catalogue.ts';
import type { LoadBalancerPolicySpec, PolicyDefault } from '../../../src/policy/custom-resources.ts';
import { aFacts, type FactsInput } from '../../support/facts.ts';
import { aPolicyCache, evaluatedWith, findingTexts, type PolicyCacheInput } from '../../support/policy-cache.ts';
import { aService, type ServiceInput } from '../../support/service.ts';

const annotated = (options: Partial<Record<OptionName, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(options).map(([option, text]) => [CATALOGUE[option as OptionName].key, text]));

const giving = (...defaults: PolicyDefault[]): LoadBalancerPolicySpec => ({ defaults });
const INTRANET: PolicyDefault = { annotation: 'address-type', value: 'intranet' };
const NAME: PolicyDefault = { annotation: 'name', value: '${cluster}-${namespace}-${name}' };
const PUBLIC = [{ annotation: 'address-type', oneOf: ['internet'] }];
const LIST: PolicyDefault = { annotation: 'acl-id', value: 'acl-1', when: PUBLIC };

interface Row {
  readonly policies: PolicyCacheInput['policies'];
  readonly service?: ServiceInput;
  readonly facts?: FactsInput;
  /** Applied defaults as `suffix=value`, and omitted ones as `suffix: why`. */
  readonly gives: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'a value for an absent annotation': { policies: { p: giving(INTRANET) }, gives: ['address-type=intranet by p'] },
  'nothing for an existing annotation': {
    policies: { p: giving(INTRANET) },
    service: { annotations: annotated({ addressType: 'internet' }) },
    gives: [],
  },
  'nothing for an existing annotation with a deprecated key': {
    policies: { p: giving(INTRANET) },
    service: { annotations: { 'service.beta.kubernetes.io/alicloud-loadbalancer-address-type': 'internet' } },
    gives: [],
  },
  'nothing for an empty annotation': {
    policies: { p: giving(INTRANET) },
    service: { annotations: annotated({ addressType: '' }) },
    gives: [],
  },
  'a name from the object': {
    policies: { p: giving(NAME) },
    facts: { cluster: { clusterId: 'c1' } },
    gives: ['name=c1-shop-web by p'],
  },
  'a name truncated to the common maximum, with a unique hash': {
    policies: { p: giving(NAME) },
    service: { name: 'w'.repeat(63) },
    facts: { cluster: { clusterId: 'c'.repeat(33) } },
    gives: [`name=${'c'.repeat(33)}-shop-${'w'.repeat(32)}-HASH by p`],
  },
  'a default that depends on another default': {
    policies: {
      p: giving({ annotation: 'acl-status', value: 'on', when: [{ annotation: 'acl-id', present: true }] }, LIST),
    },
    gives: ['acl-id=acl-1 by p', 'acl-status=on by p'],
  },
  'no name as long as the cluster is unknown': {
    policies: { p: giving(NAME) },
    facts: { cluster: null },
    gives: ['name: the cluster id is not known yet'],
  },
  'no name for an object without a name': {
    policies: { p: giving(NAME) },
    service: { name: '' },
    gives: ['name: the API server has not generated the name yet'],
  },
  'no invalid value': {
    policies: { p: giving({ annotation: 'scheduler', value: '${namespace}' }) },
    gives: ['scheduler: Unsupported value: "shop": supported values: "rr", "wrr", "wlc", "sch", "tch", "qch"'],
  },
  'the value of the first policy by name': {
    policies: { b: giving(INTRANET), a: giving({ annotation: 'address-type', value: 'internet' }) },
    gives: ['address-type=internet by a'],
  },
  'a value if its condition holds': { policies: { p: giving(LIST) }, gives: ['acl-id=acl-1 by p'] },
  'nothing if the condition is false': {
    policies: { p: giving(LIST) },
    service: { annotations: annotated({ addressType: 'intranet' }) },
    gives: [],
  },
  'nothing if another default breaks the condition, in any order': {
    policies: { a: giving(LIST), b: giving(INTRANET) },
    gives: ['address-type=intranet by b'],
  },
  'the value without a condition if another default breaks the condition of a value': {
    policies: { a: giving(LIST), b: giving(INTRANET), c: giving({ annotation: 'acl-id', value: 'acl-2' }) },
    gives: ['acl-id=acl-2 by c', 'address-type=intranet by b'],
  },
  'nothing for a reused load balancer': {
    policies: { p: giving({ annotation: 'spec', value: 'slb.s1.small' }, { annotation: 'scheduler', value: 'wrr' }) },
    service: { annotations: annotated({ id: 'lb-1' }) },
    gives: [],
  },
  'listener values for overridden listeners': {
    policies: { p: giving({ annotation: 'spec', value: 'slb.s1.small' }, { annotation: 'scheduler', value: 'wrr' }) },
    service: { annotations: annotated({ id: 'lb-1', forceOverrideListeners: 'true' }) },
    gives: ['scheduler=wrr by p'],
  },
  'nothing from a policy for other namespaces': {
    policies: { p: { match: { namespaceSelector: { matchLabels: { team: 'bank' } } }, ...giving(INTRANET) } },
    gives: [],
  },
  'nothing from a policy for other Services': {
    policies: { p: { match: { serviceSelector: { matchLabels: { tier: 'edge' } } }, ...giving(INTRANET) } },
    gives: [],
  },
  'nothing from a policy for updates': {
    policies: { p: { match: { operations: ['UPDATE'] }, ...giving(INTRANET) } },
    gives: [],
  },
};

/** A default must not change what a user wrote, and must not make a Service invalid. */
describe('defaults give a new Service', () => {
  for (const [what, { policies = {}, service = {}, facts = {}, gives }] of Object.entries(ROWS)) {
    it(what, () => {
      const { policyCache } = aPolicyCache({ policies });
      const { applied: filled, unapplied } = policyCache.defaultsForService(aService(service), aFacts(facts));
      const suffix = (key: string): string => key.replace(/.*loadbalancer-/, '');
      assert.deepEqual(
        [
          ...filled.map(
            ({ key, value, policy }) => `${suffix(key)}=${value.replace(/-[0-9a-f]{8}$/, '-HASH')} by ${policy}`,
          ),
          ...unapplied.map(({ key, why }) => `${suffix(key)}: ${why}`),
        ],
        gives,
      );
      for (const { value } of filled) assert.ok(value.length <= 80, value);
    });
  }

  it('different names for objects with names of a common prefix', () => {
    const { policyCache } = aPolicyCache({ policies: { p: giving(NAME) } });
    const facts = aFacts({ cluster: { clusterId: 'c'.repeat(33) } });
    const nameOf = (name: string): string | undefined =>
      policyCache.defaultsForService(aService({ name }), facts).applied.map(({ value }) => value)[0];
    assert.notEqual(nameOf(`${'w'.repeat(62)}a`), nameOf(`${'w'.repeat(62)}b`));
    assert.equal(nameOf('w'.repeat(63)), nameOf('w'.repeat(63)));
  });

  it('a truncated name that matches its pattern', () => {
    const policies = {
      p: {
        ...giving({ annotation: 'name', value: '${namespace}-${name}' }),
        constraints: [{ name: 'c', require: [{ annotation: 'name', oneOf: ['${namespace}-${name}'] }] }],
      },
    };
    const namespace = 'n'.repeat(45);
    const cache = aPolicyCache({ policies, namespaces: { [namespace]: {} } });
    const [applied] = cache.policyCache.defaultsForService(
      aService({ namespace, name: 'w'.repeat(50) }),
      aFacts(),
    ).applied;
    const verdict = (name: string | undefined): readonly string[] => {
      const annotations = annotated({ name: name ?? '' });
      const lines = findingTexts(
        evaluatedWith(cache, { object: aService({ namespace, name: 'w'.repeat(50), annotations }) }),
      );
      return lines.filter((line) => line.startsWith('deny'));
    };
    assert.equal(applied?.value.length, 80);
    assert.deepEqual(verdict(applied.value), []);
    assert.equal(verdict(applied.value.slice(0, -1)).length, 1, 'a shorter name is denied');
  });
});
