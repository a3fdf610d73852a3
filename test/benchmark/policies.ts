import type { LoadBalancerPolicySpec } from '../../src/policy/resource.ts';
import { mutate } from '../../webhook/mutate.ts';
import { readReview, type AdmissionRequest } from '../../webhook/review.ts';
import { ALL_RULES, validate } from '../../webhook/validate.ts';
import { verdictOf, type Decision } from '../../webhook/verdict.ts';
import { aFacts } from '../support/facts.ts';
import { aBook, type TestBook } from '../support/policy-book.ts';
import { anException, aPolicy } from '../support/policy.ts';
import { aReview } from '../support/review.ts';
import { FAULTY, RICH } from './rich-service.ts';

const ROUNDS = 9;
const TURNS = 20_000;

/** Microseconds of processor time a turn, the median of some rounds. */
function microseconds(turn: () => unknown, turns = TURNS): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const since = process.cpuUsage();
    for (let n = 0; n < turns; n++) turn();
    const { user, system } = process.cpuUsage(since);
    return (user + system) / turns;
  });
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? NaN;
}

/** A policy of a platform team, each a little different from the others. */
const spec = (n: number): LoadBalancerPolicySpec => ({
  match: { namespaceSelector: { matchLabels: { team: 'shop' } } },
  rules: [{ rule: 'target-port', mode: 'warn' }],
  constraints: [
    {
      name: 'public-needs-list',
      when: [{ annotation: 'address-type', oneOf: ['internet'] }],
      require: [{ annotation: 'acl-status', oneOf: ['on'] }],
    },
    { name: 'bandwidth', require: [{ annotation: 'bandwidth', max: 5_000 - n }] },
    { name: 'specifications', require: [{ annotation: 'spec', noneOf: ['slb.s9.*', `slb.x${n}`] }] },
    { name: 'ports', require: [{ field: 'port', max: 60_000 + n }] },
    { name: 'names', require: [{ annotation: 'name', oneOf: ['${namespace}-*'] }] },
  ],
  defaults: [{ annotation: 'address-type', value: 'intranet' }],
  quotas: [{ name: 'few', per: 'namespace', loadBalancers: 1_000 + n }],
});

const policies = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, spec(n)] as const));
const exceptions = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    anException(`e${n}`, { rule: 'annotation-value', object: { namespace: `ns-${n}`, name: 'web' } }),
  );

export interface PolicyCosts {
  /** From the request to the verdict on a Service with 22 annotations and no fault, with 100 policies about its namespace; µs. */
  readonly valid: number;
  /** The same with every value wrong; µs. */
  readonly faulty: number;
  /** Defaults and deprecated keys of the same; µs. */
  readonly mutate: number;
  /** The first of these with 500 policies and 5,000 exceptions; µs. */
  readonly many: number;
  /** Reading one policy of 500 anew, and the first verdict after it; µs. */
  readonly change: number;
}

const requestOf = (object: object): AdmissionRequest => readReview(JSON.parse(JSON.stringify(aReview({ object }))));

function verdictWith({ book }: TestBook, object: object, expected: Decision): () => unknown {
  const context = { facts: aFacts(), policy: book, rules: ALL_RULES, expired: () => false };
  const request = requestOf(object);
  const { decision, answer } = verdictOf(request, validate(request, context));
  if (decision !== expected) throw new Error(JSON.stringify(answer));
  return () => verdictOf(request, validate(request, context));
}

export function policyCosts(): PolicyCosts {
  const hundred = aBook({ policies: policies(100) });
  const facts = aFacts();
  const request = requestOf(RICH);
  const many = aBook({ policies: policies(500), exceptions: exceptions(5_000) });
  const verdict = verdictWith(many, RICH, 'allowed');
  let generation = 1;
  const change = (): unknown => {
    const policy = aPolicy('p7', spec(7));
    many.book.putPolicy({ ...policy, metadata: { ...policy.metadata, generation: ++generation } });
    return verdict();
  };
  return {
    valid: microseconds(verdictWith(hundred, RICH, 'allowed')),
    faulty: microseconds(verdictWith(hundred, FAULTY, 'refused'), 2_000),
    mutate: microseconds(() => mutate(request, 'auto', (object) => hundred.book.fillingsFor(object, facts))),
    many: microseconds(verdict),
    change: microseconds(change, 20),
  };
}
