import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import {
  anchorsOf,
  blocksOf,
  headingsOf,
  linksOf,
  matches,
  namesOf,
  withoutBlocks,
} from '../docs/.vitepress/markdown.ts';
import { GENERATED } from './support/generate.ts';
import { root } from './support/manifests.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const ENGLISH = [
  ...['README.md', 'docs/getting-started.md', 'docs/reference/annotations.md', 'docs/reference/rules.md'],
  ...globSync('docs/tasks/*.md', { cwd: root }),
].sort();

const chineseOf = (page: string): string =>
  page === 'README.md' ? 'README.zh-CN.md' : page.replace(/^docs\//, 'docs/zh/');
const englishOf = (page: string): string =>
  page === 'README.zh-CN.md' ? 'README.md' : page.replace(/^docs\/zh\//, 'docs/');

const WRITTEN = ENGLISH.filter((page) => !GENERATED.some(({ path }) => path === page));

/** Returns the target of a link by its English page and the position of the heading, so that languages compare. */
function neutral(page: string, link: string): string {
  if (/^https?:/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  const position = anchor === undefined ? '' : `#${anchorsOf(read(target)).indexOf(anchor)}`;
  return `${englishOf(target)}${position}`;
}

const neutralLinks = (page: string): readonly string[] =>
  linksOf(read(page))
    .map((link) => neutral(page, link))
    .filter((link) => link !== 'README.md');

/** A Chinese page with other commands or names than the English page would mislead its readers. */
describe('the translation', () => {
  it('covers getting started, all tasks, annotations and rules', () =>
    assert.deepEqual(
      ['README.zh-CN.md', ...globSync('docs/zh/**/*.md', { cwd: root })].sort(),
      ENGLISH.map(chineseOf).sort(),
    ));

  for (const page of ENGLISH) {
    const chinese = chineseOf(page);

    it(`${chinese} has the fenced blocks of the English page`, () =>
      assert.deepEqual(blocksOf(read(chinese)), blocksOf(read(page))));

    it(`${chinese} has the headings of the English page`, () => {
      const levels = (path: string): readonly number[] => headingsOf(read(path)).map(({ level }) => level);
      assert.deepEqual(levels(chinese), levels(page));
    });

    it(`${chinese} has the links of the English page`, () =>
      assert.deepEqual(neutralLinks(chinese).toSorted(), neutralLinks(page).toSorted()));

    it(`${chinese} leads to translated pages`, () => {
      const targets = linksOf(read(chinese)).map((link) => normalize(join(dirname(chinese), link.split('#')[0] ?? '')));
      const untranslated = targets.filter((target) => existsSync(join(root, target)) && ENGLISH.includes(target));
      assert.deepEqual(
        untranslated.filter((target) => target !== 'README.md'),
        [],
      );
    });

    it(`${chinese} has the rows of the tables of the English page`, () => {
      const rows = (path: string): number => matches(withoutBlocks(read(path)), /^ *(\|.*\|)$/gm).length;
      assert.equal(rows(chinese), rows(page));
    });
  }

  for (const page of WRITTEN)
    it(`${chineseOf(page)} has the names of the English page`, () => {
      const names = (path: string): readonly string[] => [...new Set(namesOf(read(path)))].sort();
      assert.deepEqual(names(chineseOf(page)), names(page));
    });

  it('is linked from the English README, and links back', () => {
    assert.match(read('README.md'), /\]\(README\.zh-CN\.md\)/);
    assert.match(read('README.zh-CN.md'), /\]\(README\.md\)/);
  });
});
