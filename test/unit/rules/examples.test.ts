import assert from 'node:assert/strict';
import { NODE_RULES, SERVICE_RULES } from '../../../src/rules/index.ts';
import type { RuleCard } from '../../../src/rules/rule.ts';
import { evaluatedExample } from '../../support/example.ts';

/** Returns the rules with findings in an example, as the webhook evaluates it. */
function findersOf(rule: RuleCard, which: 'wrong' | 'right'): readonly string[] {
  const { denials, warnings } = evaluatedExample(rule, which);
  return [...denials, ...warnings].map((finding) => finding.rule.name);
}

/** Denying rules that do not deny their own example. */
const MILD: ReadonlySet<string> = new Set(['limits']);

/** Rules that also check creations, but whose wrong example is wrong only as a change. */
const WRONG_ONLY_AS_CHANGE: ReadonlySet<string> = new Set(['one-way-change']);

/** The documentation shows the examples, so each must violate exactly its rule. */
describe('the examples of the rules', () => {
  for (const rule of [...SERVICE_RULES, ...NODE_RULES]) {
    it(`${rule.name}: the wrong example violates only this rule`, () => {
      assert.deepEqual([...new Set(findersOf(rule, 'wrong'))], [rule.name]);
    });

    it(`${rule.name}: the wrong example is denied, unless the rule only warns`, () => {
      const isWarned = evaluatedExample(rule, 'wrong').denials.length === 0;
      assert.equal(isWarned, rule.warnsOnly === true || MILD.has(rule.name));
    });

    it(`${rule.name}: the right example violates no rule`, () => assert.deepEqual(findersOf(rule, 'right'), []));
  }

  for (const rule of SERVICE_RULES) {
    const { before, ...examples } = rule.examples;
    if (before === undefined) continue;
    it(`${rule.name}: the wrong example is denied in a creation, unless the rule checks only changes`, () => {
      const isAllowed = !findersOf({ ...rule, examples }, 'wrong').includes(rule.name);
      assert.equal(isAllowed, rule.checksChangesOnly === true || WRONG_ONLY_AS_CHANGE.has(rule.name));
    });
  }
});
