import assert from 'node:assert/strict';
import type { Condition, LoadBalancerPolicySpec, StatusCondition } from '../../../src/policy/custom-resources.ts';
import { policyStatus, gatherStatusInputs } from '../../../src/policy/status.ts';
import { StoredLabels } from '../../../src/policy/stored-labels.ts';
import { NO_USAGE } from '../../../src/policy/usage.ts';
import { aPolicyCache, type PolicyCacheInput } from '../../support/policy-cache.ts';
import { aPolicy } from '../../support/policy.ts';
import { aService } from '../../support/service.ts';

const NAMESPACES = { shop: { team: 'shop' }, bank: { team: 'bank' } };
const NOW = '2026-11-01T00:00:00Z';
const LATER = '2026-11-02T00:00:00Z';
const survey = (input: PolicyCacheInput) => {
  const { policyCache } = aPolicyCache({ namespaces: NAMESPACES, now: NOW, ...input });
  const labels = new StoredLabels(policyCache, Object.keys(input.namespaces ?? NAMESPACES));
  return gatherStatusInputs(policyCache, labels, Date.parse(input.now ?? NOW));
};
const lineOf = ([condition]: readonly StatusCondition[]): string =>
  `${condition?.status} ${condition?.reason}: ${condition?.message}`;
const conditionText = (
  spec: LoadBalancerPolicySpec,
  others: Readonly<Record<string, LoadBalancerPolicySpec>> = {},
): string => lineOf(policyStatus(aPolicy('p', spec), survey({ policies: { p: spec, ...others } }))?.conditions ?? []);

const requiring = (...require: Condition[]): LoadBalancerPolicySpec => ({ constraints: [{ name: 'c', require }] });
const INTRANET: Condition = { annotation: 'address-type', oneOf: ['intranet'] };
const INTERNET: Condition = { annotation: 'address-type', oneOf: ['internet'] };

/** Authors of policies learn only from the status whether a policy has an effect. */
describe('the status of a policy', () => {
  const rows: Readonly<Record<string, readonly [LoadBalancerPolicySpec, string]>> = {
    'reports that it is in force, with its namespaces': [requiring(INTRANET), 'True Accepted: applies to 2 namespaces'],
    'reports that it selects nothing': [
      { match: { namespaceSelector: { matchLabels: { team: 'none' } } }, ...requiring(INTRANET) },
      'False NoMatches: no namespace has the labels that the policy selects',
    ],
    'reports its ineffective parts': [
      { ...requiring(INTRANET), rules: [{ rule: 'no-such-rule', mode: 'warn' }] },
      'False PartiallyInvalid: spec.rules[0]: there is no tunable rule "no-such-rule"',
    ],
    'reports an unknown variable': [
      requiring({ annotation: 'name', oneOf: ['${user}-*'] }),
      'False PartiallyInvalid: spec.constraints[0]: there is no variable ${user}; use ${cluster}, ${namespace} or ${name}',
    ],
    'reports two contradicting constraints': [
      {
        constraints: [
          { name: 'a', require: [INTRANET] },
          { name: 'b', require: [INTERNET] },
        ],
      },
      'False Conflicted: policy/p/a and policy/p/b: no value of address-type meets these constraints',
    ],
    'reports disjoint ranges': [
      requiring({ annotation: 'bandwidth', min: 10 }, { annotation: 'bandwidth', max: 5 }),
      'False Conflicted: policy/p/c: no value of bandwidth meets this constraint',
    ],
    'reports a field that is both required and forbidden': [
      requiring({ annotation: 'spec', present: true }, { annotation: 'spec', present: false }),
      'False Conflicted: policy/p/c: no value of spec meets this constraint',
    ],
    'reports a forbidden field with a forbidden default': [
      requiring({ annotation: 'acl-status', present: false }, { annotation: 'acl-status', oneOf: ['on'] }),
      'False Conflicted: policy/p/c: no value of acl-status meets this constraint',
    ],
    'accepts an absent value if the default is allowed': [
      requiring({ annotation: 'acl-status', present: false }, { annotation: 'acl-status', oneOf: ['off'] }),
      'True Accepted: applies to 2 namespaces',
    ],
    'accepts a required value without the annotation if a reused load balancer can have it': [
      requiring({ annotation: 'address-type', present: false }, INTRANET),
      'True Accepted: applies to 2 namespaces',
    ],
    'accepts an absent value without an effect': [
      requiring({ annotation: 'name', present: false }, { annotation: 'name', oneOf: ['web'] }),
      'True Accepted: applies to 2 namespaces',
    ],
    'reports a condition on the value of an absent field': [
      {
        constraints: [
          {
            name: 'c',
            when: [
              { annotation: 'name', present: false },
              { annotation: 'name', oneOf: ['web'] },
            ],
            require: [INTRANET],
          },
        ],
      },
      'False Conflicted: policy/p/c: never applies: no value of name meets its conditions',
    ],
    'reports that all values are excluded': [
      requiring({ annotation: 'address-type', noneOf: ['internet', 'intra*'] }),
      'False Conflicted: policy/p/c: no value of address-type meets this constraint',
    ],
    'reports that its selector contradicts itself': [
      {
        match: {
          serviceSelector: {
            matchLabels: { a: 'x' },
            matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }],
          },
        },
        ...requiring(INTRANET),
      },
      'False PartiallyInvalid: spec.match.serviceSelector: the requirements for label a contradict each other',
    ],
    'reports a port with a leading zero, which no port matches': [
      requiring({ field: 'port', noneOf: ['022'] }),
      'False Conflicted: policy/p/c: port: Invalid value: "022": must be a whole number from 1 to 65535; write 22',
    ],
    'reports that no selector matches the objects of a rule for Nodes': [
      { match: { serviceSelector: { matchLabels: { a: 'x' } } }, rules: [{ rule: 'provider-id', mode: 'warn' }] },
      'False PartiallyInvalid: spec.rules[0]: provider-id checks Nodes, which no selector matches; tune the rule in a policy without selectors',
    ],
    'reports a selector of namespaces for a rule for Nodes': [
      {
        match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
        rules: [{ rule: 'provider-id', mode: 'warn' }],
      },
      'False PartiallyInvalid: spec.rules[0]: provider-id checks Nodes, which no selector matches; tune the rule in a policy without selectors',
    ],
    'reports that defaults never apply without creations': [
      { match: { operations: ['UPDATE'] }, defaults: [{ annotation: 'spec', value: 'slb.s1.small' }] },
      'False PartiallyInvalid: spec.defaults: defaults apply only to new Services, which match.operations excludes; set defaults in a policy with CREATE',
    ],
    'accepts a default with both operations': [
      { match: { operations: ['UPDATE', 'CREATE'] }, defaults: [{ annotation: 'spec', value: 'slb.s1.small' }] },
      'True Accepted: applies to 2 namespaces',
    ],
    'accepts a rule for Nodes with operations': [
      { match: { operations: ['UPDATE'] }, rules: [{ rule: 'provider-id', mode: 'warn' }] },
      'True Accepted: applies to 2 namespaces',
    ],
    'reports that a rule about changes is tuned for creations': [
      { match: { operations: ['CREATE'] }, rules: [{ rule: 'immutable-annotation', mode: 'warn' }] },
      'False PartiallyInvalid: spec.rules[0]: immutable-annotation checks only updates, which match.operations excludes; tune the rule in a policy with UPDATE',
    ],
    'accepts a rule about changes with both operations': [
      { match: { operations: ['CREATE', 'UPDATE'] }, rules: [{ rule: 'immutable-annotation', mode: 'warn' }] },
      'True Accepted: applies to 2 namespaces',
    ],
    'accepts a selector with a possible match': [
      {
        match: {
          serviceSelector: {
            matchExpressions: [
              { key: 'a', operator: 'NotIn', values: ['x'] },
              { key: 'a', operator: 'Exists' },
            ],
          },
        },
        ...requiring(INTRANET),
      },
      'True Accepted: applies to 2 namespaces',
    ],
    'reports that the conditions of a constraint contradict each other': [
      {
        constraints: [{ name: 'c', when: [INTERNET, INTRANET], require: [{ annotation: 'name', present: true }] }],
      },
      'False Conflicted: policy/p/c: never applies: no value of address-type meets its conditions',
    ],
    'reports that the conditions of a default contradict each other': [
      { defaults: [{ annotation: 'name', value: 'x', when: [INTERNET, INTRANET] }] },
      'False Conflicted: default of name: never applies: no value of address-type meets its conditions',
    ],
    'reports unsatisfiable constraints under a condition': [
      {
        constraints: [
          { name: 'a', when: [INTERNET], require: [{ annotation: 'bandwidth', min: 100 }] },
          { name: 'b', when: [INTERNET], require: [{ annotation: 'bandwidth', max: 50 }] },
        ],
      },
      'False Conflicted: policy/p/a and policy/p/b: no value of bandwidth meets these constraints',
    ],
    'accepts conditions that each cover another port': [
      {
        constraints: [
          {
            name: 'c',
            when: [
              { field: 'port', oneOf: ['80'] },
              { field: 'port', oneOf: ['443'] },
            ],
            require: [INTRANET],
          },
        ],
      },
      'True Accepted: applies to 2 namespaces',
    ],
    'accepts contradicting constraints if a condition can separate them': [
      {
        constraints: [
          { name: 'a', when: [{ field: 'port', oneOf: ['80'] }], require: [INTRANET] },
          { name: 'b', require: [INTERNET] },
        ],
      },
      'True Accepted: applies to 2 namespaces',
    ],
  };
  for (const [what, [spec, line]] of Object.entries(rows)) {
    it(what, () => {
      assert.equal(conditionText(spec), line);
    });
  }

  it('reports an invalid value', () => {
    const line = conditionText(requiring({ annotation: 'address-type', oneOf: ['intern', 'internet'] }));
    assert.equal(
      line,
      'False Conflicted: policy/p/c: address-type: Unsupported value: "intern": supported values: "internet", "intranet"; did you mean internet?',
    );
  });

  it('reports a contradiction with another policy for the same objects', () => {
    const other = (team: string): LoadBalancerPolicySpec => ({
      match: { namespaceSelector: { matchLabels: { team } } },
      ...requiring(INTERNET),
    });
    const own = { match: { namespaceSelector: { matchLabels: { team: 'shop' } } }, ...requiring(INTRANET) };
    assert.equal(
      conditionText(own, { q: other('shop') }),
      'False Conflicted: policy/p/c and policy/q/c: no value of address-type meets these constraints',
    );
    assert.match(conditionText(own, { q: other('bank') }), /^True/);
  });

  it('lists a few of very many contradictions, and counts the rest', () => {
    const others = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [`with-a-name-as-people-give-it-${n}`, requiring(INTERNET)]),
    );
    const line = conditionText(requiring(INTRANET), others);
    assert.match(line, /policy\/p\/c, policy\/with-.* and 396 more: no value of address-type meets these constraints$/);
    assert.ok(line.length < 400, line);
  });

  it('stays within the limits of the API server', () => {
    for (const character of ['x', '中', '😀']) {
      const oneOf = Array.from({ length: 50 }, (_, n) => `${n}${character.repeat(1_000)}`);
      const line = conditionText(requiring({ annotation: 'address-type', oneOf }));
      const bytes = Buffer.byteLength(line);
      assert.ok(bytes > 1_000 && bytes < 5_000, String(bytes));
      assert.match(line, /; and \d+ more$/);
      assert.ok(line.isWellFormed());
    }
  });

  it('reports the usage of its quotas', () => {
    const spec: LoadBalancerPolicySpec = {
      quotas: [
        { name: 'each', per: 'namespace', loadBalancers: 5, listeners: 9 },
        { name: 'together', per: 'policy', loadBalancers: 7 },
      ],
    };
    const hard = { loadBalancers: 5, listeners: 9 };
    const services = [aService({ ports: [80, 81] }), aService({ name: 'b', uid: 'b', namespace: 'bank' })];
    assert.deepEqual(policyStatus(aPolicy('p', spec), survey({ policies: { p: spec }, services }))?.usage, [
      { name: 'each', namespace: 'bank', used: { loadBalancers: 1, listeners: 1 }, hard },
      { name: 'each', namespace: 'shop', used: { loadBalancers: 1, listeners: 2 }, hard },
      { name: 'together', used: { loadBalancers: 2 }, hard: { loadBalancers: 7 } },
    ]);
  });

  it('reports the admitted usage from the controller', () => {
    const spec: LoadBalancerPolicySpec = { quotas: [{ name: 'each', per: 'namespace', listeners: 9 }] };
    const inputs = survey({ policies: { p: spec }, services: [aService({ ports: [80, 81, 82] })] });
    const usage = { ...NO_USAGE, loadBalancers: 1, listeners: 1 };
    const source = { isKnown: () => true, values: () => [{ namespace: 'shop', usage }], onChange: () => undefined };
    inputs.policyCache.counting({ ...source, usageOf: () => usage, requestedBy: () => usage });
    const shown = { name: 'each', namespace: 'shop', used: { listeners: 1 }, hard: { listeners: 9 } };
    assert.deepEqual(policyStatus(aPolicy('p', spec), inputs)?.usage, [shown]);
  });

  it('reports only the hundred fullest of very many namespaces', () => {
    const limits = { loadBalancers: 100, listeners: 10 };
    const spec: LoadBalancerPolicySpec = { quotas: [{ name: 'q', per: 'namespace', ...limits }] };
    const names = Array.from({ length: 201 }, (_, n) => `ns-${n}`);
    const services = names
      .slice(0, 200)
      .map((name, n) => aService({ namespace: name, uid: name, ports: n % 2 === 0 ? [80] : [80, 81] }));
    const namespaces = Object.fromEntries(names.map((name) => [name, {}]));
    const usage = policyStatus(aPolicy('p', spec), survey({ policies: { p: spec }, services, namespaces }))?.usage;
    assert.equal(usage?.length, 100);
    assert.ok(usage.every(({ used }) => used.listeners === 2));
  });

  it('keeps the time of its last change while nothing changes', () => {
    const spec = requiring(INTRANET);
    const first = policyStatus(aPolicy('p', spec), survey({ policies: { p: spec } }));
    assert.ok(first);
    const stored = { ...aPolicy('p', spec), status: first };
    assert.deepEqual(policyStatus(stored, survey({ policies: { p: spec }, now: LATER })), first);
    const policies = { p: { ...spec, rules: [{ rule: 'x' }] } };
    const changed = policyStatus(stored, survey({ policies, now: LATER }));
    assert.equal(changed?.conditions[0]?.lastTransitionTime, LATER);
  });
});
