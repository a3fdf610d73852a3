import fastJsonPatch from 'fast-json-patch';
import { PortcullisError } from '../../src/base/errors.ts';
import { ENFORCE_ALL } from '../../src/policy/policy-decisions.ts';
import { parseBody } from '../../webhook/server/parse-body.ts';
import { mutate } from '../../webhook/mutate/mutate.ts';
import { readReview, type AdmissionRequest, type AdmissionResponse } from '../../webhook/admission/admission-review.ts';
import type { RuleResults } from '../../src/rules/engine/rule-results.ts';
import { ALL_RULES, validate, type RuleSet } from '../../webhook/admission/validate.ts';
import { resultOf, type AdmissionResult } from '../../webhook/admission/response.ts';
import { aFacts } from '../support/facts.ts';

/** The results of `/mutate` and `/validate` for one request. */
export interface WebhookOutput {
  readonly request: AdmissionRequest;
  readonly mutation: AdmissionResponse;
  /** The object after the mutation. */
  readonly mutated: unknown;
  readonly outcome: RuleResults;
  readonly verdict: AdmissionResult;
}

/** Facts about the cloud: a load balancer that may be reused, and one that may not. */
export const KNOWN = aFacts({ loadBalancers: { 'lb-bp1hfycf39bbeb019pg7m': {}, 'lb-a': { owner: 'api-server' } } });

/** Calls the webhook in this process as the API server does: mutates, applies the patch, and validates. Throws the webhook's errors. */
export function ask(body: Buffer, rules: RuleSet = ALL_RULES): WebhookOutput {
  const request = readReview(parseBody(body));
  const mutation = mutate(request, 'auto');
  const mutated = (mutation.patch ?? []).length === 0 ? request.object : patched(body, mutation);
  const context = { facts: KNOWN, policy: ENFORCE_ALL, rules, expired: () => false };
  const outcome = validate({ ...request, object: mutated }, context);
  return { request, mutation, mutated, outcome, verdict: resultOf(request, outcome) };
}

/** Parses the object again and patches it in place, because the patch library cannot copy deeply nested objects safely. */
function patched(body: Buffer, { patch = [] }: AdmissionResponse): unknown {
  const { object } = readReview(parseBody(body));
  return fastJsonPatch.applyPatch(object, patch as fastJsonPatch.Operation[], true, true).newDocument;
}

/** Returns whether an error means an unreadable review or object. The caller then gets HTTP 400. */
export const isUnreadable = (error: unknown): boolean => error instanceof PortcullisError && error.reason === 'Invalid';
