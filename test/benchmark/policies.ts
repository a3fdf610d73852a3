import type { LoadBalancerPolicySpec } from '../../src/policy/custom-resources.ts';
import { defaultsBy } from '../../webhook/mutate/policy-defaults.ts';
import { mutate } from '../../webhook/mutate/mutate.ts';
import { readReview, type AdmissionRequest } from '../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { resultOf, type AdmissionDecision } from '../../webhook/admission/response.ts';
import { aFacts } from '../support/facts.ts';
import { aPolicyCache, type TestPolicyCache } from '../support/policy-cache.ts';
import { anException, aPolicy } from '../support/policy.ts';
import { aReview } from '../support/review.ts';
import { policySpecs, specOf } from './policy-set.ts';
import { microseconds } from './microseconds.ts';
import { FAULTY, RICH } from './rich-service.ts';

/** The number of policies in a large cluster. */
const MANY = 500;
const MANY_EXCEPTIONS = 5_000;

/** Returns a policy of which the Service with every value invalid violates two constraints. */
const strict = (n: number): LoadBalancerPolicySpec => ({
  constraints: [
    { name: 'names', require: [{ annotation: 'name', oneOf: [`shop-${n}-*`] }] },
    { name: 'certificates', require: [{ annotation: 'cert-id', noneOf: ['wr*', `c${n}`] }] },
  ],
});

const strictSpecs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, strict(n)] as const));

/** Returns `count` policies of `specOf` that the Service with every value invalid satisfies. */
function metSpecs(count: number): Readonly<Record<string, LoadBalancerPolicySpec>> {
  const faults = causesOf({});
  const met: Record<string, LoadBalancerPolicySpec> = {};
  for (let n = 0; Object.keys(met).length < count; n++) {
    const named = { [`p${n}`]: specOf(n) };
    if (causesOf(named) === faults) Object.assign(met, named);
  }
  return met;
}

/** Returns the number of violations of the Service with every value invalid, under these policies. */
function causesOf(policies: Readonly<Record<string, LoadBalancerPolicySpec>>): number {
  const context = {
    facts: aFacts(),
    policy: aPolicyCache({ policies }).policyCache,
    rules: ALL_RULES,
    expired: () => false,
  };
  const request = requestOf(FAULTY);
  return resultOf(request, validate(request, context)).answer.status?.details?.causes.length ?? 0;
}

const exceptions = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    anException(`e${n}`, { rule: 'annotation-value', object: { namespace: `ns-${n}`, name: 'web' } }),
  );

export interface PolicyCosts {
  /** The cost of the decision about a Service with 22 annotations and no violations, with 100 policies for its namespace; in µs. */
  readonly valid: number;
  /** The cost with every value invalid, but no policy violated; in µs. */
  readonly faulty: number;
  /** Cost like `faulty` with some violated policies in µs, and the number of additional violations. */
  readonly broken: { readonly cost: number; readonly more: number };
  /** Cost like `faulty` with 100 further policies and their 200 violations; in µs. */
  readonly broadlyBroken: number;
  /** The cost of the mutation of the first Service, with defaults and deprecated keys; in µs. */
  readonly mutate: number;
  /** Cost like `valid` with 500 policies and 5,000 exceptions; in µs. */
  readonly many: number;
  /** The cost of a change of one of 500 policies, and of the next decision; in µs. */
  readonly change: number;
  /** The time until the first decision of a process that reads 500 policies and 5,000 exceptions; in ms. */
  readonly compile: number;
  /** The memory of the policies in addition to the objects; in MiB. */
  readonly retainedMiB: number;
}

const requestOf = (object: object): AdmissionRequest => readReview(JSON.parse(JSON.stringify(aReview({ object }))));

function verdictWith({ policyCache }: TestPolicyCache, object: object, expected: AdmissionDecision): () => unknown {
  const context = { facts: aFacts(), policy: policyCache, rules: ALL_RULES, expired: () => false };
  const request = requestOf(object);
  const { decision, answer } = resultOf(request, validate(request, context));
  if (decision !== expected) throw new Error(JSON.stringify(answer));
  return () => resultOf(request, validate(request, context));
}

const heapMiB = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

/** Reads the policies and exceptions of a cluster, as a starting process does. */
function started(): Pick<PolicyCosts, 'compile' | 'retainedMiB'> & { readonly many: TestPolicyCache } {
  const policies = Object.entries(policySpecs(MANY)).map(([name, spec]) => aPolicy(name, spec));
  const all = { policies, exceptions: exceptions(MANY_EXCEPTIONS) };
  const before = heapMiB();
  const since = process.cpuUsage();
  const many = aPolicyCache(all);
  verdictWith(many, RICH, 'allowed')();
  const { user, system } = process.cpuUsage(since);
  return { many, compile: (user + system) / 1_000, retainedMiB: heapMiB() - before };
}

/** Measures decisions and mutations with many policies, in this process. The benchmark `policies` of run.ts calls it. */
export function policyCosts(): PolicyCosts {
  const { many, ...state } = started();
  const hundred = aPolicyCache({ policies: policySpecs(100) });
  const met = aPolicyCache({ policies: metSpecs(100) });
  const twoHundred = aPolicyCache({ policies: { ...policySpecs(100), ...strictSpecs(100) } });
  const facts = aFacts();
  const request = requestOf(RICH);
  const verdict = verdictWith(many, RICH, 'allowed');
  let generation = 1;
  const change = (): unknown => {
    const policy = aPolicy('p7', specOf(7));
    many.policyCache.putPolicy({ ...policy, metadata: { ...policy.metadata, generation: ++generation } });
    return verdict();
  };
  return {
    ...state,
    valid: microseconds(verdictWith(hundred, RICH, 'allowed')),
    faulty: microseconds(verdictWith(met, FAULTY, 'denied'), 5_000),
    broken: {
      cost: microseconds(verdictWith(hundred, FAULTY, 'denied'), 5_000),
      more: causesOf(policySpecs(100)) - causesOf({}),
    },
    broadlyBroken: microseconds(verdictWith(twoHundred, FAULTY, 'denied'), 2_000),
    mutate: microseconds(() => mutate(request, 'auto', defaultsBy(hundred.policyCache, facts))),
    many: microseconds(verdict),
    change: microseconds(change, 20),
  };
}
