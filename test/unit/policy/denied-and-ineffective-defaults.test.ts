import assert from 'node:assert/strict';
import type { Condition, LoadBalancerPolicySpec, PolicyDefault } from '../../../src/policy/custom-resources.ts';
import { conditionText } from '../../support/policy-condition.ts';

const requiring = (...require: Condition[]): LoadBalancerPolicySpec => ({ constraints: [{ name: 'c', require }] });
const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };
const INTERNET: Condition = { annotation: 'address-type', oneOf: ['internet'] };

/** A default that its own or another policy denies would make each new Service invalid. */
describe('the status of a policy with defaults', () => {
  it('reports a default that is invalid, or would be denied', () => {
    const conditionWith = (...defaults: PolicyDefault[]): string => conditionText({ ...requiring(INTRANET), defaults });
    assert.match(
      conditionWith({ annotation: 'address-type', value: 'public' }),
      /default of address-type: Unsupported value: "public": /,
    );
    assert.match(
      conditionWith({ annotation: 'address-type', value: 'internet' }),
      /default of address-type: policy\/p\/c denies the value$/,
    );
    assert.match(conditionWith({ annotation: 'address-type', value: 'intranet' }), /^True/);
  });

  const TO_BE_ON: Condition = { annotation: 'acl-status', oneOf: ['on'] };
  const OFF: PolicyDefault = { annotation: 'acl-status', value: 'off' };
  const ofDefaults: Readonly<Record<string, readonly [LoadBalancerPolicySpec, boolean]>> = {
    'if it has a condition that the constraint lacks': [
      { ...requiring(TO_BE_ON), defaults: [{ ...OFF, when: [INTERNET] }] },
      true,
    ],
    'if default and constraint have the same condition': [
      { constraints: [{ name: 'c', when: [INTERNET], require: [TO_BE_ON] }], defaults: [{ ...OFF, when: [INTERNET] }] },
      true,
    ],
    'if the constraint has more conditions': [
      {
        constraints: [{ name: 'c', when: [INTERNET, { field: 'port', oneOf: ['80'] }], require: [TO_BE_ON] }],
        defaults: [{ ...OFF, when: [INTERNET] }],
      },
      false,
    ],
    'if it satisfies the condition of the constraint': [
      { constraints: [{ name: 'c', when: [{ ...TO_BE_ON, oneOf: ['off'] }], require: [TO_BE_ON] }], defaults: [OFF] },
      true,
    ],
    'if the default breaks the condition of the constraint': [
      {
        constraints: [{ name: 'c', when: [{ annotation: 'acl-status', present: false }], require: [TO_BE_ON] }],
        defaults: [{ ...OFF, when: [{ annotation: 'acl-status', present: false }] }],
      },
      false,
    ],
  };
  for (const [where, [spec, isDenied]] of Object.entries(ofDefaults)) {
    it(`${isDenied ? 'reports' : 'does not report'} that a default would be denied ${where}`, () => {
      const line = isDenied
        ? 'False Conflicted: default of acl-status: policy/p/c denies the value'
        : 'True Accepted: applies to 2 namespaces';
      assert.equal(conditionText(spec), line);
    });
  }

  const NEVER: Readonly<Record<string, readonly [readonly PolicyDefault[], string]>> = {
    'if its condition requires a reused load balancer, which the default does not change': [
      [{ annotation: 'address-type', value: 'intranet', when: [{ annotation: 'id', present: true }] }],
      'default of address-type: never applies: its conditions require a reused load balancer, for which only defaults of listener annotations apply',
    ],
    'if its condition requires a tag, which only a reused load balancer can have': [
      [{ annotation: 'spec', value: 'slb.s1.small', when: [{ reusedTag: 'team', oneOf: ['shop'] }] }],
      'default of spec: never applies: its conditions require a reused load balancer, for which only defaults of listener annotations apply',
    ],
    'if its condition requires its annotation': [
      [{ ...OFF, when: [{ annotation: 'acl-status', present: true }] }],
      'default of acl-status: never applies: its conditions require the annotation, but a default applies only to Services without the annotation',
    ],
    'if its condition requires a value of its annotation': [
      [{ ...OFF, when: [TO_BE_ON] }],
      'default of acl-status: never applies: its conditions require the annotation, but a default applies only to Services without the annotation',
    ],
    'after a default for the same annotation and every Service': [
      [
        { annotation: 'address-type', value: 'intranet' },
        { annotation: 'address-type', value: 'internet', when: [{ field: 'port', oneOf: ['443'] }] },
      ],
      'default of address-type: never applies: an earlier default for the same annotation in this policy applies to every Service',
    ],
  };
  for (const [where, [defaults, line]] of Object.entries(NEVER)) {
    it(`reports that a default never applies ${where}`, () => {
      assert.equal(conditionText({ defaults }), `False Conflicted: ${line}`);
    });
  }

  const APPLICABLE: Readonly<Record<string, readonly PolicyDefault[]>> = {
    'for listeners of a reused load balancer, which can be overridden': [
      { annotation: 'scheduler', value: 'wrr', when: [{ annotation: 'id', present: true }] },
    ],
    'if its condition requires the value that an absent annotation has': [
      { annotation: 'acl-status', value: 'on', when: [{ ...TO_BE_ON, oneOf: ['off'] }] },
    ],
    'if its condition requires that its annotation is absent': [
      { ...OFF, when: [{ annotation: 'acl-status', present: false }] },
    ],
    'if its condition excludes reuse': [
      { annotation: 'address-type', value: 'intranet', when: [{ annotation: 'id', present: false }] },
    ],
    'before a default for every Service': [
      { annotation: 'address-type', value: 'internet', when: [{ field: 'port', oneOf: ['443'] }] },
      { annotation: 'address-type', value: 'intranet' },
    ],
  };
  for (const [where, defaults] of Object.entries(APPLICABLE)) {
    it(`accepts a default ${where}`, () => {
      assert.match(conditionText({ defaults }), /^True/);
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
    'for all namespaces': [giving(), { q: requiring(TO_BE_ON) }, true],
    'for the same namespace': [giving(team('shop')), { q: { ...team('shop'), ...requiring(TO_BE_ON) } }, true],
    'for another namespace': [giving(team('shop')), { q: { ...team('bank'), ...requiring(TO_BE_ON) } }, false],
    'for some Services': [
      giving(),
      { q: { match: { serviceSelector: { matchLabels: { a: 'x' } } }, ...requiring(TO_BE_ON) } },
      false,
    ],
    'for updates only': [giving(), { q: ON_UPDATE }, false],
    'if an earlier default applies to all Services': [
      giving(),
      { a: { defaults: [{ annotation: 'acl-status', value: 'on' }] }, q: requiring(TO_BE_ON) },
      false,
    ],
    'if an earlier default applies to some Services': [
      giving(),
      { a: { defaults: [{ annotation: 'acl-status', value: 'on', when: [INTERNET] }] }, q: requiring(TO_BE_ON) },
      true,
    ],
  };
  for (const [where, [spec, others, isDenied]] of Object.entries(ofOthers)) {
    it(`${isDenied ? 'reports' : 'does not report'} that a default would be denied by another policy ${where}`, () => {
      const line = conditionText(spec, others);
      if (isDenied) assert.equal(line, 'False Conflicted: default of acl-status: policy/q/c denies the value');
      else assert.match(line, /^True/);
    });
  }
});
