import assert from 'node:assert/strict';
import type { LoadBalancerPolicySpec, PolicyMatch } from '../../../src/policy/custom-resources.ts';
import { aPolicyCache, evaluatedWith, findingTexts, type PolicyCacheInput } from '../../support/policy-cache.ts';
import { anException, aPolicy } from '../../support/policy.ts';
import { aService } from '../../support/service.ts';

/** A Service that the tunable rule protocol-port denies. */
const BAD = aService({
  annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-protocol-port': 'https:81' },
});
const RULE = 'protocol-port';
const FIELD = '[protocol-port]=https:81';
const tuning = (mode: 'enforce' | 'warn' | 'audit', more: object = {}): LoadBalancerPolicySpec => ({
  rules: [{ rule: RULE, mode, ...more }],
});
const NO_22 = { name: 'ports', require: [{ field: 'port' as const, noneOf: ['22'] }] };
const SSH = aService({ ports: [22], labels: { tier: 'edge' } });
const PORT = 'policy/p/ports spec.ports[0].port=22';
const matching = (match: PolicyMatch): LoadBalancerPolicySpec => ({ match, constraints: [NO_22] });

/** Returns the results of the rule, or of the constraint, for a new Service. */
const findingsOf = (object: object, cache: PolicyCacheInput, oldObject?: object): readonly string[] =>
  findingTexts(
    evaluatedWith(aPolicyCache(cache), { object, ...(oldObject === undefined ? {} : { oldObject }) }),
  ).filter((line) => line.includes(RULE) || line.includes('policy/'));

const LATER = { enforceAfter: '2026-12-01T00:00:00Z' };

/** Several policies and exceptions can apply to one Service, and the strictest mode must win. */
describe('a built-in rule', () => {
  const rows: Readonly<Record<string, readonly [PolicyCacheInput, string]>> = {
    'denies if no policy tunes the rule': [{ policies: { p: { constraints: [NO_22] } } }, `deny ${RULE} ${FIELD}`],
    'warns if a policy sets warn': [{ policies: { p: tuning('warn') } }, `warn ${RULE} ${FIELD}`],
    'only adds an audit annotation if a policy sets audit': [
      { policies: { p: tuning('audit') } },
      `audit ${RULE} ${FIELD}`,
    ],
    'has the strictest mode of all policies': [
      { policies: { a: tuning('audit'), b: tuning('enforce'), c: tuning('warn') } },
      `deny ${RULE} ${FIELD}`,
    ],
    'warns until a date, with the date in the message': [
      { policies: { p: tuning('enforce', LATER) } },
      `warn ${RULE} ${FIELD} (denied from 2026-12-01T00:00:00Z on)`,
    ],
    'denies from the date on': [
      { policies: { p: tuning('enforce', LATER) }, now: '2026-12-01T00:00:00Z' },
      `deny ${RULE} ${FIELD}`,
    ],
    'reports the first of several dates': [
      {
        policies: {
          a: tuning('enforce', { enforceAfter: '2027-01-01T00:00:00Z' }),
          b: tuning('enforce', LATER),
          c: tuning('warn'),
        },
      },
      `warn ${RULE} ${FIELD} (denied from 2026-12-01T00:00:00Z on)`,
    ],
    'is not tuned by a policy for other namespaces': [
      { policies: { p: { match: { namespaceSelector: { matchLabels: { team: 'bank' } } }, ...tuning('warn') } } },
      `deny ${RULE} ${FIELD}`,
    ],
    'is not tuned by a policy for other operations': [
      { policies: { p: { match: { operations: ['UPDATE'] }, ...tuning('warn') } } },
      `deny ${RULE} ${FIELD}`,
    ],
    'warns with --warn-only, even if a policy enforces the rule': [
      { policies: { p: tuning('enforce') }, warnOnly: true },
      `warn ${RULE} ${FIELD}`,
    ],
    'warns with --warn-only if no policy exists': [{ warnOnly: true }, `warn ${RULE} ${FIELD}`],
  };
  for (const [what, [policyCache, line]] of Object.entries(rows))
    it(what, () => assert.deepEqual(findingsOf(BAD, policyCache), [line]));

  it('of the safety tier denies with any policies and exceptions', () => {
    const reused = aService({
      annotations: { 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id': 'lb-api' },
    });
    const cache = aPolicyCache({
      policies: { p: { rules: [{ rule: 'protected-load-balancer', mode: 'audit' }] } },
      exceptions: [anException('e', { rule: 'protected-load-balancer' })],
      warnOnly: true,
    });
    const outcome = evaluatedWith(cache, { object: reused }, { loadBalancers: { 'lb-api': { owner: 'api-server' } } });
    const denying = outcome.denials.map(({ rule }) => rule.name);
    assert.deepEqual(denying, ['protected-load-balancer']);
    assert.deepEqual(cache.policyCache.problemsOfException('e').length, 1);
    const paths = cache.policyCache.policies.flatMap(({ problems }) => problems.map(({ path }) => path));
    assert.deepEqual(paths, ['spec.rules[0]']);
  });
});

describe('a policy applies to', () => {
  const namespace = (selector: PolicyMatch['namespaceSelector']): LoadBalancerPolicySpec =>
    matching({ namespaceSelector: selector ?? {} });
  const rows: Readonly<Record<string, readonly [LoadBalancerPolicySpec, isAbout: boolean]>> = {
    'every Service if the policy has no selector': [matching({}), true],
    'a namespace with the selected label': [namespace({ matchLabels: { team: 'shop' } }), true],
    'no namespace with another value': [namespace({ matchLabels: { team: 'bank' } }), false],
    'no namespace without the label': [namespace({ matchLabels: { stage: 'x' } }), false],
    'a namespace with a value in the list': [
      namespace({ matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'shop'] }] }),
      true,
    ],
    'no namespace with a value in an exclusion': [
      namespace({ matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['shop'] }] }),
      false,
    ],
    'a namespace that lacks the label of an exclusion': [
      namespace({ matchExpressions: [{ key: 'stage', operator: 'NotIn', values: ['x'] }] }),
      true,
    ],
    'a namespace with the label, if the label must exist': [
      namespace({ matchExpressions: [{ key: 'team', operator: 'Exists' }] }),
      true,
    ],
    'no namespace with the label, if the label must not exist': [
      namespace({ matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] }),
      false,
    ],
    'a namespace by its name': [namespace({ matchLabels: { 'kubernetes.io/metadata.name': 'shop' } }), true],
    'a Service by its labels': [matching({ serviceSelector: { matchLabels: { tier: 'edge' } } }), true],
    'no Service with other labels': [matching({ serviceSelector: { matchLabels: { tier: 'core' } } }), false],
    creations: [matching({ operations: ['CREATE'] }), true],
    'no creations if its operations are only updates': [matching({ operations: ['UPDATE'] }), false],
    'no namespace without the label "constructor"': [namespace({ matchLabels: { constructor: '' } }), false],
  };
  for (const [what, [spec, isAbout]] of Object.entries(rows)) {
    it(what, () => {
      const object = aService({ ports: [22], labels: { tier: 'edge' } });
      assert.deepEqual(findingsOf(object, { policies: { p: spec } }), isAbout ? [`deny ${PORT}`] : []);
    });
  }

  it('a namespace once its labels match', () => {
    const cache = aPolicyCache({ policies: { p: namespace({ matchLabels: { team: 'bank' } }) } });
    assert.deepEqual(findingTexts(evaluatedWith(cache, { object: SSH })), []);
    cache.setLabels('shop', { team: 'bank' });
    assert.deepEqual(findingTexts(evaluatedWith(cache, { object: SSH })), [`deny ${PORT}`]);
  });

  it('a namespace with unknown labels, but only with a warning', () => {
    const cache = { policies: { p: namespace({ matchLabels: { team: 'bank' } }) }, namespaces: {} };
    assert.deepEqual(findingsOf(SSH, cache), [`warn ${PORT} (the labels of the namespace are not known yet)`]);
  });

  it('a namespace by its name, even with unknown labels', () => {
    const named = (name: string): PolicyCacheInput => ({
      policies: { p: namespace({ matchLabels: { 'kubernetes.io/metadata.name': name } }) },
      namespaces: {},
    });
    assert.deepEqual(findingsOf(SSH, named('shop')), [`deny ${PORT}`]);
    assert.deepEqual(findingsOf(SSH, named('bank')), []);
  });
});

describe('the mode of a constraint', () => {
  const rows: Readonly<Record<string, readonly [more: object, line: string]>> = {
    'is enforce by default': [{}, `deny ${PORT}`],
    'can be warn': [{ mode: 'warn' }, `warn ${PORT}`],
    'can be audit': [{ mode: 'audit' }, `audit ${PORT}`],
    'can be warn until a date': [LATER, `warn ${PORT} (denied from 2026-12-01T00:00:00Z on)`],
  };
  for (const [what, [more, line]] of Object.entries(rows)) {
    it(what, () => {
      assert.deepEqual(findingsOf(SSH, { policies: { p: { constraints: [{ ...NO_22, ...more }] } } }), [line]);
    });
  }
});

describe('an exception', () => {
  const policies = { p: { constraints: [NO_22] } };
  const LIFTED = `warn ${PORT} (LoadBalancerException e of team-shop allows the violation until 2027-01-01T00:00:00Z)`;
  const excepting = (input: Parameters<typeof anException>[1], more: PolicyCacheInput = {}): readonly string[] =>
    findingsOf(SSH, { policies, exceptions: [anException('e', input)], ...more });
  const rule = 'policy/p/ports';

  it('allows a violation with a warning', () => {
    assert.deepEqual(excepting({ rule }), [LIFTED]);
  });

  it('allows a violation of a built-in rule', () => {
    assert.deepEqual(findingsOf(BAD, { exceptions: [anException('e', { rule: RULE })] }), [
      `warn ${RULE} ${FIELD} (LoadBalancerException e of team-shop allows the violation until 2027-01-01T00:00:00Z)`,
    ]);
  });

  const IN_SHOP = { namespaceSelector: { matchLabels: { team: 'shop' } } };
  const ON_EDGE = { serviceSelector: { matchLabels: { tier: 'edge' } } };
  const nothing: Readonly<Record<string, Parameters<typeof anException>[1]>> = {
    'for another Service': { rule, object: { namespace: 'shop', name: 'api' } },
    'for a Service with the same name in another namespace': { rule, object: { namespace: 'bank', name: 'web' } },
    'for another rule': { rule: RULE },
    'for another constraint': { rule: 'policy/p/other' },
    'for other namespaces': { rule, selector: { namespaceSelector: { matchLabels: { team: 'bank' } } } },
    'for other Services': { rule, selector: { ...IN_SHOP, serviceSelector: { matchLabels: { app: 'api' } } } },
    'for Services of any namespace by their labels': { rule, selector: ON_EDGE },
    'for all namespaces': { rule, selector: { namespaceSelector: {}, ...ON_EDGE } },
    'with a past end': { rule, expires: '2026-11-01T00:00:00Z' },
    'with an invalid end': { rule, expires: 'never' },
    'with an empty selector': { rule, selector: {} },
  };
  for (const [what, input] of Object.entries(nothing))
    it(`${what} allows nothing`, () => assert.deepEqual(excepting(input), [`deny ${PORT}`]));

  it('covers the objects of its selector', () => {
    const selector = { namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' as const }] } };
    assert.deepEqual(excepting({ rule, selector }), [LIFTED]);
    assert.deepEqual(excepting({ rule, selector: IN_SHOP }), [LIFTED]);
  });

  it('covers no namespace with unknown labels', () => {
    assert.deepEqual(excepting({ rule, selector: IN_SHOP }, { namespaces: {} }), [`deny ${PORT}`]);
  });

  it('ends at its expiry, or at the latest expiry if several exceptions allow the violation', () => {
    const cache = aPolicyCache({
      policies,
      exceptions: [anException('e', { rule }), anException('d', { rule, expires: '2026-11-02T00:00:00Z' })],
    });
    const at = (now: string): readonly string[] => {
      cache.setNow(now);
      return findingTexts(evaluatedWith(cache, { object: SSH }));
    };
    assert.deepEqual(at('2026-11-01T00:00:00Z'), [LIFTED]);
    assert.deepEqual(at('2026-12-31T23:59:59Z'), [LIFTED]);
    assert.deepEqual(at('2027-01-01T00:00:00Z'), [`deny ${PORT}`]);
  });

  it('has no effect while it names another object, and after it is deleted', () => {
    const cache = aPolicyCache({ policies, exceptions: [anException('e', { rule })] });
    cache.policyCache.putException(anException('e', { rule, object: { namespace: 'shop', name: 'api' } }, '2'));
    assert.deepEqual(findingTexts(evaluatedWith(cache, { object: SSH })), [`deny ${PORT}`]);
    cache.policyCache.putException(anException('e', { rule }, '3'));
    assert.deepEqual(findingTexts(evaluatedWith(cache, { object: SSH })), [LIFTED]);
    cache.policyCache.removeException('e');
    assert.deepEqual(findingTexts(evaluatedWith(cache, { object: SSH })), [`deny ${PORT}`]);
  });

  it('does not make an audit annotation a warning', () => {
    const quiet = { p: { constraints: [{ ...NO_22, mode: 'audit' as const }] } };
    assert.deepEqual(excepting({ rule }, { policies: quiet }), [`audit ${PORT}`]);
  });
});

describe('the policy cache', () => {
  it('follows the creation, change and deletion of a policy', () => {
    const test = aPolicyCache();
    const findings = (): readonly string[] => findingTexts(evaluatedWith(test, { object: SSH }));
    const generation = (spec: LoadBalancerPolicySpec, n: number): void => {
      const policy = aPolicy('p', spec, String(n));
      test.policyCache.putPolicy({ ...policy, metadata: { ...policy.metadata, generation: n } });
    };
    assert.deepEqual(findings(), []);
    generation({ constraints: [NO_22] }, 1);
    assert.deepEqual(findings(), [`deny ${PORT}`]);
    generation({ constraints: [{ ...NO_22, mode: 'warn' }] }, 2);
    assert.deepEqual(findings(), [`warn ${PORT}`]);
    test.policyCache.removePolicy('p');
    assert.deepEqual(findings(), []);
  });

  it('keeps the valid constraints of a policy in effect if another constraint is invalid', () => {
    const broken = [{ name: 'broken', require: [{ annotation: 'no-such', present: true }] }, NO_22];
    const { policyCache, ...test } = aPolicyCache({ policies: { p: { constraints: broken } } });
    assert.deepEqual(findingTexts(evaluatedWith({ policyCache, ...test }, { object: SSH })), [`deny ${PORT}`]);
    assert.deepEqual(policyCache.policies[0]?.problems, [
      { path: 'spec.constraints[0]', message: 'there is no annotation "no-such"' },
    ]);
  });

  it('returns a snapshot that stays complete if the policy is deleted', () => {
    const { policyCache } = aPolicyCache({ policies: { p: { constraints: [{ ...NO_22, mode: 'warn' }] } } });
    const bound = policyCache.on({ kind: 'Service', operation: 'CREATE', namespace: 'shop', name: 'web', labels: {} });
    policyCache.removePolicy('p');
    assert.equal(bound.mode('policy/p/ports', 'shop'), 'warn');
  });

  it('applies a policy to Nodes if the policy has no selector and includes the operation', () => {
    const on = (spec: LoadBalancerPolicySpec): string =>
      aPolicyCache({ policies: { p: spec } })
        .policyCache.on({ kind: 'Node', operation: 'UPDATE', namespace: '', name: 'n1', labels: {} })
        .mode('provider-id', '');
    const rules = [{ rule: 'provider-id', mode: 'warn' as const }];
    assert.equal(on({ rules }), 'warn');
    assert.equal(on({ rules, match: { namespaceSelector: { matchLabels: { team: 'shop' } } } }), 'enforce');
    assert.equal(on({ rules, match: { operations: ['CREATE'] } }), 'enforce');
  });

  it('supports an exception for a Node by name', () => {
    const { policyCache } = aPolicyCache({
      exceptions: [anException('e', { rule: 'provider-id', object: { name: 'n1' } })],
    });
    const mode = (name: string): string =>
      policyCache.on({ kind: 'Node', operation: 'UPDATE', namespace: '', name, labels: {} }).mode('provider-id', '');
    assert.deepEqual([mode('n1'), mode('n2')], ['warn', 'enforce']);
  });
});
