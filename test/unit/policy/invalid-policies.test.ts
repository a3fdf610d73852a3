import assert from 'node:assert/strict';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import type { LoadBalancerPolicySpec } from '../../../src/policy/custom-resources.ts';
import { exceptionStatus } from '../../../src/policy/exception-status.ts';
import { policyStatus, gatherStatusInputs } from '../../../src/policy/status.ts';
import { StoredLabels } from '../../../src/policy/stored-labels.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { readReview } from '../../../webhook/admission/admission-review.ts';
import { aFacts } from '../../support/facts.ts';
import { anException, aPolicy } from '../../support/policy.ts';
import { aPolicyCache, evaluatedWith, findingTexts } from '../../support/policy-cache.ts';
import { aReview } from '../../support/review.ts';
import { aService } from '../../support/service.ts';

/** A constraint that is effective in each of these policies, independent of their other parts. */
const GOOD = { name: 'good', require: [{ field: 'port' as const, noneOf: ['22'] }] };
const SSH = aService({ ports: [22] });
const about = { kind: 'Service', operation: 'CREATE', namespace: 'shop', name: 'web', labels: {} } as const;

/** One invalid policy must neither deny all Services nor disable the other policies. */
describe('a policy', () => {
  // The API server accepts such a spec if the installed CRD has another version.
  const of = (spec: object): LoadBalancerPolicySpec => ({ constraints: [GOOD], ...spec });
  const rows: Readonly<Record<string, readonly [object, RegExp]>> = {
    'with an unknown rule': [{ rules: [{ rule: 'no-rule', mode: 'warn' }] }, /there is no tunable rule "no-rule"/],
    'with a tuned safety rule': [
      { rules: [{ rule: 'protected-load-balancer', mode: 'audit' }] },
      /there is no tunable rule "protected-load-balancer"/,
    ],
    'with an unknown annotation': [
      { constraints: [GOOD, { name: 'c', require: [{ annotation: 'no-such', present: true }] }] },
      /spec\.constraints\[1\]: there is no annotation "no-such"/,
    ],
    'with a default for an unknown annotation': [
      { defaults: [{ annotation: 'no-such', value: 'x' }] },
      /spec\.defaults\[0\]: there is no annotation "no-such"/,
    ],
    'with an unknown field': [
      { constraints: [GOOD, { name: 'c', when: [{ field: 'colour', oneOf: ['red'] }], require: [] }] },
      /there is no field "colour"/,
    ],
    'with a condition that names no annotation, field or tag': [
      { constraints: [GOOD, { name: 'c', require: [{ present: true }] }] },
      /a condition requires one of/,
    ],
    'with an unknown mode': [{ rules: [{ rule: 'target-port', mode: 'shout' }] }, /"shout" is not a mode/],
    'with an invalid date': [
      { rules: [{ rule: 'target-port', enforceAfter: 'tomorrow' }] },
      /"tomorrow" is not a date/,
    ],
  };
  for (const [what, [spec, message]] of Object.entries(rows)) {
    it(`${what} reports this part, and the rest of the policy is in force`, () => {
      const policy = aPolicy('p', of(spec));
      const test = aPolicyCache({ policies: [policy] });
      const status = policyStatus(
        policy,
        gatherStatusInputs(test.policyCache, new StoredLabels(test.policyCache, ['shop']), 0),
      );
      const [ready] = status?.conditions ?? [];
      assert.deepEqual([ready?.status, ready?.reason], ['False', 'PartiallyInvalid']);
      assert.match(ready?.message ?? '', message);
      assert.deepEqual(findingTexts(evaluatedWith(test, { object: SSH })), [
        'deny policy/p/good spec.ports[0].port=22',
      ]);
    });
  }

  it('with an unknown operator reports this part, and applies to nothing instead of everything', () => {
    const selector = { matchExpressions: [{ key: 'team', operator: 'Like' as 'In', values: ['s*'] }] };
    const policy = aPolicy('p', of({ match: { namespaceSelector: selector } }));
    const test = aPolicyCache({ policies: [policy] });
    const status = policyStatus(
      policy,
      gatherStatusInputs(test.policyCache, new StoredLabels(test.policyCache, ['shop']), 0),
    );
    assert.match(status?.conditions[0]?.message ?? '', /"Like" is not an operator of label selectors/);
    assert.deepEqual(findingTexts(evaluatedWith(test, { object: SSH })), []);
  });

  it('with an unknown rule does not affect other policies', () => {
    const broken = aPolicy('a', { rules: [{ rule: 'no-rule' }] });
    const test = aPolicyCache({ policies: [broken, aPolicy('p', of({}))] });
    assert.deepEqual(findingTexts(evaluatedWith(test, { object: SSH })), ['deny policy/p/good spec.ports[0].port=22']);
  });
});

describe('a policy that cannot be evaluated', () => {
  it('is reported as unevaluated, denies nothing, and all other rules run', () => {
    const reuse = { constraints: [{ name: 'shared', require: [{ reusedTag: 'shared', present: true }] }] };
    const test = aPolicyCache({ policies: { p: reuse } });
    const facts = aFacts();
    let calls = 0;
    const broken = {
      ...facts,
      /** Fails only for the constraint, which is evaluated last. */
      loadBalancer: () => {
        calls += 1;
        throw new Error('no such memory');
      },
    };
    const key = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';
    const object = aService({ annotations: { [`${key}id`]: 'lb-1', [`${key}bandwidth`]: 'much' } });
    const request = readReview(aReview({ object }));
    const policyOnly = {
      service: ALL_RULES.service.filter(({ name }) => ['policy', 'annotation-value'].includes(name)),
    };
    const rules = { ...ALL_RULES, ...policyOnly };
    const outcome = validate(request, { facts: broken, policy: test.policyCache, rules, expired: () => false });
    assert.equal(calls, 1);
    assert.deepEqual(
      outcome.denials.map(({ rule }) => rule.name),
      ['annotation-value'],
    );
    assert.deepEqual(
      outcome.unevaluated.map(({ rule }) => [rule.name, rule.tier]),
      [['policy', 'hygiene']],
    );
  });
});

describe('a policy that is deleted during a request', () => {
  it('has effect until the end of the request', () => {
    const { policyCache } = aPolicyCache({ policies: { p: { constraints: [{ ...GOOD, mode: 'audit' }] } } });
    const begun = policyCache.on(about);
    const view = { object: SSH, parsed: parseAnnotations({}) };
    policyCache.removePolicy('p');
    const found = begun.violations?.(view, aFacts()).map(({ by }) => by);
    assert.deepEqual([found, begun.mode('policy/p/good', 'shop')], [['policy/p/good'], 'audit']);
    assert.deepEqual(policyCache.on(about).violations?.(view, aFacts()) ?? [], []);
  });
});

describe('a wrong clock', () => {
  const policies = { p: { constraints: [{ ...GOOD, enforceAfter: '2027-01-01T00:00:00Z' }] } };
  const exception = anException('e', { rule: 'policy/p/good', expires: '2027-06-01T00:00:00Z' });
  const rows: Readonly<Record<string, readonly [now: string, line: RegExp, state: string]>> = {
    'that is years slow only warns about future dates': [
      '1970-01-01T00:00:00Z',
      /^warn policy\/p\/good .*LoadBalancerException e/,
      'Accepted',
    ],
    'that is years fast treats every date as past': ['9999-01-01T00:00:00Z', /^deny policy\/p\/good/, 'Expired'],
  };
  for (const [what, [now, line, reason]] of Object.entries(rows)) {
    it(`${what}, and recovers when it is set`, () => {
      const test = aPolicyCache({ policies, exceptions: [exception], now });
      assert.match(findingTexts(evaluatedWith(test, { object: SSH })).join('\n'), line);
      const { conditions } = exceptionStatus(
        exception,
        gatherStatusInputs(test.policyCache, new StoredLabels(test.policyCache, ['shop']), Date.parse(now)),
      );
      assert.equal(conditions[0]?.reason, reason);
      test.setNow('2027-03-01T00:00:00Z');
      assert.match(findingTexts(evaluatedWith(test, { object: SSH })).join('\n'), /^warn .*until 2027-06-01/);
    });
  }
});
