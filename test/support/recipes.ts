import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './manifests.ts';

/** A recipe of the policy cookbook. */
export interface Recipe {
  readonly title: string;
  /** Applied objects. */
  readonly policies: string;
  /** The test with its facts about the cloud. */
  readonly test: string;
}

/** Returns the recipes of the cookbook in order. Each has two blocks: policies and their test. */
export function recipes(): readonly Recipe[] {
  return readFileSync(join(root, 'docs/tasks/policy-cookbook.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n', 1);
      const [policies = '', test = '', ...more] = [...section.matchAll(/^```yaml\n([^]*?)^```/gm)].map(
        ([, block = '']) => block,
      );
      if (test === '' || more.length > 0)
        throw new Error(`${title}: a recipe needs a block of policies and a block of tests`);
      return { title, policies, test };
    });
}
