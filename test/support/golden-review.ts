import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ENFORCE_ALL } from '../../src/policy/policy-decisions.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../../src/policy/custom-resources.ts';
import type { Labels } from '../../src/policy/selector.ts';
import type { RuleResults } from '../../src/rules/engine/rule-results.ts';
import { resultOf, type AdmissionResult } from '../../webhook/admission/response.ts';
import { readReview } from '../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../webhook/admission/validate.ts';
import { aFacts, type FactsInput } from './facts.ts';
import { aPolicyCache } from './policy-cache.ts';
import { aReview, type ReviewInput } from './review.ts';

interface KubernetesObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: object;
}

/** The content of `allow.yaml` and `deny.yaml` in a folder of test/golden/webhook: the request, the facts about the cloud, and policies. */
export interface GoldenReview {
  readonly object: KubernetesObject;
  /** The stored object; absent for a creation. */
  readonly oldObject?: KubernetesObject;
  readonly facts?: FactsInput;
  readonly policies?: readonly LoadBalancerPolicy[];
  readonly exceptions?: readonly LoadBalancerException[];
  /** The labels by namespace. */
  readonly namespaces?: Readonly<Record<string, Labels>>;
}

/** The folder of a rule. */
export const goldenFolder = (rule: string): string => join(import.meta.dirname, '../golden/webhook', rule);

/** Reads one of the two reviews of a rule. */
export function goldenReview(rule: string, name: 'allow' | 'deny'): GoldenReview {
  const file = join(goldenFolder(rule), `${name}.yaml`);
  assert.ok(
    existsSync(file),
    `${file} is missing: write an example that the rule ${name === 'deny' ? 'finds' : 'passes'}`,
  );
  return parse(readFileSync(file, 'utf8')) as GoldenReview;
}

/** Returns the response of the webhook, and the findings. */
export function goldenResult(
  input: ReviewInput,
  { facts, policies, exceptions = [], namespaces = {} }: GoldenReview,
): AdmissionResult & { readonly outcome: RuleResults } {
  const request = readReview(JSON.parse(JSON.stringify(aReview(input))));
  const outcome = validate(request, {
    facts: aFacts(facts),
    policy: policies === undefined ? ENFORCE_ALL : aPolicyCache({ policies, exceptions, namespaces }).policyCache,
    rules: ALL_RULES,
    expired: () => false,
  });
  return { ...resultOf(request, outcome), outcome };
}
