import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseAnnotations } from '../../../src/annotation/parse.ts';
import type { Service } from '../../../src/base/kubernetes-objects.ts';
import type { LoadBalancerException, LoadBalancerPolicy, Mode } from '../../../src/policy/custom-resources.ts';
import { anyExceptions, anyPolicies, RULES } from '../../support/any-policy.ts';
import { aFacts } from '../../support/facts.ts';
import { aPolicyCache, evaluatedWith, findingTexts, type PolicyCacheInput } from '../../support/policy-cache.ts';
import { aService } from '../../support/service.ts';

const RUNS = { numRuns: 300, seed: 1 };
const KEY = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

const anyService: fc.Arbitrary<Service> = fc
  .record({
    annotations: fc.dictionary(
      fc.constantFrom(
        'address-type',
        'bandwidth',
        'name',
        'spec',
        'additional-resource-tags',
        'protocol-port',
        'unknown',
      ),
      fc.constantFrom(
        'internet',
        'intranet',
        '5',
        '500',
        'shop-web',
        'slb.s1.small',
        'team=shop',
        'https:443',
        'wrong',
      ),
    ),
    tier: fc.constantFrom('edge', 'core'),
    ports: fc.subarray([80, 443, 8080], { minLength: 1 }),
  })
  .map(({ annotations, tier, ports }) =>
    aService({
      annotations: Object.fromEntries(Object.entries(annotations).map(([suffix, text]) => [KEY + suffix, text])),
      labels: { tier },
      ports,
    }),
  );

/** Services with the same annotations and different other fields. Some reuse a load balancer. */
const anyAlike: fc.Arbitrary<readonly Service[]> = fc
  .tuple(anyService, fc.constantFrom('internet', 'intranet'))
  .chain(([{ metadata: alike }, addressType]) =>
    fc.array(
      fc
        .record({
          object: anyService,
          namespace: fc.constantFrom('shop', 'store'),
          reused: fc.constantFrom({}, { [`${KEY}id`]: 'lb-1' }),
        })
        .map(({ object: { metadata, ...rest }, namespace, reused }) => ({
          ...rest,
          metadata: {
            ...metadata,
            namespace,
            annotations: { ...alike.annotations, [`${KEY}address-type`]: addressType, ...reused },
          },
        })),
      { minLength: 2, maxLength: 3 },
    ),
  );

const NAMESPACES = { shop: { team: 'shop' } };
const wholeCache = (input: PolicyCacheInput) => aPolicyCache({ namespaces: NAMESPACES, ...input });
const about = { kind: 'Service', operation: 'CREATE', namespace: 'shop' } as const;
const on = (cache: ReturnType<typeof wholeCache>, { metadata }: Service) =>
  cache.policyCache.on({ ...about, name: metadata.name, labels: metadata.labels ?? {} });

const STRENGTH: readonly Mode[] = ['audit', 'warn', 'enforce'];
const strongest = (modes: readonly Mode[]): Mode =>
  modes.reduce((left, right) => (STRENGTH.indexOf(left) > STRENGTH.indexOf(right) ? left : right));

interface Everything {
  readonly policies: readonly LoadBalancerPolicy[];
  readonly exceptions: readonly LoadBalancerException[];
}

/** Many teams write policies, so that the order of policies must not matter, and an exception must never cause a denial. */
describe('policies and exceptions', function () {
  this.timeout(300_000);

  it('have the same effect in any order of changes', () => {
    const anyEverything = fc.record({ policies: anyPolicies, exceptions: anyExceptions });
    const shuffled = ({ policies, exceptions }: Everything): fc.Arbitrary<Everything> =>
      fc.record({
        policies: fc.shuffledSubarray([...policies], { minLength: policies.length }),
        exceptions: fc.shuffledSubarray([...exceptions], { minLength: exceptions.length }),
      });
    const anyTwoOrders = anyEverything.chain((all) => fc.tuple(fc.constant(all), shuffled(all)));
    fc.assert(
      fc.property(anyTwoOrders, anyEverything, anyService, ([all, other], past, object) => {
        const fresh = wholeCache(all);
        const old = wholeCache(past);
        old.policyCache.on({ ...about, name: 'web', labels: {} });
        for (const { metadata } of past.policies) old.policyCache.removePolicy(metadata.name);
        for (const { metadata } of past.exceptions) old.policyCache.removeException(metadata.name);
        for (const exception of other.exceptions) old.policyCache.putException(exception);
        for (const policy of other.policies) old.policyCache.putPolicy(policy);
        assert.deepEqual(findingTexts(evaluatedWith(old, { object })), findingTexts(evaluatedWith(fresh, { object })));
      }),
      RUNS,
    );
  });

  it('find together the violations that each policy finds alone', () => {
    fc.assert(
      fc.property(anyPolicies, anyService, (policies, object) => {
        const found = (some: readonly LoadBalancerPolicy[]): readonly string[] =>
          findingTexts(evaluatedWith(wholeCache({ policies: some }), { object })).filter((line) =>
            line.includes(' policy/'),
          );
        const alone = policies.flatMap((policy) => found([policy]));
        assert.deepEqual([...found(policies)].sort(), [...alone].sort());
      }),
      RUNS,
    );
  });

  it('apply the strictest mode of a built-in rule', () => {
    fc.assert(
      fc.property(anyPolicies, anyService, fc.constantFrom(...RULES), (policies, object, rule) => {
        const modeOf = (some: readonly LoadBalancerPolicy[]): Mode =>
          on(wholeCache({ policies: some }), object).mode(rule, 'shop');
        const speaking = policies.filter((policy) => {
          const only = { ...policy, spec: { ...policy.spec, rules: [{ rule, mode: 'audit' as const }] } };
          return policy.spec.rules?.some((tuning) => tuning.rule === rule) === true && modeOf([only]) === 'audit';
        });
        const expected = speaking.length === 0 ? 'enforce' : strongest(speaking.map((policy) => modeOf([policy])));
        assert.equal(modeOf(policies), expected);
      }),
      RUNS,
    );
  });

  it('allow together what each exception allows alone, and an exception never denies', () => {
    fc.assert(
      fc.property(anyPolicies, anyExceptions, anyService, (policies, exceptions, object) => {
        const deniedWith = (some: readonly LoadBalancerException[]): ReadonlySet<string> =>
          new Set(
            evaluatedWith(wholeCache({ policies, exceptions: some }), { object }).denials.map(({ rule }) => rule.name),
          );
        const all = deniedWith([]);
        const lifted = (some: readonly LoadBalancerException[]): readonly string[] =>
          [...all].filter((rule) => !deniedWith(some).has(rule)).sort();
        const together = lifted(exceptions);
        assert.deepEqual(together, [...new Set(exceptions.flatMap((exception) => lifted([exception])))].sort());
        assert.ok([...deniedWith(exceptions)].every((rule) => all.has(rule)));
        const named = new Set(exceptions.map(({ spec }) => spec.rule));
        assert.deepEqual(
          together.filter((rule) => !named.has(rule)),
          [],
        );
      }),
      RUNS,
    );
  });

  it('never deny with --warn-only', () => {
    fc.assert(
      fc.property(anyPolicies, anyExceptions, anyService, (policies, exceptions, object) => {
        const { denials } = evaluatedWith(wholeCache({ policies, exceptions, warnOnly: true }), { object });
        assert.deepEqual(denials, []);
      }),
      RUNS,
    );
  });

  it('have the same results with a used cache as with a new cache', () => {
    const namespaces = { shop: { team: 'shop' }, store: { team: 'shop' } };
    const facts = { loadBalancers: { 'lb-1': { addressType: 'intranet' } } } as const;
    fc.assert(
      fc.property(anyPolicies, fc.array(fc.oneof(anyService, anyAlike), { maxLength: 3 }), (policies, input) => {
        const objects = input.flat();
        const used = aPolicyCache({ namespaces, policies });
        for (const object of [...objects, ...objects]) {
          const fresh = aPolicyCache({ namespaces, policies });
          assert.deepEqual(
            findingTexts(evaluatedWith(used, { object }, facts)),
            findingTexts(evaluatedWith(fresh, { object }, facts)),
          );
        }
      }),
      RUNS,
    );
  });

  it('can evaluate any object', () => {
    fc.assert(
      fc.property(anyPolicies, fc.dictionary(fc.string(), fc.string()), fc.string(), (policies, annotations, name) => {
        const object = aService({ annotations, name });
        const test = wholeCache({ policies });
        const view = { object, parsed: parseAnnotations(annotations) };
        const violations = on(test, object).violations?.(view, aFacts()) ?? [];
        assert.ok(Array.isArray(violations));
      }),
      { ...RUNS, numRuns: 100 },
    );
  });
});
