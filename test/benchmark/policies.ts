import type { LoadBalancerPolicySpec } from '../../src/policy/resource.ts';
import { defaultsBy } from '../../webhook/mutate/defaults.ts';
import { mutate } from '../../webhook/mutate/mutate.ts';
import { readReview, type AdmissionRequest } from '../../webhook/admission/review.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { resultOf, type AdmissionDecision } from '../../webhook/admission/response.ts';
import { aFacts } from '../support/facts.ts';
import { aBook, type TestBook } from '../support/policy-cache.ts';
import { anException, aPolicy } from '../support/policy.ts';
import { aReview } from '../support/review.ts';
import { policySpecs, specOf } from './policy-set.ts';
import { microseconds } from './microseconds.ts';
import { FAULTY, RICH } from './rich-service.ts';

/** As many as a large cluster may have. */
const MANY = 500;
const MANY_EXCEPTIONS = 5_000;

/** One of which a Service without a list breaks two constraints, in as many policies as there are. */
const strict = (n: number): LoadBalancerPolicySpec => ({
  constraints: [
    { name: 'names', require: [{ annotation: 'name', oneOf: [`shop-${n}-*`] }] },
    { name: 'certificates', require: [{ annotation: 'cert-id', noneOf: ['wr*', `c${n}`] }] },
  ],
});

const strictSpecs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, strict(n)] as const));

/** So many of the same kinds of which the Service with every fault breaks none. */
function metSpecs(count: number): Readonly<Record<string, LoadBalancerPolicySpec>> {
  const faults = causesOf({});
  const met: Record<string, LoadBalancerPolicySpec> = {};
  for (let n = 0; Object.keys(met).length < count; n++) {
    const named = { [`p${n}`]: specOf(n) };
    if (causesOf(named) === faults) Object.assign(met, named);
  }
  return met;
}

/** How many faults the Service with every fault has where these are in force. */
function causesOf(policies: Readonly<Record<string, LoadBalancerPolicySpec>>): number {
  const context = { facts: aFacts(), policy: aBook({ policies }).book, rules: ALL_RULES, expired: () => false };
  const request = requestOf(FAULTY);
  return resultOf(request, validate(request, context)).answer.status?.details?.causes.length ?? 0;
}

const exceptions = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    anException(`e${n}`, { rule: 'annotation-value', object: { namespace: `ns-${n}`, name: 'web' } }),
  );

export interface PolicyCosts {
  /** From the request to the verdict on a Service with 22 annotations and no fault, with 100 policies about its namespace; µs. */
  readonly valid: number;
  /** The same with every value wrong, which breaks none of them; µs. */
  readonly faulty: number;
  /** The same where some of them find faults, too; µs, and how many more. */
  readonly broken: { readonly cost: number; readonly more: number };
  /** The same where 100 more policies find 200 faults more; µs. */
  readonly broadlyBroken: number;
  /** Defaults and deprecated keys of the first; µs. */
  readonly mutate: number;
  /** The first of these with 500 policies and 5,000 exceptions; µs. */
  readonly many: number;
  /** Reading one policy of 500 anew, and the first verdict after it; µs. */
  readonly change: number;
  /** Reading 500 policies and 5,000 exceptions, up to the first verdict; ms. */
  readonly compile: number;
  /** What is held of them beside the objects; MiB. */
  readonly heldMiB: number;
}

const requestOf = (object: object): AdmissionRequest => readReview(JSON.parse(JSON.stringify(aReview({ object }))));

function verdictWith({ book }: TestBook, object: object, expected: AdmissionDecision): () => unknown {
  const context = { facts: aFacts(), policy: book, rules: ALL_RULES, expired: () => false };
  const request = requestOf(object);
  const { decision, answer } = resultOf(request, validate(request, context));
  if (decision !== expected) throw new Error(JSON.stringify(answer));
  return () => resultOf(request, validate(request, context));
}

const heapMiB = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

/** Reads policies and exceptions that are there, as a process does that starts. */
function started(): Pick<PolicyCosts, 'compile' | 'heldMiB'> & { readonly many: TestBook } {
  const policies = Object.entries(policySpecs(MANY)).map(([name, spec]) => aPolicy(name, spec));
  const all = { policies, exceptions: exceptions(MANY_EXCEPTIONS) };
  const before = heapMiB();
  const since = process.cpuUsage();
  const many = aBook(all);
  verdictWith(many, RICH, 'allowed')();
  const { user, system } = process.cpuUsage(since);
  return { many, compile: (user + system) / 1_000, heldMiB: heapMiB() - before };
}

export function policyCosts(): PolicyCosts {
  const { many, ...held } = started();
  const hundred = aBook({ policies: policySpecs(100) });
  const met = aBook({ policies: metSpecs(100) });
  const twoHundred = aBook({ policies: { ...policySpecs(100), ...strictSpecs(100) } });
  const facts = aFacts();
  const request = requestOf(RICH);
  const verdict = verdictWith(many, RICH, 'allowed');
  let generation = 1;
  const change = (): unknown => {
    const policy = aPolicy('p7', specOf(7));
    many.book.putPolicy({ ...policy, metadata: { ...policy.metadata, generation: ++generation } });
    return verdict();
  };
  return {
    ...held,
    valid: microseconds(verdictWith(hundred, RICH, 'allowed')),
    faulty: microseconds(verdictWith(met, FAULTY, 'denied'), 5_000),
    broken: {
      cost: microseconds(verdictWith(hundred, FAULTY, 'denied'), 5_000),
      more: causesOf(policySpecs(100)) - causesOf({}),
    },
    broadlyBroken: microseconds(verdictWith(twoHundred, FAULTY, 'denied'), 2_000),
    mutate: microseconds(() => mutate(request, 'auto', defaultsBy(hundred.book, facts))),
    many: microseconds(verdict),
    change: microseconds(change, 20),
  };
}
