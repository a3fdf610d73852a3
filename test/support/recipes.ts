import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './manifests.ts';

/** A recipe of the page about policies. */
export interface Recipe {
  readonly title: string;
  /** What is applied. */
  readonly policies: string;
  /** The test, and what is known of the cloud in it. */
  readonly test: string;
}

/** The recipes of the cookbook, in its order: two blocks each, of policies and of their test. */
export function recipes(): readonly Recipe[] {
  const [, cookbook = ''] = readFileSync(join(root, 'docs/policy.md'), 'utf8').split(/^## Cookbook$/m);
  return cookbook
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n', 1);
      const [policies = '', test = '', ...more] = [...section.matchAll(/^```yaml\n([^]*?)^```/gm)].map(
        ([, block = '']) => block,
      );
      if (test === '' || more.length > 0)
        throw new Error(`${title}: a recipe is a block of policies and one of its test`);
      return { title, policies, test };
    });
}
