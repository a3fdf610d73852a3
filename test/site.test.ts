import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { anchorsOf, blocksOf, headingsOf, linksOf, withLinks } from '../docs/.vitepress/markdown.ts';
import { PAGES, SCHEMAS, sidebarOf, textOf } from '../docs/.vitepress/pages.ts';
import { root } from './support/manifests.ts';

const REPOSITORY = 'https://example.com/blob/main';
const texts = new Map(PAGES.map((page) => [page.path, textOf(page, REPOSITORY)]));
const pageAt = (path: string) => PAGES.find((page) => page.path === path)!;

/** Readers of the published site need working links in both languages. */
describe('the documentation site', () => {
  it('has every page of the repository', () => {
    const sources = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })];
    assert.deepEqual([...new Set(PAGES.map(({ source }) => source))].sort(), sources.sort());
  });

  it('has the same pages in both languages', () => {
    const pathsOf = (language: string): readonly string[] =>
      PAGES.filter((page) => page.language === language).map(({ path }) => path.replace(/^zh\//, ''));
    assert.deepEqual(pathsOf('zh'), pathsOf('en'));
  });

  for (const { path } of PAGES)
    it(`${path} links to headings of the site or to files of the repository`, () => {
      const broken = linksOf(texts.get(path) ?? '').filter((link) => {
        if (/^https?:/.test(link)) return false;
        const [place = '', anchor] = link.split('#');
        const target = place === '' ? path : normalize(join(dirname(path), place));
        if (SCHEMAS.includes(target)) return false;
        return !texts.has(target) || (anchor !== undefined && !anchorsOf(texts.get(target) ?? '').includes(anchor));
      });
      assert.deepEqual(broken, []);
    });

  for (const language of ['en', 'zh'] as const)
    it(`lists every page of docs in the sidebar, in ${language}`, () => {
      const listed = sidebarOf(language).flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`));
      const pages = PAGES.filter((page) => page.language === language && page.source.startsWith('docs/'));
      assert.deepEqual(listed.toSorted(), pages.map(({ path }) => path).toSorted());
    });

  it('marks an untranslated page, whose links lead to translated headings', () => {
    const text = texts.get('zh/concepts/policy.md') ?? '';
    assert.match(text, /^# .+\n\n> 本页尚无中文版/);
    assert.match(
      texts.get('zh/reference/metrics-and-alerts.md') ?? '',
      /\]\(\.\.\/tasks\/preview-changes\.md#孤儿资源\)/,
    );
  });

  it('links a file of the repository only if it knows the address of the repository', () => {
    const page = pageAt('getting-started.md');
    assert.match(
      textOf(page, REPOSITORY),
      /\[`faults\.yaml`\]\(https:\/\/example\.com\/blob\/main\/manifests\/samples\/faults\.yaml\)/,
    );
    assert.match(textOf(page), /^`faults\.yaml` has six mistakes/m);
  });

  it('serves every JSON schema, and links to it', () => {
    const named = globSync('docs/reference/*.schema.json', { cwd: root }).map((path) => path.slice('docs/'.length));
    assert.deepEqual(SCHEMAS, named.sort());
    const linked = [...texts].flatMap(([path, text]) =>
      linksOf(text).map((link) => normalize(join(dirname(path), link))),
    );
    assert.deepEqual(
      SCHEMAS.filter((schema) => !linked.includes(schema)),
      [],
    );
  });

  it('keeps code as it is', () => {
    const page = pageAt('tasks/install.md');
    assert.deepEqual(blocksOf(textOf(page)), blocksOf(textOf(page, REPOSITORY)));
  });
});

describe('the reader of a page', () => {
  const PAGE =
    '# One\n\n[a `b]`](c.md#d) and `[no](link)`\n\n```bash\n# not a heading [x](y)\n```\n\n## Two, `three`\n';

  it('finds headings outside of code', () =>
    assert.deepEqual(
      headingsOf(PAGE).map(({ text }) => text),
      ['One', 'Two, `three`'],
    ));

  it('finds the anchors of headings', () =>
    assert.deepEqual(anchorsOf('## Two, `three`\n## 标签、污点 和 ID'), ['two-three', '标签污点-和-id']));

  it('finds links outside of code', () => assert.deepEqual(linksOf(PAGE), ['c.md#d']));

  it('replaces links outside of code', () =>
    assert.equal(
      withLinks('[a](b)\n\n```bash\n[c](d)\n```\n\n[`e`](f)', (text, target) => `${text}=${target}`),
      'a=b\n\n```bash\n[c](d)\n```\n\n`e`=f',
    ));
});
