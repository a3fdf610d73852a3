import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Service } from '../../../../src/base/objects.ts';
import { ENFORCE_ALL, WARN_ALL, type Mode, type Policy } from '../../../../src/policy/policy.ts';
import { readReview } from '../../../../webhook/admission/review.ts';
import type { Violation, Rule, ServiceSubject } from '../../../../src/rules/rule.ts';
import type { RuleResults } from '../../../../src/rules/engine/outcome.ts';
import { validate, type RuleSet } from '../../../../webhook/admission/validate.ts';
import { aFacts } from '../../../support/facts.ts';
import { aReview, type ReviewSaid } from '../../../support/review.ts';
import { aService, type ServiceSaid } from '../../../support/service.ts';

/** Finds every annotation under `fault/`: the rest of the key says of which kind. */
const finder = (name: string, said: Partial<Rule> = {}): Rule => ({
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
      .map(([key, found]) => ({
        field: `metadata.annotations[${key}]`,
        found,
        allowed: 'a',
        fix: 'f',
        ...(key.endsWith('advice') ? { advice: true } : {}),
      })),
  ...said,
});
const failing = (tier: Rule['tier']): Rule => ({
  ...finder(`failing-${tier}`, { tier }),
  check: () => {
    throw new Error('broken');
  },
});

const RULES: RuleSet = { service: [finder('fault'), finder('safety', { tier: 'safety', tunable: false })], node: [] };

interface Judging {
  readonly rules?: RuleSet;
  readonly policy?: Policy;
  readonly expired?: () => boolean;
}

const judged = (
  said: ReviewSaid,
  { rules = RULES, policy = ENFORCE_ALL, expired = () => false }: Judging = {},
): RuleResults => validate(readReview(aReview(said)), { facts: aFacts(), policy, rules, expired });

const named = (findings: RuleResults['refusals']): string[] =>
  findings.map(({ fault }) => `${fault.field}=${fault.found}`);
const inMode = (mode: Mode): Policy => ({ mode: () => mode });

const BAD = { 'fault/a': '1', 'fault/b': '2' };
const bad = aService({ annotations: BAD });

describe('the engine', () => {
  it('refuses a new Service for every fault', () => {
    assert.equal(judged({ object: bad }).refusals.length, 2);
  });

  it('passes a Service without faults in silence', () => {
    assert.deepEqual(judged({ object: aService() }), judged({ operation: 'DELETE', oldObject: bad, object: null }));
  });

  const unheard: Record<string, ReviewSaid> = {
    'a deletion': { operation: 'DELETE', oldObject: bad, object: null },
    'a connection': { operation: 'CONNECT', object: bad },
    'a subresource': { oldObject: aService(), object: bad, subResource: 'status' },
    'another kind': { object: { ...bad, kind: 'Endpoints' } },
    'a kind of another group that is called the same': { object: bad, group: 'serving.knative.dev' },
    'a ClusterIP Service': { object: aService({ annotations: BAD, type: 'ClusterIP' }) },
    'a Service of another class': {
      object: { ...bad, spec: { ...bad.spec, loadBalancerClass: 'alibabacloud.com/nlb' } },
    },
    'a Service of another type': {
      object: aService({
        annotations: { ...BAD, 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-type': 'nlb' },
      }),
    },
    'a Service that another controller claims': {
      object: aService({ annotations: { ...BAD, 'service.beta.kubernetes.io/class': 'nginx-alb' } }),
    },
    'a Service behind a tunnel': {
      object: aService({
        annotations: { ...BAD, 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-tunnel-type': '' },
      }),
    },
    'an update that changes nothing': { oldObject: bad, object: bad },
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
  for (const [sentence, said] of Object.entries(unheard)) {
    it(`has nothing to say about ${sentence}`, () => {
      const { refusals, warnings, unevaluated } = judged(said, {
        rules: { ...RULES, service: [...RULES.service, failing('safety')] },
      });
      assert.deepEqual([refusals, warnings, unevaluated], [[], [], []]);
    });
  }

  const updates: Record<string, { from: ServiceSaid; to: ServiceSaid; refused: string[]; warned: string[] }> = {
    'warns of faults that were there before': {
      from: { annotations: BAD },
      to: { annotations: { ...BAD, other: 'x' } },
      refused: [],
      warned: ['metadata.annotations[fault/a]=1', 'metadata.annotations[fault/b]=2'],
    },
    'refuses the one that is new': {
      from: { annotations: { 'fault/a': '1' } },
      to: { annotations: BAD },
      refused: ['metadata.annotations[fault/b]=2'],
      warned: ['metadata.annotations[fault/a]=1'],
    },
    'refuses the one whose value changes': {
      from: { annotations: BAD },
      to: { annotations: { ...BAD, 'fault/b': '3' } },
      refused: ['metadata.annotations[fault/b]=3'],
      warned: ['metadata.annotations[fault/a]=1'],
    },
    'judges a Service that becomes a load balancer as if it were new': {
      from: { annotations: BAD, type: 'ClusterIP' },
      to: { annotations: BAD },
      refused: ['metadata.annotations[fault/a]=1', 'metadata.annotations[fault/b]=2'],
      warned: [],
    },
    'lets a faulty Service be mended in part': {
      from: { annotations: BAD },
      to: { annotations: { 'fault/a': '1' } },
      refused: [],
      warned: ['metadata.annotations[fault/a]=1'],
    },
    'ratchets rules that protect others, too': {
      from: { annotations: { 'safety/a': '1' } },
      to: { annotations: { 'safety/a': '1', other: 'x' } },
      refused: [],
      warned: ['metadata.annotations[safety/a]=1'],
    },
  };
  for (const [sentence, { from, to, refused, warned }] of Object.entries(updates)) {
    it(sentence, () => {
      const { refusals, warnings, ratcheted } = judged({ oldObject: aService(from), object: aService(to) });
      assert.deepEqual(named(refusals), refused);
      assert.deepEqual(named(warnings), warned);
      assert.equal(ratcheted, warned.length);
    });
  }

  it('does not look away because an object is being deleted', () => {
    const dying = (annotations: Record<string, string>): Service => {
      const service = aService({ annotations });
      return { ...service, metadata: { ...service.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } };
    };
    assert.equal(judged({ oldObject: dying({}), object: dying(BAD) }).refusals.length, 2);
  });

  const modes: Record<string, { policy: Policy; refused: number; warned: number; audited: number }> = {
    'refuses where the policy enforces': { policy: inMode('enforce'), refused: 1, warned: 0, audited: 0 },
    'warns where the policy warns': { policy: inMode('warn'), refused: 0, warned: 1, audited: 0 },
    'notes where the policy audits': { policy: inMode('audit'), refused: 0, warned: 0, audited: 1 },
  };
  for (const [sentence, { policy, refused, warned, audited }] of Object.entries(modes)) {
    it(sentence, () => {
      const outcome = judged({ object: aService({ annotations: { 'fault/a': '1' } }) }, { policy });
      assert.deepEqual(
        [outcome.refusals.length, outcome.warnings.length, outcome.audited.length],
        [refused, warned, audited],
      );
    });
  }

  it('refuses for a rule that protects others, whatever the policy says', () => {
    const object = aService({ annotations: { 'safety/a': '1' } });
    for (const mode of ['warn', 'audit'] as const)
      assert.equal(judged({ object }, { policy: inMode(mode) }).refusals.length, 1);
    assert.equal(judged({ object }, { policy: WARN_ALL }).refusals.length, 1);
  });

  it('says advice as a warning, whatever the policy says', () => {
    const object = aService({ annotations: { 'fault/advice': '1' } });
    for (const mode of ['enforce', 'audit'] as const) {
      const { refusals, warnings } = judged({ object }, { policy: inMode(mode) });
      assert.deepEqual([refusals.length, warnings.length], [0, 1]);
    }
  });

  it('asks the policy about the namespace of the request', () => {
    const asked: string[] = [];
    const policy: Policy = {
      mode: (rule, namespace) => {
        asked.push(`${rule} in ${namespace}`);
        return 'warn';
      },
    };
    judged({ object: aService({ namespace: 'bank', annotations: { 'fault/a': '1' } }) }, { policy });
    assert.deepEqual(asked, ['fault in bank']);
  });

  it('hears the other rules when one fails', () => {
    const rules = { ...RULES, service: [failing('hygiene'), ...RULES.service, failing('safety')] };
    const { refusals, unevaluated } = judged({ object: bad }, { rules });
    assert.equal(refusals.length, 2);
    assert.deepEqual(
      unevaluated.map(({ rule }) => [rule.name, rule.tier]),
      [
        ['failing-hygiene', 'hygiene'],
        ['failing-safety', 'safety'],
      ],
    );
  });

  it('evaluates no rule once the time is used up, at which it looks before every eighth', () => {
    let looks = 0;
    const expired = (): boolean => (looks += 1) > 1;
    const service = Array.from({ length: 20 }, (_, index) => ({ ...finder('fault'), name: `rule-${index + 1}` }));
    const { refusals, unevaluated } = judged({ object: bad }, { expired, rules: { ...RULES, service } });
    assert.deepEqual([...new Set(refusals.map(({ rule }) => rule.name))].length, 8);
    assert.deepEqual(
      unevaluated.map(({ rule }) => rule.name),
      service.slice(8).map(({ name }) => name),
    );
    assert.equal(looks, 2);
  });

  it('evaluates none at all where there was no time from the start', () => {
    const { refusals, unevaluated } = judged({ object: bad }, { expired: () => true });
    assert.deepEqual([refusals.length, unevaluated.length], [0, RULES.service.length]);
  });

  it('does not let a failing rule hold up an update that may not be refused', () => {
    const marked = (hash: string): Service => aService({ labels: { 'service.beta.kubernetes.io/hash': hash } });
    const rules = { ...RULES, service: [failing('safety')] };
    const { unevaluated } = judged({ oldObject: marked('a'), object: marked('b') }, { rules });
    assert.deepEqual(
      unevaluated.map(({ rule }) => rule.tier),
      ['hygiene'],
    );
  });

  it('refuses nothing of which it cannot be told whether the stored object had it', () => {
    const unsure = (said: Partial<Rule>): Rule => {
      const rule = finder('fault', said);
      const check: Rule['check'] = (subject, facts, policy) => {
        if (subject.before === undefined) throw new Error('broken');
        return rule.check(subject, facts, policy);
      };
      return { ...rule, check };
    };
    const update = { oldObject: bad, object: aService({ annotations: { ...BAD, other: 'x' } }) };
    const hygiene = judged(update, { rules: { ...RULES, service: [unsure({})] } });
    assert.deepEqual([hygiene.refusals.length, hygiene.warnings.length], [0, 2]);
    const safety = judged(update, { rules: { ...RULES, service: [unsure({ tier: 'safety', tunable: false })] } });
    assert.deepEqual([safety.refusals.length, safety.unevaluated.map(({ rule }) => rule.tier)], [0, ['safety']]);
  });

  it('refuses no fault that was there before when the time is used up in between', () => {
    let left = RULES.service.length;
    const update = { oldObject: bad, object: aService({ annotations: { ...BAD, other: 'x' } }) };
    const { refusals, warnings } = judged(update, { expired: () => (left -= 1) < 0 });
    assert.deepEqual([refusals.length, warnings.length], [0, 2]);
  });

  const anyFaults = fc.dictionary(
    fc.constantFrom('fault/a', 'fault/b', 'safety/a', 'fault/advice', 'other'),
    fc.constantFrom('1', '2'),
  );
  it('refuses an update for exactly the faults that the stored object does not have', () => {
    fc.assert(
      fc.property(anyFaults, anyFaults, (from, to) => {
        const { refusals } = judged({
          oldObject: aService({ annotations: from }),
          object: aService({ annotations: to }),
        });
        const fresh = Object.entries(to).filter(
          ([key, value]) => key.includes('/') && !key.endsWith('advice') && from[key] !== value,
        );
        assert.deepEqual(
          new Set(named(refusals)),
          new Set(fresh.map(([key, value]) => `metadata.annotations[${key}]=${value}`)),
        );
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});
