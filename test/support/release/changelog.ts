import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLinks } from '../../../docs/.vitepress/markdown.ts';
import { root } from '../manifests.ts';

export const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = 'Unreleased';

/** A section of the changelog. */
export interface Section {
  /** The whole heading, such as `0.1.0 (2026-11-27)`. */
  readonly heading: string;
  readonly version: string | undefined;
  /** The day of the release, `YYYY-MM-DD`. */
  readonly date: string | undefined;
  readonly text: string;
}

export const changelog = (): string => readFileSync(join(root, CHANGELOG), 'utf8');

/** Returns the sections of a changelog in their order. A heading of another form has no version. */
export const sectionsOf = (page: string): readonly Section[] =>
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [, heading = '', text = ''] = /^(.*)\n?([^]*)$/.exec(section) ?? [];
      const [, version, date] = /^(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/.exec(heading) ?? [];
      return { heading, version, date, text: text.trim() };
    });

/** Returns the defects in the form of a changelog whose newest release must be `version`. The tests of the repository check CHANGELOG.md with it. */
export function changelogDefects(page: string, version: string): readonly string[] {
  const [first, ...others] = sectionsOf(page);
  const releases = first === undefined || first.heading === UNRELEASED ? others : [first, ...others];
  return [
    ...(releases[0]?.version === version ? [] : [`the newest release is not ${version}`]),
    ...releases.flatMap(({ heading, date = '' }, index) => {
      const later = releases[index - 1];
      if (Number.isNaN(Date.parse(date))) return [`"${heading}" is not a version and a date: 0.1.0 (2026-11-27)`];
      if (later !== undefined && rank(heading) >= rank(later.heading)) return [`"${heading}" follows a lower version`];
      return later?.date !== undefined && date > later.date ? [`"${heading}" follows an earlier date`] : [];
    }),
  ];
}

/** Returns a number that grows with the version of a heading, if each part of the version is below 1000. */
const rank = (heading: string): number =>
  (heading.split(' ')[0] ?? '').split('.').reduce((sum, part) => sum * 1_000 + Number(part), 0);

/** Returns the section of a version, with links to the site. Throws if the newest section is not the dated section of the version. */
export function releaseNotes(page: string, version: string, site: string): string {
  const [newest] = sectionsOf(page);
  if (newest?.version !== version)
    throw new Error(
      `the newest section of ${CHANGELOG} is "${newest?.heading ?? ''}", and package.json has the version ${version}: begin with the section "## ${version} (date)", with the date as YYYY-MM-DD`,
    );
  const text = withLinks(newest.text, (label, target) =>
    /^https?:/.test(target) ? `[${label}](${target})` : `[${label}](${pageOf(target, site)})`,
  );
  return `# Portcullis ${newest.heading}\n\n${text}\n`;
}

/** Returns the address of a page in the site, for a link of the changelog. */
const pageOf = (target: string, site: string): string =>
  `${site}/${target.replace(/^docs\//, '').replace(/\.md(?=#|$)/, '.html')}`;
