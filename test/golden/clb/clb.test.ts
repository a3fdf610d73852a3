import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { playClbCase } from '../../support/clb-case.ts';
import { assertGolden } from '../../support/golden.ts';

const cases = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The golden plans show reviewers which calls a change of the code adds or removes. */
describe('the plan for a Service', () => {
  for (const name of cases) {
    it(`${name}: matches the reviewed plan, and needs no action after it is applied`, async () => {
      const folder = join(import.meta.dirname, name);
      const { text, left } = await playClbCase(folder);
      assertGolden(join(folder, 'plan.txt'), text);
      assert.deepEqual(left, []);
    });
  }
});
