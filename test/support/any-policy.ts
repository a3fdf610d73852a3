import fc from 'fast-check';
import type {
  Condition,
  Constraint,
  LabelSelector,
  LoadBalancerException,
  LoadBalancerPolicy,
  LoadBalancerPolicySpec,
  Mode,
  RuleTuning,
} from '../../src/policy/custom-resources.ts';
import { anException, aPolicy } from './policy.ts';

const anyMode = fc.constantFrom<Mode>('enforce', 'warn', 'audit');
const anyDate = fc.constantFrom('2026-06-01T00:00:00Z', '2026-12-01T00:00:00Z', '2027-06-01T00:00:00Z');
const anyEnforcement: fc.Arbitrary<{ mode?: Mode; enforceAfter?: string }> = fc.oneof(
  fc.record({ mode: anyMode }),
  fc.record({ enforceAfter: anyDate }),
  fc.constant({}),
);

/** The rules that the generated policies and exceptions name. */
export const RULES = ['annotation-value', 'protocol-port', 'unknown-annotation'] as const;
const CONSTRAINTS = ['a', 'b'] as const;
const POLICIES = ['p', 'q', 'r', 's'] as const;

const anyCondition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    annotation: fc.constant('address-type'),
    oneOf: fc.subarray(['internet', 'intranet'], { minLength: 1 }),
  }),
  fc.record({ annotation: fc.constant('bandwidth'), max: fc.constantFrom(5, 50, 5_000) }),
  fc.record({ annotation: fc.constantFrom('spec', 'name', 'bandwidth'), present: fc.boolean() }),
  fc.record({
    annotation: fc.constantFrom('name', 'spec'),
    noneOf: fc.subarray(['*', '${namespace}*', 'shop-*', 'slb.s1.*'], { minLength: 1 }),
  }),
  fc.record({ field: fc.constant('port' as const), noneOf: fc.subarray(['80', '443', '8*'], { minLength: 1 }) }),
  fc.record({ field: fc.constant('protocol' as const), oneOf: fc.constant(['tcp', 'udp']) }),
  fc.record({ tag: fc.constant('team'), present: fc.boolean() }),
);

const anySelector: fc.Arbitrary<LabelSelector> = fc.oneof(
  fc.record({ matchLabels: fc.record({ team: fc.constantFrom('shop', 'bank') }) }),
  fc.constant({ matchExpressions: [{ key: 'stage', operator: 'DoesNotExist' as const }] }),
);

const anyConstraint = (name: string): fc.Arbitrary<Constraint> =>
  fc
    .record({
      enforcement: anyEnforcement,
      when: fc.array(anyCondition, { maxLength: 1 }),
      require: fc.array(anyCondition, { minLength: 1, maxLength: 2 }),
    })
    .map(({ enforcement, ...fields }) => ({ name, ...enforcement, ...fields }));

const anyTuning: fc.Arbitrary<RuleTuning> = fc
  .tuple(fc.constantFrom(...RULES), anyEnforcement)
  .map(([rule, enforcement]) => ({ rule, ...enforcement }));

const anySpec: fc.Arbitrary<LoadBalancerPolicySpec> = fc.record(
  {
    match: fc.record(
      {
        namespaceSelector: anySelector,
        serviceSelector: fc.constant({ matchLabels: { tier: 'edge' } }),
        operations: fc.constantFrom<('CREATE' | 'UPDATE')[]>(['CREATE'], ['UPDATE'], ['CREATE', 'UPDATE']),
      },
      { requiredKeys: [] },
    ),
    rules: fc.uniqueArray(anyTuning, { selector: ({ rule }) => rule, maxLength: 2 }),
    constraints: fc.tuple(anyConstraint(CONSTRAINTS[0]), anyConstraint(CONSTRAINTS[1])),
  },
  { requiredKeys: [] },
);

/** Some policies with distinct names, for property tests. */
export const anyPolicies: fc.Arbitrary<readonly LoadBalancerPolicy[]> = fc
  .array(anySpec, { maxLength: POLICIES.length })
  .map((specs) => specs.map((spec, index) => aPolicy(POLICIES[index] ?? 'p', spec)));

const anyRule = fc.oneof(
  fc.constantFrom<string>(...RULES),
  fc
    .tuple(fc.constantFrom(...POLICIES), fc.constantFrom(...CONSTRAINTS))
    .map(([policy, name]) => `policy/${policy}/${name}`),
);

/** Some exceptions, many of which match Service `shop/web`. */
export const anyExceptions: fc.Arbitrary<readonly LoadBalancerException[]> = fc
  .array(
    fc.record({
      rule: anyRule,
      expires: anyDate,
      target: fc.oneof(
        fc.record({ object: fc.constantFrom({ namespace: 'shop', name: 'web' }, { namespace: 'shop', name: 'api' }) }),
        fc.record({ selector: fc.record({ namespaceSelector: anySelector }) }),
        fc.record({
          selector: fc.record({
            namespaceSelector: anySelector,
            serviceSelector: fc.constant({ matchLabels: { tier: 'edge' } }),
          }),
        }),
        fc.constant({ selector: { serviceSelector: { matchLabels: { tier: 'edge' } } } }),
      ),
    }),
    { maxLength: 5 },
  )
  .map((all) => all.map(({ target, ...fields }, index) => anException(`e${index}`, { ...fields, ...target })));
