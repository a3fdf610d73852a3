import { ENFORCE_ALL } from '../../src/policy/policy.ts';
import { readReview } from '../../webhook/admission/review.ts';
import { mutate } from '../../webhook/mutate/mutate.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { resultOf, type AdmissionDecision, type AdmissionResult } from '../../webhook/admission/response.ts';
import { aFacts } from '../support/facts.ts';
import { aReview, type ReviewSaid } from '../support/review.ts';
import { microseconds } from './microseconds.ts';
import { FAULTY, OTHER, RICH } from './rich-service.ts';

export interface EngineCosts {
  /** From the request to the verdict on a Service with 22 annotations and no fault; µs. */
  readonly valid: number;
  /** The same, of two in turn whose values differ: no text has been read just before; µs. */
  readonly varied: number;
  /** The same in an update that puts every value right; µs. */
  readonly update: number;
  /** The same with every value wrong, all that is told included; µs. */
  readonly faulty: number;
  /** Looking for deprecated keys where there are none; µs. */
  readonly mutate: number;
}

export function engineCosts(): EngineCosts {
  const context = { facts: aFacts(), policy: ENFORCE_ALL, rules: ALL_RULES, expired: () => false };
  /** Of several, each in its turn. */
  const verdictOn = (expected: AdmissionDecision, ...said: readonly ReviewSaid[]): number => {
    // Objects as a review has them: out of JSON, without a shape that the compiler knows.
    const requests = said.map((each) => readReview(JSON.parse(JSON.stringify(aReview(each)))));
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
