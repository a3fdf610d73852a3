import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../../docs/.vitepress/markdown.ts';
import type { Source } from '../../src/lint/source.ts';
import { root } from './manifests.ts';

/** A recipe of the policy cookbook (docs/tasks/policy-cookbook.md), whose files the tests apply. */
export interface Recipe {
  readonly title: string;
  /** The files with applied objects. */
  readonly policies: readonly Source[];
  /** The file with the test and its facts about the cloud. */
  readonly test: Source;
}

const MODELINE = /^# yaml-language-server: .*\n/;

/** Returns the files of the cookbook, without the line for editors. */
export const recipeFiles = (): readonly Source[] =>
  globSync(join(root, 'manifests/policies/**/*.yaml'))
    .sort()
    .map((name) => ({ name, text: readFileSync(name, 'utf8').replace(MODELINE, '') }));

/** Returns the recipes of the cookbook in order. The first line of each block names its file. */
export function recipes(): readonly Recipe[] {
  return readFileSync(join(root, 'docs/tasks/policy-cookbook.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n', 1);
      const sources = blocksOf(section).map((block): Source => {
        const [, path = '', text = ''] = /^```yaml\n# (policies\/\S+)\n([^]*)```$/.exec(block) ?? [];
        return { name: join(root, 'manifests', path), text };
      });
      const isTest = ({ name }: Source): boolean => name.includes('/tests/');
      const [test, ...more] = sources.filter(isTest);
      if (test === undefined || more.length > 0) throw new Error(`${title}: a recipe has one test`);
      return { title, policies: sources.filter((source) => !isTest(source)), test };
    });
}
