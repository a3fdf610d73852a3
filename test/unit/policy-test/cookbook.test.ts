import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock.ts';
import { casesIn, type PolicyTestCase } from '../../../src/policy-test/read.ts';
import { runTestCase } from '../../../src/policy-test/run.ts';
import { recipes } from '../../support/recipes.ts';

const isDenial = ({ expect }: PolicyTestCase): boolean =>
  expect === 'denied' || (typeof expect === 'object' && (expect.denied ?? []).length > 0);

/** Users copy the policies of the cookbook, so each must allow and deny as documented. */
describe('the cookbook of policies', () => {
  it('has recipes', () => assert.ok(recipes().length >= 11));

  for (const { title, policies, test } of recipes()) {
    it(`has for each recipe a Service that passes and a Service that is denied: ${title}`, async () => {
      const cases = await casesIn([{ name: 'recipe.yaml', text: `${policies}---\n${test}` }]);
      const [first, ...others] = cases.map(isDenial);
      assert.deepEqual([first, new Set(others)], [false, new Set([true])]);
      for (const each of cases) {
        const { differences, messages } = runTestCase(each, systemClock);
        assert.deepEqual(differences, [], messages.join('\n'));
      }
    });
  }
});
