import fastJsonPatch from 'fast-json-patch';
import { PortcullisError } from '../../src/base/errors.ts';
import { ENFORCE_ALL } from '../../src/policy/policy.ts';
import { readBody } from '../../webhook/server/body.ts';
import { mutate } from '../../webhook/mutate/mutate.ts';
import { readReview, type AdmissionRequest, type AdmissionResponse } from '../../webhook/admission/review.ts';
import type { RuleResults } from '../../src/rules/engine/outcome.ts';
import { ALL_RULES, validate, type RuleSet } from '../../webhook/admission/validate.ts';
import { resultOf, type AdmissionResult } from '../../webhook/admission/response.ts';
import { aFacts } from '../support/facts.ts';

/** What the webhook's two paths say to one request. */
export interface Said {
  readonly request: AdmissionRequest;
  readonly mutation: AdmissionResponse;
  /** The object once the mutation is carried out. */
  readonly mutated: unknown;
  readonly outcome: RuleResults;
  readonly verdict: AdmissionResult;
}

/** What is known of the cloud: a load balancer that may be reused, and one that may not. */
export const KNOWN = aFacts({ loadBalancers: { 'lb-bp1hfycf39bbeb019pg7m': {}, 'lb-a': { owner: 'api-server' } } });

/** As the API server does it: mutation, then what it asks for, then validation. Throws what the webhook throws. */
export function ask(body: Buffer, rules: RuleSet = ALL_RULES): Said {
  const request = readReview(readBody(body));
  const mutation = mutate(request, 'auto');
  const mutated = (mutation.patch ?? []).length === 0 ? request.object : patched(body, mutation);
  const context = { facts: KNOWN, policy: ENFORCE_ALL, rules, expired: () => false };
  const outcome = validate({ ...request, object: mutated }, context);
  return { request, mutation, mutated, outcome, verdict: resultOf(request, outcome) };
}

/** The object read anew and changed in place: copying one of any depth takes more care than the patch library has. */
function patched(body: Buffer, { patch = [] }: AdmissionResponse): unknown {
  const { object } = readReview(readBody(body));
  return fastJsonPatch.applyPatch(object, patch as fastJsonPatch.Operation[], true, true).newDocument;
}

/** Whether the webhook says by this that what it was sent is no review, or no object of its kind; the caller gets HTTP 400. */
export const isUnreadable = (error: unknown): boolean => error instanceof PortcullisError && error.reason === 'Invalid';
