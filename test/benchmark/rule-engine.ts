import { ENFORCE_ALL } from '../../src/policy/policy-decisions.ts';
import { readReview } from '../../webhook/admission/admission-review.ts';
import { mutate } from '../../webhook/mutate/mutate.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { resultOf, type AdmissionDecision, type AdmissionResult } from '../../webhook/admission/response.ts';
import { aFacts } from '../support/facts.ts';
import { aReview, type ReviewInput } from '../support/review.ts';
import { microseconds } from './microseconds.ts';
import { FAULTY, OTHER, RICH } from './rich-service.ts';

/** Processor time per review, in microseconds. */
export interface EngineCosts {
  /** The decision about a Service with 22 annotations and no violations. */
  readonly valid: number;
  /** Like `valid`, for two Services in turn, so that no result of the previous review can be reused. */
  readonly varied: number;
  /** The decision about an update that corrects every value. */
  readonly update: number;
  /** The decision about a Service with every value invalid, including all messages. */
  readonly faulty: number;
  /** The search for deprecated keys in a Service without them. */
  readonly mutate: number;
}

/** Measures the rules and the mutation in this process, without a server. The benchmark `engine` of run.ts calls it. */
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
