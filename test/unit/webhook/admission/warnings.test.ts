import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CURRENT_KEYS } from '../../../../src/annotation/deprecated-key-index.ts';
import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { WARN_ALL } from '../../../../src/policy/policy-decisions.ts';
import { mutate } from '../../../../webhook/mutate/mutate.ts';
import { readReview } from '../../../../webhook/admission/admission-review.ts';
import { ALL_RULES, validate } from '../../../../webhook/admission/validate.ts';
import { resultOf } from '../../../../webhook/admission/response.ts';
import { warningsOf } from '../../../../webhook/admission/warnings.ts';
import { anyFacts, anyService } from '../../../support/any-service.ts';
import { aFacts, type FactsInput } from '../../../support/facts.ts';
import { aReview } from '../../../support/review.ts';
import { aService } from '../../../support/service.ts';

/** The total length in characters above which the API server cuts each warning to 256 characters and drops the rest. */
const PASSED_ON = 4_096;

/** Returns the warnings of both webhooks about a new Service without denials. */
function warningTexts(object: Service, facts: FactsInput = {}): readonly string[] {
  const request = readReview(aReview({ object }));
  const context = { facts: aFacts(facts), policy: WARN_ALL, rules: ALL_RULES, expired: () => false };
  const { warnings = [] } = resultOf(request, validate(request, context)).answer;
  return [...(mutate(request, 'keep').warnings ?? []), ...warnings];
}

function assertPassedOn(texts: readonly string[]): void {
  assert.ok(texts.join('').length < PASSED_ON);
  for (const text of texts) {
    assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u);
    assert.match(text, /^Service shop\/web: /);
  }
}

/** The API server truncates warnings that are too long together, so they must fit. */
describe('the warnings of both webhooks', () => {
  it('are passed on whole for any Service', () => {
    fc.assert(
      fc.property(anyService, anyFacts, (service, facts) => assertPassedOn(warningTexts(service, facts))),
      { numRuns: 400, seed: 1 },
    );
  });

  it('are passed on whole for a Service with only deprecated and invalid annotations', () => {
    const annotations = Object.fromEntries([...CURRENT_KEYS.keys()].map((key) => [key, 'not this\n'.repeat(50)]));
    const texts = warningTexts(aService({ annotations, namespace: 'shop' }));
    assertPassedOn(texts);
    assert.equal(texts.filter((text) => text.includes('there are more warnings')).length, 2);
  });

  it('contain each text once, in order', () => {
    assert.deepEqual(warningsOf(['b', 'a', 'b'], 'x', 'validate'), { warnings: ['b', 'a'] });
  });

  it('count a repeated text once', () => {
    const again = Array.from({ length: 100 }, () => 'a'.repeat(100));
    assert.deepEqual(warningsOf([...again, 'b'], 'x', 'validate'), { warnings: ['a'.repeat(100), 'b'] });
  });

  it('have room for further warnings, however long a warning is', () => {
    const { warnings = [] } = warningsOf(['a'.repeat(3_000), 'b'], 'x', 'mutate');
    assert.deepEqual(warnings, [`${'a'.repeat(600)}…`, 'b']);
  });

  it('are omitted if empty', () => assert.deepEqual(warningsOf([], 'x', 'mutate'), {}));
});
