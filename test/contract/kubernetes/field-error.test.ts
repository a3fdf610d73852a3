import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { withoutCredentials } from '../../../src/base/credential-mask.ts';
import { cutToCharacters } from '../../../src/base/cut-text.ts';
import { causeReason, errorBody, supportedValues, type FieldErrorReason } from '../../../src/base/field-error.ts';
import { DEFAULT_KUBERNETES } from '../../../src/local/tools/catalogue.ts';
import { moduleFolder } from '../../../src/local/tools/build-inputs.ts';
import type { Finding } from '../../../src/rules/engine/evaluate.ts';
import { violationMessage } from '../../../src/rules/engine/message.ts';
import { policyRule } from '../../../src/rules/engine/policy-rule.ts';
import { plain } from '../../../src/rules/engine/safe-text.ts';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import { evaluatedExample } from '../../support/example.ts';
import {
  buildFieldErrorProgram,
  MODULE,
  type FieldErrorProgram,
  type FieldErrorRequest,
  type PrintedFieldError,
} from '../../support/field-error/program.ts';
import { goldenResult, goldenReview } from '../../support/golden-review.ts';

const REASONS: readonly FieldErrorReason[] = [
  'Invalid',
  'NotSupported',
  'Required',
  'Forbidden',
  'Duplicate',
  'NotFound',
  'TooLong',
  'TooMany',
];
const SEED = 20_261_127;
const FUZZED = 5_000;

/** Ranges of characters for values, as code points. They exclude characters that are newer than the Unicode version of Go. */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x1f],
  [0x20, 0x7e],
  [0x7f, 0x9f],
  [0xa0, 0x2af],
  // Combining marks, and letters of several scripts.
  [0x300, 0x52f],
  [0x5d0, 0x5ea],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  // Spaces, bidirectional controls and other invisible characters.
  [0x2000, 0x206f],
  [0x3000, 0x3000],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff0, 0xffff],
  // Private characters.
  [0xe000, 0xf8ff],
  [0x1d400, 0x1d7ff],
  [0x1f300, 0x1f5ff],
  [0xe0000, 0xe007f],
  [0xf0000, 0x10ffff],
];
/** Half of a surrogate pair. A letter follows, so that two halves do not form a pair. */
const aLoneSurrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => `${String.fromCharCode(code)}x`);
const aCharacter = fc.oneof(
  aLoneSurrogate,
  fc.constantFrom('"', '\\', '\n', '\t', '\u00a0', '\u202e', '\u2066', '😀', '%', '{', '…'),
  ...RANGES.map(([min, max]) => fc.integer({ min, max }).map((code) => String.fromCodePoint(code))),
);
const aText = fc
  .oneof(
    { weight: 4, arbitrary: fc.array(aCharacter, { maxLength: 40 }) },
    { weight: 1, arbitrary: fc.array(aCharacter, { minLength: 100, maxLength: 300 }) },
  )
  .map((characters) => characters.join(''));
const aValue = fc.oneof({ weight: 9, arbitrary: aText }, { weight: 1, arbitrary: fc.maxSafeInteger() });

/** The reasons that Kubernetes reports as `Required` if a value is missing. */
const NEED_A_VALUE: readonly FieldErrorReason[] = ['Invalid', 'NotSupported', 'Duplicate', 'NotFound'];

/** Returns the message that Kubernetes must print. A long value is truncated before it is quoted. */
function requestFor(reason: FieldErrorReason, value: string | number, detail: string): FieldErrorRequest {
  if (value === '') return { type: NEED_A_VALUE.includes(reason) ? 'Required' : reason, detail };
  const badValue = typeof value === 'number' ? value : cutToCharacters(withoutCredentials(value), 128);
  return { type: reason, badValue, detail };
}

/** Returns the findings in the samples of a rule: its golden reviews and its example. */
function findingsOf(rule: string): readonly Finding[] {
  const outcomes = (['allow', 'deny'] as const).map((name) => {
    const review = goldenReview(rule, name);
    return goldenResult(review, review).outcome;
  });
  const examples = [...SERVICE_RULES, ...NODE_RULES].filter(({ name }) => name === rule);
  return [...outcomes, ...examples.map((one) => evaluatedExample(one, 'wrong'))].flatMap(
    ({ denials, warnings, audited }) => [...denials, ...warnings, ...audited],
  );
}

/** kubectl and tools parse field errors, so ours must equal those of the Go library, which this test runs. */
describe('field errors of Kubernetes', function () {
  this.timeout(300_000);
  let program: FieldErrorProgram;
  before(async () => {
    program = await buildFieldErrorProgram();
  });
  after(() => program[Symbol.dispose]());

  it('come from the Kubernetes version of the sandbox', () => {
    const [own, sandbox] = [MODULE, moduleFolder(DEFAULT_KUBERNETES, 'kubernetes')].map(
      (folder) =>
        /^(?:require)?\s+k8s\.io\/apimachinery (v\S+)/m.exec(readFileSync(join(folder, 'go.mod'), 'utf8'))?.[1],
    );
    assert.match(own ?? '', /^v\d/);
    assert.equal(own, sandbox);
  });

  for (const rule of [...SERVICE_RULES, policyRule, ...NODE_RULES].map(({ name }) => name)) {
    it(`have the reasons and the messages of the rule ${rule}`, async () => {
      const findings = findingsOf(rule);
      assert.notEqual(findings.length, 0);
      const printed = await program.print(
        findings.map(({ violation: { reason, value, detail, remedy }, note }) => {
          const details = [detail, remedy, note].filter((part) => part !== undefined).map((part) => plain(part));
          return requestFor(reason, value, details.join('; '));
        }),
      );
      assert.deepEqual(
        findings.map((finding) => ({
          reason: causeReason(finding.violation),
          body: violationMessage(finding).replace(` [${finding.rule.name}]`, ''),
        })),
        printed,
      );
    });
  }

  it('include every reason in the causes of our denials', async () => {
    const rules = [...SERVICE_RULES, policyRule, ...NODE_RULES].map(({ name }) => name);
    const causes = rules.flatMap((rule) => {
      const review = goldenReview(rule, 'deny');
      return goldenResult(review, review).answer.status?.details?.causes ?? [];
    });
    const known = await program.print(REASONS.map((type) => ({ type })));
    const reasons = new Set(known.map(({ reason }) => reason));
    assert.deepEqual(
      [...new Set(causes.map(({ reason }) => reason))].filter((reason) => !reasons.has(reason)),
      [],
    );
    assert.ok(causes.length > rules.length / 2, String(causes.length));
  });

  it(`quote any value as our messages do, in ${FUZZED} samples`, async () => {
    const anError = fc.record({
      reason: fc.constantFrom(...REASONS),
      value: aValue,
      detail: aText.map((text) => plain(text)),
    });
    const errors = fc.sample(anError, { seed: SEED, numRuns: FUZZED });
    const printed = await program.print(errors.map(({ reason, value, detail }) => requestFor(reason, value, detail)));
    const own = errors.map((error): PrintedFieldError => ({ reason: causeReason(error), body: errorBody(error) }));
    assert.equal(printed.length, own.length);
    for (const [index, one] of own.entries()) assert.deepEqual(one, printed[index], JSON.stringify(errors[index]));
  });

  it('list supported values as our messages do', async () => {
    const lists = fc.sample(
      fc.array(
        aText.map((text) => cutToCharacters(text, 100)),
        { minLength: 1, maxLength: 5 },
      ),
      {
        seed: SEED,
        numRuns: 200,
      },
    );
    const printed = await program.print(
      lists.map((supported) => ({
        type: 'NotSupported',
        badValue: 'x',
        supported: supported.map((text) => text.toWellFormed()),
      })),
    );
    assert.deepEqual(
      lists.map((values) => errorBody({ reason: 'NotSupported', value: 'x', detail: supportedValues(values) })),
      printed.map(({ body }) => body),
    );
  });
});
