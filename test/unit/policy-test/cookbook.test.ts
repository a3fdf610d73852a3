import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock.ts';
import { casesIn, type PolicyTestCase } from '../../../src/policy-test/read.ts';
import { runTestCase } from '../../../src/policy-test/run.ts';
import { recipeFiles, recipes } from '../../support/recipes.ts';

const isDenial = ({ expect }: PolicyTestCase): boolean =>
  expect === 'denied' || (typeof expect === 'object' && (expect.denied ?? []).length > 0);

/** Users copy the policies of the cookbook, so each must allow and deny as documented. */
describe('the cookbook of policies', () => {
  it('shows each file of the recipes as it is', () => {
    const shown = recipes().flatMap(({ policies, test }) => [...policies, test]);
    assert.ok(recipes().length >= 11);
    assert.deepEqual(
      shown.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
      recipeFiles(),
    );
  });

  it('has no test in a file that is applied', () => {
    for (const { policies } of recipes())
      for (const { name, text } of policies)
        assert.doesNotMatch(text, /^kind: (?!LoadBalancer(?:Policy|Exception)$)/m, name);
  });

  for (const { title, test } of recipes()) {
    it(`has for each recipe a Service that passes and a Service that is denied: ${title}`, async () => {
      const cases = await casesIn([test]);
      const [first, ...others] = cases.map(isDenial);
      assert.deepEqual([first, new Set(others)], [false, new Set([true])]);
      for (const each of cases) {
        const { differences, messages } = runTestCase(each, systemClock);
        assert.deepEqual(differences, [], messages.join('\n'));
      }
    });
  }
});
