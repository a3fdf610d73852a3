import assert from 'node:assert/strict';
import { ENFORCE_ALL } from '../../../../src/policy/policy.ts';
import { readReview } from '../../../../webhook/review.ts';
import { NODE_RULES, SERVICE_RULES } from '../../../../webhook/rules/index.ts';
import type { RuleCard } from '../../../../webhook/rules/rule.ts';
import { ALL_RULES, validate } from '../../../../webhook/validate.ts';
import { storedBefore, wholeExample } from '../../../support/example.ts';
import { aFacts } from '../../../support/facts.ts';
import { aReview } from '../../../support/review.ts';

/** The rules that find something in an example, as the webhook is asked about it. */
function findersOf({ kind, examples }: RuleCard, which: 'wrong' | 'right'): readonly string[] {
  const stored = storedBefore(kind, examples);
  const object = {
    ...wholeExample(kind, examples[which]),
    ...(stored?.['status'] ? { status: stored['status'] } : {}),
  };
  const review = readReview(aReview({ object, ...(stored === undefined ? {} : { oldObject: stored }) }));
  const { refusals, warnings } = validate(review, {
    facts: aFacts({ loadBalancers: examples.given?.loadBalancers ?? {} }),
    policy: ENFORCE_ALL,
    rules: ALL_RULES,
    expired: () => false,
  });
  return [...refusals, ...warnings].map(({ rule }) => rule.name);
}

describe('the examples of the rules', () => {
  for (const rule of [...SERVICE_RULES, ...NODE_RULES]) {
    it(`${rule.name}: the wrong one is found by this rule and no other`, () => {
      assert.deepEqual([...new Set(findersOf(rule, 'wrong'))], [rule.name]);
    });

    it(`${rule.name}: the right one is found by none`, () => assert.deepEqual(findersOf(rule, 'right'), []));
  }
});
