import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { ENFORCE_ALL, WARN_ALL, type Mode, type Policy } from '../../../../src/policy/policy-decisions.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import type { Violation, Rule, ServiceSubject } from '../../../../src/rules/rule.ts';
import type { RuleResults } from '../../../../src/rules/engine/rule-results.ts';
import { validate, type RuleSet } from '../../../../webhook/admission/validate.ts';
import { aFacts } from '../../../support/facts.ts';
import { aReview, type ReviewInput } from '../../../support/review.ts';
import { aService, type ServiceInput } from '../../../support/service.ts';

/** Returns a rule that finds every annotation whose prefix is the name of the rule. A key that ends with `advice` yields advice. */
const finder = (name: string, input: Partial<Rule> = {}): Rule => ({
  name,
  kind: 'Service',
  tier: 'hygiene',
  tunable: true,
  doc: '',
  since: '0.1.0',
  examples: { wrong: '', right: '' },
  check: ({ object }: ServiceSubject): Violation[] =>
    Object.entries(object.metadata.annotations ?? {})
      .filter(([key]) => key.startsWith(`${name}/`))
      .map(([key, value]) => ({
        field: `metadata.annotations[${key}]`,
        reason: 'Invalid',
        value,
        detail: 'a',
        ...(key.endsWith('advice') ? { advice: true } : {}),
      })),
  ...input,
});
const failing = (tier: Rule['tier']): Rule => ({
  ...finder(`failing-${tier}`, { tier }),
  check: () => {
    throw new Error('broken');
  },
});

const RULES: RuleSet = { service: [finder('fault'), finder('safety', { tier: 'safety', tunable: false })], node: [] };

interface EvaluationInput {
  readonly rules?: RuleSet;
  readonly policy?: Policy;
  readonly expired?: () => boolean;
}

const evaluated = (
  input: ReviewInput,
  { rules = RULES, policy = ENFORCE_ALL, expired = () => false }: EvaluationInput = {},
): RuleResults => validate(readReview(aReview(input)), { facts: aFacts(), policy, rules, expired });

const named = (findings: RuleResults['denials']): string[] =>
  findings.map(({ violation }) => `${violation.field}=${violation.value}`);
const inMode = (mode: Mode): Policy => ({ mode: () => mode });

const BAD = { 'fault/a': '1', 'fault/b': '2' };
const bad = aService({ annotations: BAD });

/** The engine decides what denies and what only warns, for webhook, controller and lint. */
describe('the validation of a request', () => {
  it('denies a new Service for every violation', () => {
    assert.equal(evaluated({ object: bad }).denials.length, 2);
  });

  it('allows a Service without violations, without warnings', () => {
    assert.deepEqual(
      evaluated({ object: aService() }),
      evaluated({ operation: 'DELETE', oldObject: bad, object: null }),
    );
  });

  const ignored: Record<string, ReviewInput> = {
    'a deletion': { operation: 'DELETE', oldObject: bad, object: null },
    'a connection': { operation: 'CONNECT', object: bad },
    'a subresource': { oldObject: aService(), object: bad, subResource: 'status' },
    'another kind': { object: { ...bad, kind: 'Endpoints' } },
    'a kind of another group with the same name': { object: bad, group: 'serving.knative.dev' },
    'a ClusterIP Service': { object: aService({ annotations: BAD, type: 'ClusterIP' }) },
    'a Service with another loadBalancerClass': {
      object: { ...bad, spec: { ...bad.spec, loadBalancerClass: 'alibabacloud.com/nlb' } },
    },
    'a Service for a network load balancer': {
      object: aService({
        annotations: { ...BAD, 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type': 'nlb' },
      }),
    },
    'a Service with the class annotation of another controller': {
      object: aService({ annotations: { ...BAD, 'service.beta.kubernetes.io/class': 'nginx-alb' } }),
    },
    'a Service behind a tunnel': {
      object: aService({
        annotations: { ...BAD, 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-tunnel-type': '' },
      }),
    },
    'an update without a change': { oldObject: bad, object: bad },
    'a change of foreign labels': { oldObject: bad, object: aService({ annotations: BAD, labels: { app: 'web' } }) },
    'a change of finalizers': {
      oldObject: { ...bad, metadata: { ...bad.metadata, finalizers: ['example.com/hold'] } },
      object: bad,
    },
    'a change of the status': {
      oldObject: bad,
      object: { ...bad, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
    },
  };
  for (const [title, input] of Object.entries(ignored)) {
    it(`has no finding for ${title}`, () => {
      const { denials, warnings, unevaluated } = evaluated(input, {
        rules: { ...RULES, service: [...RULES.service, failing('safety')] },
      });
      assert.deepEqual([denials, warnings, unevaluated], [[], [], []]);
    });
  }

  const updates: Record<string, { from: ServiceInput; to: ServiceInput; denied: string[]; warned: string[] }> = {
    'warns about violations of the stored object': {
      from: { annotations: BAD },
      to: { annotations: { ...BAD, other: 'x' } },
      denied: [],
      warned: ['metadata.annotations[fault/a]=1', 'metadata.annotations[fault/b]=2'],
    },
    'denies a new violation': {
      from: { annotations: { 'fault/a': '1' } },
      to: { annotations: BAD },
      denied: ['metadata.annotations[fault/b]=2'],
      warned: ['metadata.annotations[fault/a]=1'],
    },
    'denies a violation of a changed field': {
      from: { annotations: BAD },
      to: { annotations: { ...BAD, 'fault/b': '3' } },
      denied: ['metadata.annotations[fault/b]=3'],
      warned: ['metadata.annotations[fault/a]=1'],
    },
    'evaluates a Service that becomes a load balancer like a new Service': {
      from: { annotations: BAD, type: 'ClusterIP' },
      to: { annotations: BAD },
      denied: ['metadata.annotations[fault/a]=1', 'metadata.annotations[fault/b]=2'],
      warned: [],
    },
    'allows a partial fix of a Service with violations': {
      from: { annotations: BAD },
      to: { annotations: { 'fault/a': '1' } },
      denied: [],
      warned: ['metadata.annotations[fault/a]=1'],
    },
    'applies ratcheting to safety rules, which protect other Services': {
      from: { annotations: { 'safety/a': '1' } },
      to: { annotations: { 'safety/a': '1', other: 'x' } },
      denied: [],
      warned: ['metadata.annotations[safety/a]=1'],
    },
  };
  for (const [title, { from, to, denied, warned }] of Object.entries(updates)) {
    it(title, () => {
      const { denials, warnings, ratcheted } = evaluated({ oldObject: aService(from), object: aService(to) });
      assert.deepEqual(named(denials), denied);
      assert.deepEqual(named(warnings), warned);
      assert.equal(ratcheted, warned.length);
    });
  }

  it('evaluates an object with a deletion timestamp too', () => {
    const dying = (annotations: Record<string, string>): Service => {
      const service = aService({ annotations });
      return { ...service, metadata: { ...service.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } };
    };
    assert.equal(evaluated({ oldObject: dying({}), object: dying(BAD) }).denials.length, 2);
  });

  const modes: Record<string, { policy: Policy; denied: number; warned: number; audited: number }> = {
    'denies if the policy enforces': { policy: inMode('enforce'), denied: 1, warned: 0, audited: 0 },
    'warns if the policy warns': { policy: inMode('warn'), denied: 0, warned: 1, audited: 0 },
    'records an audit annotation if the policy audits': { policy: inMode('audit'), denied: 0, warned: 0, audited: 1 },
  };
  for (const [title, { policy, denied, warned, audited }] of Object.entries(modes)) {
    it(title, () => {
      const outcome = evaluated({ object: aService({ annotations: { 'fault/a': '1' } }) }, { policy });
      assert.deepEqual(
        [outcome.denials.length, outcome.warnings.length, outcome.audited.length],
        [denied, warned, audited],
      );
    });
  }

  it('denies a safety violation, whatever the policy is', () => {
    const object = aService({ annotations: { 'safety/a': '1' } });
    for (const mode of ['warn', 'audit'] as const)
      assert.equal(evaluated({ object }, { policy: inMode(mode) }).denials.length, 1);
    assert.equal(evaluated({ object }, { policy: WARN_ALL }).denials.length, 1);
  });

  it('returns advice as a warning, whatever the policy is', () => {
    const object = aService({ annotations: { 'fault/advice': '1' } });
    for (const mode of ['enforce', 'audit'] as const) {
      const { denials, warnings } = evaluated({ object }, { policy: inMode(mode) });
      assert.deepEqual([denials.length, warnings.length], [0, 1]);
    }
  });

  it('evaluates the policy of the namespace of the request', () => {
    const namespaces: string[] = [];
    const policy: Policy = {
      mode: (rule, namespace) => {
        namespaces.push(`${rule} in ${namespace}`);
        return 'warn';
      },
    };
    evaluated({ object: aService({ namespace: 'bank', annotations: { 'fault/a': '1' } }) }, { policy });
    assert.deepEqual(namespaces, ['fault in bank']);
  });

  it('evaluates the other rules if a rule fails', () => {
    const rules = { ...RULES, service: [failing('hygiene'), ...RULES.service, failing('safety')] };
    const { denials, unevaluated } = evaluated({ object: bad }, { rules });
    assert.equal(denials.length, 2);
    assert.deepEqual(
      unevaluated.map(({ rule }) => [rule.name, rule.tier]),
      [
        ['failing-hygiene', 'hygiene'],
        ['failing-safety', 'safety'],
      ],
    );
  });

  it('checks the time before every eighth rule, and evaluates no rule after the time is used up', () => {
    let looks = 0;
    const expired = (): boolean => (looks += 1) > 1;
    const service = Array.from({ length: 20 }, (_, index) => ({ ...finder('fault'), name: `rule-${index + 1}` }));
    const { denials, unevaluated } = evaluated({ object: bad }, { expired, rules: { ...RULES, service } });
    assert.deepEqual([...new Set(denials.map(({ rule }) => rule.name))].length, 8);
    assert.deepEqual(
      unevaluated.map(({ rule }) => rule.name),
      service.slice(8).map(({ name }) => name),
    );
    assert.equal(looks, 2);
  });

  it('evaluates no rule if no time is left at the start', () => {
    const { denials, unevaluated } = evaluated({ object: bad }, { expired: () => true });
    assert.deepEqual([denials.length, unevaluated.length], [0, RULES.service.length]);
  });

  it('treats a failed safety rule as a hygiene rule if the update cannot be denied', () => {
    const marked = (hash: string): Service => aService({ labels: { 'service.beta.kubernetes.io/hash': hash } });
    const rules = { ...RULES, service: [failing('safety')] };
    const { unevaluated } = evaluated({ oldObject: marked('a'), object: marked('b') }, { rules });
    assert.deepEqual(
      unevaluated.map(({ rule }) => rule.tier),
      ['hygiene'],
    );
  });

  it('denies no violation if the violations of the stored object are unknown', () => {
    const unsure = (input: Partial<Rule>): Rule => {
      const rule = finder('fault', input);
      const check: Rule['check'] = (subject, facts, policy) => {
        if (subject.before === undefined) throw new Error('broken');
        return rule.check(subject, facts, policy);
      };
      return { ...rule, check };
    };
    const update = { oldObject: bad, object: aService({ annotations: { ...BAD, other: 'x' } }) };
    const hygiene = evaluated(update, { rules: { ...RULES, service: [unsure({})] } });
    assert.deepEqual([hygiene.denials.length, hygiene.warnings.length], [0, 2]);
    const safety = evaluated(update, { rules: { ...RULES, service: [unsure({ tier: 'safety', tunable: false })] } });
    assert.deepEqual([safety.denials.length, safety.unevaluated.map(({ rule }) => rule.tier)], [0, ['safety']]);
  });

  it('denies no old violation if no time is left to evaluate the stored object', () => {
    let left = RULES.service.length;
    const update = { oldObject: bad, object: aService({ annotations: { ...BAD, other: 'x' } }) };
    const { denials, warnings } = evaluated(update, { expired: () => (left -= 1) < 0 });
    assert.deepEqual([denials.length, warnings.length], [0, 2]);
  });

  const anyViolations = fc.dictionary(
    fc.constantFrom('fault/a', 'fault/b', 'safety/a', 'fault/advice', 'other'),
    fc.constantFrom('1', '2'),
  );
  it('denies an update exactly for the violations that the stored object lacks', () => {
    fc.assert(
      fc.property(anyViolations, anyViolations, (from, to) => {
        const { denials } = evaluated({
          oldObject: aService({ annotations: from }),
          object: aService({ annotations: to }),
        });
        const fresh = Object.entries(to).filter(
          ([key, value]) => key.includes('/') && !key.endsWith('advice') && from[key] !== value,
        );
        assert.deepEqual(
          new Set(named(denials)),
          new Set(fresh.map(([key, value]) => `metadata.annotations[${key}]=${value}`)),
        );
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});
