import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AdmissionResponse } from '../../../webhook/admission/admission-review.ts';
import { familyOf } from '../../../src/rules/engine/evaluate.ts';
import { policyRule } from '../../../src/rules/engine/policy-rule.ts';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import { assertGolden } from '../../support/golden.ts';
import { goldenFolder, goldenResult, goldenReview, type GoldenReview } from '../../support/golden-review.ts';
import type { ReviewInput } from '../../support/review.ts';

const touched = (object: GoldenReview['object']): GoldenReview['object'] => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, 'example.com/team': 'shop' } },
});
const withStatus = (object: GoldenReview['object']): GoldenReview['object'] => ({
  ...object,
  status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } },
});

/** The six requests for each rule: the requests of allow.yaml and deny.yaml, and four that derive from deny.yaml. */
const CASES: Record<string, { from: 'allow' | 'deny'; request: (example: GoldenReview) => ReviewInput }> = {
  allow: { from: 'allow', request: (example) => example },
  deny: { from: 'deny', request: (example) => example },
  ratcheted: { from: 'deny', request: ({ object }) => ({ oldObject: object, object: touched(object) }) },
  'status-only': { from: 'deny', request: ({ object }) => ({ oldObject: object, object: withStatus(object) }) },
  delete: { from: 'deny', request: ({ object }) => ({ operation: 'DELETE', oldObject: object, object: null }) },
  'dry-run': { from: 'deny', request: (example) => ({ ...example, dryRun: true }) },
};

function evaluated(input: ReviewInput, review: GoldenReview) {
  const { decision, answer, outcome } = goldenResult(input, review);
  return { outcome, text: `${[decision, ...linesOf(answer)].join('\n')}\n` };
}

/** Returns the parts of a response as lines: status, causes, warnings and audit annotations. */
const linesOf = ({ status, warnings = [], auditAnnotations = {} }: AdmissionResponse): string[] => [
  ...(status === undefined ? [] : [`${status.code} ${status.reason}: ${status.message}`]),
  ...(status?.details?.causes ?? []).map(({ reason, field, message }) => `cause ${reason}: ${field}: ${message}`),
  ...warnings.map((warning) => `warning: ${warning}`),
  ...Object.entries(auditAnnotations).map(([key, value]) => `audit: ${key}=${value}`),
];

/** The golden files show code reviewers every text that users see in a denial or a warning. */
describe('golden reviews', () => {
  const rules = [...SERVICE_RULES, policyRule, ...NODE_RULES].map(({ name }) => name);

  it('exist for every rule, and for nothing else', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(folders.map(({ name }) => name).sort(), rules.toSorted());
  });

  for (const rule of rules) {
    describe(`of the rule ${rule}`, () => {
      for (const [name, { from, request }] of Object.entries(CASES)) {
        it(`get the recorded response: ${name}`, () => {
          const written = goldenReview(rule, from);
          assertGolden(join(goldenFolder(rule), `${name}.txt`), evaluated(request(written), written).text);
        });
      }

      it('report the violation in deny.yaml, and none in allow.yaml', () => {
        const found = (name: 'allow' | 'deny'): string[] => {
          const written = goldenReview(rule, name);
          const { denials, warnings } = evaluated(written, written).outcome;
          return [...denials, ...warnings].map((finding) => familyOf(finding.rule));
        };
        assert.ok(found('deny').includes(rule));
        assert.ok(!found('allow').includes(rule));
      });
    });
  }
});
