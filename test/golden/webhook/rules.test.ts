import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ENFORCE_ALL } from '../../../src/policy/policy.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../../../src/policy/resource.ts';
import type { Labels } from '../../../src/policy/selector.ts';
import { readReview, type AdmissionResponse } from '../../../webhook/admission/review.ts';
import { familyOf } from '../../../src/rules/engine/evaluate.ts';
import { policyRule } from '../../../src/rules/engine/policy-rule.ts';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import { ALL_RULES, validate } from '../../../webhook/admission/validate.ts';
import { resultOf } from '../../../webhook/admission/response.ts';
import { aFacts, type FactsSaid } from '../../support/facts.ts';
import { assertGolden } from '../../support/golden.ts';
import { aBook } from '../../support/policy-cache.ts';
import { aReview, type ReviewSaid } from '../../support/review.ts';

interface KubernetesObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: object;
}

/** What stands in `allow.yaml` and `deny.yaml`: the request, what is known of the cloud, and policies. */
interface Example {
  readonly object: KubernetesObject;
  /** What is stored; absent for a creation. */
  readonly oldObject?: KubernetesObject;
  readonly facts?: FactsSaid;
  /** What the platform team has decided; nothing when absent. */
  readonly policies?: readonly LoadBalancerPolicy[];
  readonly exceptions?: readonly LoadBalancerException[];
  /** Labels by namespace. */
  readonly namespaces?: Readonly<Record<string, Labels>>;
}

const touched = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, 'example.com/team': 'shop' } },
});
const withStatus = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } },
});

/** The six requests that every rule has a verdict on: two that are written, and four that follow from the second. */
const CASES: Record<string, { from: 'allow' | 'deny'; request: (example: Example) => ReviewSaid }> = {
  allow: { from: 'allow', request: (example) => example },
  deny: { from: 'deny', request: (example) => example },
  ratcheted: { from: 'deny', request: ({ object }) => ({ oldObject: object, object: touched(object) }) },
  'status-only': { from: 'deny', request: ({ object }) => ({ oldObject: object, object: withStatus(object) }) },
  delete: { from: 'deny', request: ({ object }) => ({ operation: 'DELETE', oldObject: object, object: null }) },
  'dry-run': { from: 'deny', request: (example) => ({ ...example, dryRun: true }) },
};

const folder = (rule: string): string => join(import.meta.dirname, rule);

function example(rule: string, name: string): Example {
  const file = join(folder(rule), `${name}.yaml`);
  assert.ok(
    existsSync(file),
    `${file} is missing: write an example that the rule ${name === 'deny' ? 'finds' : 'passes'}`,
  );
  return parse(readFileSync(file, 'utf8')) as Example;
}

function judged(said: ReviewSaid, { facts, policies, exceptions = [], namespaces = {} }: Example) {
  const request = readReview(JSON.parse(JSON.stringify(aReview(said))));
  const outcome = validate(request, {
    facts: aFacts(facts),
    policy: policies === undefined ? ENFORCE_ALL : aBook({ policies, exceptions, namespaces }).book,
    rules: ALL_RULES,
    expired: () => false,
  });
  const { decision, answer } = resultOf(request, outcome);
  return { outcome, text: `${[decision, ...told(answer)].join('\n')}\n` };
}

/** Everything that somebody is told, each with who it is. */
const told = ({ status, warnings = [], auditAnnotations = {} }: AdmissionResponse): string[] => [
  ...(status === undefined ? [] : [`${status.code} ${status.reason}: ${status.message}`]),
  ...(status?.details?.causes ?? []).map(({ field, message }) => `cause: ${field}: ${message}`),
  ...warnings.map((warning) => `warning: ${warning}`),
  ...Object.entries(auditAnnotations).map(([key, value]) => `audit: ${key}=${value}`),
];

describe('golden reviews', () => {
  const rules = [...SERVICE_RULES, policyRule, ...NODE_RULES].map(({ name }) => name);

  it('are there for every rule and for nothing else', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(folders.map(({ name }) => name).sort(), rules.toSorted());
  });

  for (const rule of rules) {
    describe(rule, () => {
      for (const [name, { from, request }] of Object.entries(CASES)) {
        it(name, () => {
          const written = example(rule, from);
          assertGolden(join(folder(rule), `${name}.txt`), judged(request(written), written).text);
        });
      }

      it('finds what it is for, and nothing in its own good example', () => {
        const found = (name: 'allow' | 'deny'): string[] => {
          const written = example(rule, name);
          const { denials, warnings } = judged(written, written).outcome;
          return [...denials, ...warnings].map((finding) => familyOf(finding.rule));
        };
        assert.ok(found('deny').includes(rule));
        assert.ok(!found('allow').includes(rule));
      });
    });
  }
});
