import { ENFORCE_ALL } from '../../src/policy/policy.ts';
import { readReview } from '../../webhook/admission/review.ts';
import { mutate } from '../../webhook/mutate/mutate.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { resultOf, type AdmissionDecision, type AdmissionResult } from '../../webhook/admission/response.ts';
import { aFacts } from '../support/facts.ts';
import { aReview, type ReviewInput } from '../support/review.ts';
import { microseconds } from './microseconds.ts';
import { FAULTY, OTHER, RICH } from './rich-service.ts';

export interface EngineCosts {
  /** The cost of the decision about a Service with 22 annotations and no violations, in µs. */
  readonly valid: number;
  /** Cost like `valid` for two Services in turn, so that no result of the previous review can be reused; in µs. */
  readonly varied: number;
  /** The cost of an update that corrects every value, in µs. */
  readonly update: number;
  /** The cost with every value invalid, including all messages, in µs. */
  readonly faulty: number;
  /** The cost of the search for deprecated keys in a Service without them, in µs. */
  readonly mutate: number;
}

export function engineCosts(): EngineCosts {
  const context = { facts: aFacts(), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
  /** Measures the decision about several reviews in rotation. */
  const verdictOn = (expected: AdmissionDecision, ...input: readonly ReviewInput[]): number => {
    // The objects come from `JSON.parse`, as in a review, because the compiler optimizes literals.
    const requests = input.map((each) => readReview(JSON.parse(JSON.stringify(aReview(each)))));
    const verdicts = (): readonly AdmissionResult[] =>
      requests.map((request) => resultOf(request, validate(request, context)));
    for (const { decision, answer } of verdicts()) {
      if (decision !== expected || answer.warnings !== undefined) throw new Error(JSON.stringify(answer));
    }
    return microseconds(verdicts) / requests.length;
  };
  const request = readReview(JSON.parse(JSON.stringify(aReview({ object: RICH }))));
  return {
    valid: verdictOn('allowed', { object: RICH }),
    varied: verdictOn('allowed', { object: RICH }, { object: OTHER }),
    update: verdictOn('allowed', { object: RICH, oldObject: FAULTY }),
    faulty: verdictOn('denied', { object: FAULTY }),
    mutate: microseconds(() => mutate(request, 'auto')),
  };
}
