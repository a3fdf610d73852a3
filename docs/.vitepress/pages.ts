import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { anchorsOf, headingsOf, linksOf, withLinks } from './markdown.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export type SiteLanguage = 'en' | 'zh';

/** A page of the site. */
export interface Page {
  /** Path in the site. */
  readonly path: string;
  /** Path in the repository. */
  readonly source: string;
  readonly language: SiteLanguage;
}

/** The pages of the repository that are not in `docs`, by their place in the site. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
};

const read = (source: string): string => readFileSync(join(ROOT, source), 'utf8');

const ENGLISH = [...Object.keys(OUTSIDE), ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/zh/**'] })].sort();

const placeOf = (source: string): string => OUTSIDE[source] ?? source.slice('docs/'.length);
const chineseOf = (source: string): string =>
  source === 'README.md' ? 'README.zh-CN.md' : source.replace(/^docs\//, 'docs/zh/');
const englishOf = (source: string): string =>
  source === 'README.zh-CN.md' ? 'README.md' : source.replace(/^docs\/zh\//, 'docs/');
const isTranslated = (source: string): boolean =>
  chineseOf(source) !== source && existsSync(join(ROOT, chineseOf(source)));

/** All pages. Both languages have the same pages: an untranslated page appears in English in both. */
export const PAGES: readonly Page[] = ENGLISH.flatMap((source): readonly Page[] => [
  { path: placeOf(source), source, language: 'en' },
  { path: `zh/${placeOf(source)}`, source: isTranslated(source) ? chineseOf(source) : source, language: 'zh' },
]);

/** The JSON schemas, which the site serves at the same path. */
export const SCHEMAS: readonly string[] = globSync('docs/**/*.schema.json', { cwd: ROOT })
  .map((source) => placeOf(source))
  .sort();

/** Returns the page of a file of the repository. A README keeps its language, because it links to the other one. */
function pageOf(source: string, language: SiteLanguage): Page | undefined {
  const isReadme = englishOf(source) === 'README.md';
  const wanted = isReadme ? (source === 'README.md' ? 'en' : 'zh') : language;
  return PAGES.find((page) => page.language === wanted && englishOf(page.source) === englishOf(source));
}

/** Returns the anchor in a page for the same heading of the linked file. */
function anchorIn(page: Page, source: string, anchor: string): string {
  const position = anchorsOf(read(source)).indexOf(anchor);
  return anchorsOf(read(page.source))[position] ?? anchor;
}

/** Returns a link of the site. A file that is no page is linked in `repository`, or not at all. */
function siteLink(page: Page, text: string, target: string, repository: string | undefined): string {
  if (/^https?:/.test(target) || target.startsWith('#')) return `[${text}](${target})`;
  const [path = '', anchor] = target.split('#');
  const source = normalize(join(dirname(page.source), path));
  if (SCHEMAS.includes(placeOf(source))) return `[${text}](${relative(dirname(page.path), placeOf(source))})`;
  const linked = pageOf(source, page.language);
  if (linked === undefined) return repository === undefined ? text : `[${text}](${repository}/${source})`;
  const place = relative(dirname(page.path), linked.path);
  return `[${text}](${place}${anchor === undefined ? '' : `#${anchorIn(linked, source, anchor)}`})`;
}

const UNTRANSLATED = '> 本页尚无中文版，以下为英文原文。';

/** Returns the text of a page with the links of the site. */
export function textOf(page: Page, repository?: string): string {
  const text = withLinks(read(page.source), (label, target) => siteLink(page, label, target, repository));
  return page.language === 'zh' && page.source === englishOf(page.source)
    ? text.replace(/^# .+$/m, (heading) => `${heading}\n\n${UNTRANSLATED}`)
    : text;
}

const titleOf = (source: string): string => headingsOf(read(source))[0]?.text ?? source;

const GROUPS: Readonly<Record<SiteLanguage, readonly (readonly [folder: string, title: string])[]>> = {
  en: [
    ['', 'Start here'],
    ['tasks', 'Tasks'],
    ['reference', 'Reference'],
    ['concepts', 'Concepts'],
  ],
  zh: [
    ['', '从这里开始'],
    ['tasks', '操作指南'],
    ['reference', '参考'],
    ['concepts', '概念'],
  ],
};

interface Entry {
  readonly text: string;
  readonly link: string;
}

const entryOf = ({ path, source }: Page): Entry => ({
  text: titleOf(source),
  link: `/${path.replace(/\.md$/, '')}`,
});

/** Returns the groups of the sidebar: a group for each folder, with its pages in the order of the README. */
export function sidebarOf(language: SiteLanguage): readonly { readonly text: string; readonly items: Entry[] }[] {
  const sources = [...new Set(linksOf(read('README.md')).filter((link) => link.startsWith('docs/')))];
  return GROUPS[language].map(([folder, text]) => ({
    text,
    items: sources
      .filter((source) => dirname(source) === join('docs', folder))
      .flatMap((source) => pageOf(source, language) ?? [])
      .map(entryOf),
  }));
}
