import assert from 'node:assert/strict';
import type { Condition, LoadBalancerPolicySpec, PolicyDefault } from '../../../src/policy/resource.ts';
import { policyStatus, surveyOf } from '../../../src/policy/status.ts';
import { aBook } from '../../support/policy-book.ts';
import { aPolicy } from '../../support/policy.ts';

const NAMESPACES = { shop: { team: 'shop' }, bank: { team: 'bank' } };
const standing = (
  spec: LoadBalancerPolicySpec,
  others: Readonly<Record<string, LoadBalancerPolicySpec>> = {},
): string => {
  const { book } = aBook({ namespaces: NAMESPACES, policies: { p: spec, ...others } });
  const status = policyStatus(aPolicy('p', spec), surveyOf(book, Object.keys(NAMESPACES), 0));
  return (status?.conditions ?? []).map(({ status, reason, message }) => `${status} ${reason}: ${message}`).join();
};

const requiring = (...require: Condition[]): LoadBalancerPolicySpec => ({ constraints: [{ name: 'c', require }] });
const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };
const INTERNET: Condition = { annotation: 'address-type', oneOf: ['internet'] };

describe('the status of a policy with defaults', () => {
  it('says that a default is none, or would be refused', () => {
    const standingWith = (...defaults: PolicyDefault[]): string => standing({ ...requiring(INTRANET), defaults });
    assert.match(
      standingWith({ annotation: 'address-type', value: 'public' }),
      /default of address-type: "public" is no value/,
    );
    assert.match(
      standingWith({ annotation: 'address-type', value: 'internet' }),
      /default of address-type: policy\/p\/c refuses it$/,
    );
    assert.match(standingWith({ annotation: 'address-type', value: 'intranet' }), /^True/);
  });

  const TO_BE_ON: Condition = { annotation: 'acl-status', oneOf: ['on'] };
  const OFF: PolicyDefault = { annotation: 'acl-status', value: 'off' };
  const ofDefaults: Readonly<Record<string, readonly [LoadBalancerPolicySpec, boolean]>> = {
    'that has a condition': [{ ...requiring(TO_BE_ON), defaults: [{ ...OFF, when: [INTERNET] }] }, true],
    'where both have the same condition': [
      { constraints: [{ name: 'c', when: [INTERNET], require: [TO_BE_ON] }], defaults: [{ ...OFF, when: [INTERNET] }] },
      true,
    ],
    'where the constraint has more conditions': [
      {
        constraints: [{ name: 'c', when: [INTERNET, { field: 'port', oneOf: ['80'] }], require: [TO_BE_ON] }],
        defaults: [{ ...OFF, when: [INTERNET] }],
      },
      false,
    ],
    'where it meets the condition of the constraint': [
      { constraints: [{ name: 'c', when: [{ ...TO_BE_ON, oneOf: ['off'] }], require: [TO_BE_ON] }], defaults: [OFF] },
      true,
    ],
    'where the condition of the constraint no longer holds with it': [
      {
        constraints: [{ name: 'c', when: [{ annotation: 'acl-status', present: false }], require: [TO_BE_ON] }],
        defaults: [{ ...OFF, when: [{ annotation: 'acl-status', present: false }] }],
      },
      false,
    ],
  };
  for (const [where, [spec, isRefused]] of Object.entries(ofDefaults)) {
    it(`${isRefused ? 'says' : 'does not say'} that a default would be refused ${where}`, () => {
      const line = isRefused
        ? 'False Contradiction: default of acl-status: policy/p/c refuses it'
        : 'True InForce: in force in 2 namespaces';
      assert.equal(standing(spec), line);
    });
  }

  const giving = (more: LoadBalancerPolicySpec = {}): LoadBalancerPolicySpec => ({ defaults: [OFF], ...more });
  const team = (name: string): LoadBalancerPolicySpec => ({
    match: { namespaceSelector: { matchLabels: { team: name } } },
  });
  const ON_UPDATE: LoadBalancerPolicySpec = { match: { operations: ['UPDATE'] }, ...requiring(TO_BE_ON) };
  const ofOthers: Readonly<
    Record<string, readonly [LoadBalancerPolicySpec, Readonly<Record<string, LoadBalancerPolicySpec>>, boolean]>
  > = {
    'that is about all': [giving(), { q: requiring(TO_BE_ON) }, true],
    'that is about the same namespace': [
      giving(team('shop')),
      { q: { ...team('shop'), ...requiring(TO_BE_ON) } },
      true,
    ],
    'that is about another namespace': [
      giving(team('shop')),
      { q: { ...team('bank'), ...requiring(TO_BE_ON) } },
      false,
    ],
    'that is about some Services': [
      giving(),
      { q: { match: { serviceSelector: { matchLabels: { a: 'x' } } }, ...requiring(TO_BE_ON) } },
      false,
    ],
    'that is not about what is created': [giving(), { q: ON_UPDATE }, false],
    'where another default comes first': [
      giving(),
      { a: { defaults: [{ annotation: 'acl-status', value: 'on' }] }, q: requiring(TO_BE_ON) },
      false,
    ],
    'where another default comes first for some': [
      giving(),
      { a: { defaults: [{ annotation: 'acl-status', value: 'on', when: [INTERNET] }] }, q: requiring(TO_BE_ON) },
      true,
    ],
  };
  for (const [where, [spec, others, isRefused]] of Object.entries(ofOthers)) {
    it(`${isRefused ? 'says' : 'does not say'} that a default would be refused by another policy ${where}`, () => {
      const line = standing(spec, others);
      if (isRefused) assert.equal(line, 'False Contradiction: default of acl-status: policy/q/c refuses it');
      else assert.match(line, /^True/);
    });
  }
});
