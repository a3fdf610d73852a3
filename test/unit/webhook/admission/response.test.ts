import assert from 'node:assert/strict';
import { readReview, type AdmissionResponse } from '../../../../webhook/admission/admission-review.ts';
import type { Finding } from '../../../../src/rules/engine/evaluate.ts';
import type { RuleResults } from '../../../../src/rules/engine/rule-results.ts';
import { resultOf } from '../../../../webhook/admission/response.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

const finding = (input: Partial<Finding['violation']> = {}): Finding => ({
  rule: { name: 'some-rule', tier: 'hygiene', tunable: true },
  violation: { field: 'spec.x', reason: 'Invalid', value: 'y', detail: 'must be z', remedy: 'write z', ...input },
});
const many = (count: number): Finding[] => Array.from({ length: count }, (_, n) => finding({ field: `spec.x[${n}]` }));
const NO_FINDINGS: RuleResults = { denials: [], warnings: [], audited: [], ratcheted: 0, unevaluated: [] };
const request = readReview(aReview({ object: aService() }));
const answer = (outcome: Partial<RuleResults>): AdmissionResponse =>
  resultOf(request, { ...NO_FINDINGS, ...outcome }).answer;

/** kubectl and tools parse the response, whose size the API server limits. */
describe('an admission response', () => {
  it('without findings only allows the request', () => assert.deepEqual(answer({}), { allowed: true }));

  it('that denies is like Kubernetes validation, with all violations in message and causes', () => {
    const message = 'Invalid value: "y": must be z; write z [some-rule]';
    assert.deepEqual(answer({ denials: [finding()] }), {
      allowed: false,
      status: {
        status: 'Failure',
        code: 422,
        reason: 'Invalid',
        message: `Service shop/web is invalid:\n* spec.x: ${message}`,
        details: {
          group: '',
          kind: 'Service',
          name: 'web',
          causes: [{ reason: 'FieldValueInvalid', field: 'spec.x', message }],
        },
      },
      auditAnnotations: { decision: 'denied', denied: 'some-rule' },
    });
  });

  it('names an object without a name by its prefix', () => {
    const object = { ...aService(), metadata: { namespace: 'shop', generateName: 'web-' } };
    const unnamed = readReview(aReview({ object }));
    const { status } = resultOf(unnamed, { ...NO_FINDINGS, denials: [finding()] }).answer;
    assert.match(status?.message ?? '', /^Service shop\/web-\* is invalid/);
    assert.equal(status?.details?.name, 'web-*');
  });

  it('lists fifty violations and counts the rest', () => {
    const { status } = answer({ denials: many(60) });
    assert.equal(status?.details?.causes.length, 50);
    assert.match(status.message, /\n\* and 10 more; portcullis lint lists them all$/);
  });

  for (const character of ['\u202e', '中', '😀'])
    it(`lists whole violations up to 32 KiB, and counts the rest: ${JSON.stringify(character)}`, () => {
      const text = character.repeat(500);
      const denials = Array.from({ length: 60 }, () => finding({ field: text, value: text, detail: text }));
      const { message = '', details } = answer({ denials }).status ?? {};
      const lines = message.split('\n* ').slice(1);
      assert.ok(Buffer.byteLength(message) <= 32_768);
      assert.ok(lines.length > 2);
      assert.equal(lines.pop(), `and ${60 - lines.length} more; portcullis lint lists them all`);
      assert.deepEqual(
        lines,
        details?.causes.map((cause) => `${cause.field}: ${cause.message}`),
      );
    });

  it('is the same for equal requests, in the order of the rules', () => {
    const denials = [finding({ field: 'b' }), finding({ field: 'a' })];
    assert.deepEqual(answer({ denials }), answer({ denials }));
    assert.deepEqual(
      answer({ denials }).status?.details?.causes.map(({ field }) => field),
      ['b', 'a'],
    );
  });

  it('contains no control character for a terminal, whatever a user wrote', () => {
    const evil = 'x\u001b[2J\u202e\n\t\u200b';
    const violation = finding({ field: evil, value: evil, detail: evil, remedy: evil });
    const { status, warnings = [] } = answer({ denials: [violation], warnings: [violation] });
    const lines = [
      ...(status?.message.split('\n') ?? []),
      ...(status?.details?.causes ?? []).flatMap(({ field, message, reason }) => [field, message, reason]),
      ...warnings,
    ];
    assert.equal(lines.length, 6);
    for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
  });

  it('truncates a value at 128 characters', () => {
    const { status } = answer({ denials: [finding({ value: 'v'.repeat(1_000) })] });
    assert.match(status?.message ?? '', /Invalid value: "v{128}…": /);
  });

  it('limits warnings to the length that the API server passes on, and names the object in each', () => {
    const { warnings = [] } = answer({ warnings: many(100) });
    assert.ok(warnings.join('').length < 4_096 - 512);
    assert.ok(warnings.every((text) => text.startsWith('Service shop/web: ')));
    assert.match(warnings.at(-1) ?? '', /there are more warnings/);
  });

  it('contains each warning once', () =>
    assert.equal(answer({ warnings: [finding(), finding()] }).warnings?.length, 1));

  it('warns about a rule that cannot be evaluated', () => {
    const { allowed, warnings } = answer({ unevaluated: [{ rule: finding().rule, error: new Error('secret') }] });
    assert.deepEqual(
      [allowed, warnings],
      [true, ['Service shop/web: rule some-rule could not be evaluated and was skipped']],
    );
  });

  it('lists in the audit annotations which rules had which effect, each once', () => {
    const by = (name: string): Finding => ({ ...finding(), rule: { name, tier: 'hygiene', tunable: true } });
    const { auditAnnotations } = answer({
      denials: [by('a'), by('b'), by('a')],
      warnings: [by('c')],
      audited: [by('d')],
      unevaluated: [{ rule: by('e').rule, error: new Error('broken') }],
    });
    assert.deepEqual(auditAnnotations, {
      decision: 'denied',
      denied: 'a,b',
      warned: 'c',
      noted: 'd',
      unevaluated: 'e',
    });
  });

  it('keeps audit annotations short, and hides them from the user', () => {
    const denials = Array.from({ length: 50 }, (_, n) => finding({ field: `f${n}`, audit: `lb-${n} `.repeat(20) }));
    const { auditAnnotations = {}, status, warnings } = answer({ denials });
    assert.ok(Object.values(auditAnnotations).every((text) => text.length <= 1_025));
    assert.match(auditAnnotations['details'] ?? '', /^some-rule: lb-0/);
    assert.doesNotMatch(JSON.stringify([status, warnings]), /lb-0/);
  });
});
