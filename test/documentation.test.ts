import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GLOBAL } from '../src/base/cloud-config-schema.ts';
import { REASONS } from '../src/base/errors.ts';
import { GENERATED, REFRESH, staleFiles } from './support/generate.ts';
import { FLAGS_OF } from './support/program-commands.ts';
import { root } from './support/manifests.ts';
import { anchorsOf, linksOf, matches } from '../docs/.vitepress/markdown.ts';
import { SUITES } from './support/runner/suites.ts';
import { MAY_BE_WRITTEN } from './support/takeover/permitted-writes.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const PAGES = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })].sort();
/** Pages that are not generated. */
const WRITTEN = PAGES.filter((page) => !GENERATED.some(({ path }) => path === page));
const BENCHMARKS = matches(read('test/benchmark/run.ts'), /^ {2}(\w+): async \(\) =>/gm);
const TARGETS = [...read('Makefile').matchAll(/^([a-z-]+):.*## /gm)].map(([, name = '']) => name);

/** Returns the error of a link, if any. */
function brokenLink(page: string, link: string): string | undefined {
  if (/^https?:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return `${page} links to ${link}, which does not exist`;
  const known = anchor === undefined || !target.endsWith('.md') || anchorsOf(read(target)).includes(anchor);
  return known ? undefined : `${page} links to ${link}, and ${target} has no such heading`;
}

/** Returns the code of a page: text between backquotes, and fenced blocks. */
const codeOf = (page: string): readonly string[] => [
  ...matches(read(page), /```[a-z]*\n([^]*?)```/g),
  ...matches(read(page).replaceAll(/```[^]*?```/g, ''), /`([^`\n]+)`/g),
];

const EVENTS = 'docs/reference/events-and-conditions.md';

const sectionOf = (page: string, heading: string): string =>
  (read(page).split(`\n## ${heading}\n`)[1] ?? '').split('\n## ')[0] ?? '';

/** Returns the names in the first column of the tables of a section. */
const rowsOf = (page: string, heading: string): readonly string[] =>
  matches(sectionOf(page, heading), /^\| `(\w+)` \|/gm);

/** Users follow links and copy commands. A missing target or a wrong flag would stop them. */
describe('the documentation', () => {
  for (const page of PAGES) {
    it(`${page} links to existing targets`, () => {
      assert.deepEqual(
        linksOf(read(page)).flatMap((link) => brokenLink(page, link) ?? []),
        [],
      );
    });
  }

  it('names exactly the existing benchmarks', () => {
    const named = PAGES.flatMap((page) => matches(read(page), /make bench ONLY=(\w+)/g));
    assert.ok(BENCHMARKS.length > 10 && named.length > 50);
    assert.deepEqual([...new Set(named)].toSorted(), BENCHMARKS.toSorted());
  });

  for (const page of PAGES) {
    it(`${page} lists each of its sections once`, () => {
      const [start = ''] = read(page).split(/^## /m, 1);
      const listed = matches(start, /^- \[([^\]]+)\]\(#/gm);
      if (listed.length > 0) assert.deepEqual(listed, matches(read(page), /^## (.+)$/gm));
    });

    it(`${page} lists no page twice`, () => {
      const listed = matches(read(page), /^- \[[^\]]+\]\(([^)#]+)\)/gm);
      assert.deepEqual(listed, [...new Set(listed)]);
    });
  }

  for (const page of WRITTEN) {
    it(`${page} runs the project's files with the project's Node.js`, () => {
      const withAnyNode = codeOf(page).filter((code) => {
        const [before = ''] = code.split(/\bnode (?:test|src|dist)\//, 1);
        return before !== code && !before.includes('. .sandbox/default/environment');
      });
      assert.deepEqual(withAnyNode, []);
    });
  }

  for (const page of WRITTEN) {
    it(`${page} names make targets, suites, commands, flags and files that exist`, () => {
      const code = codeOf(page).join('\n');
      const unknown = (what: string, pattern: RegExp, known: (name: string) => boolean): readonly string[] =>
        matches(code, pattern).flatMap((name) => (known(name) ? [] : [`${what} ${name}`]));
      const flags = [...FLAGS_OF.values()].flat();
      const commands = [...FLAGS_OF.keys(), 'completion', 'version'];
      assert.deepEqual(
        [
          ...unknown('target', /\bmake ([a-z-]+)/g, (name) => TARGETS.includes(name)),
          ...unknown('suite', /test\/run\.ts ([a-z]+)(?!\S)/g, (name) => Object.hasOwn(SUITES, name)),
          ...unknown('command', /\bportcullis ([a-z]+)\b/g, (name) => commands.includes(name)),
          // A flag in a line of commands may belong to kubectl or podman.
          ...unknown('flag', /^(--[a-z][a-z0-9-]*)/gm, (name) => flags.includes(name)),
          ...unknown(
            'file',
            /((?:manifests|kustomize|src|webhook|docs|test)\/[\w/.-]*\w)/g,
            (name) => globSync(`${name}*`, { cwd: root }).length > 0,
          ),
        ],
        [],
      );
    });
  }

  it(`generated pages are up to date; otherwise run ${REFRESH}`, () => assert.deepEqual(staleFiles(), []));

  it('has a description in the Makefile for every phony target', () => {
    const phony = matches(read('Makefile'), /^\.PHONY: (.+)$/gm).flatMap((names) => names.split(' '));
    assert.deepEqual([...TARGETS].sort(), phony.sort());
  });

  it('explains exactly the reasons that errors can have', () => {
    assert.deepEqual(rowsOf(EVENTS, 'Errors'), Object.keys(REASONS));
  });

  it('names every key of the cloud-config file', () => {
    const section = sectionOf('docs/reference/configuration.md', 'Cloud-config file');
    const [, table = ''] = section.split('\n| key | meaning |\n');
    const rows = (table.split('\n\n')[0] ?? '').split('\n').map((row) => row.split(' | ')[0] ?? '');
    assert.deepEqual(rows.flatMap((row) => matches(row, /`(\w+)`/g)).sort(), Object.keys(GLOBAL.shape).sort());
  });

  it('lists exactly the reasons that events of Services and Nodes can have', () => {
    const declaredIn = (path: string): readonly string[] => {
      const types = matches(read(path), /export type (?:EventReason|WriteStep|NodeEventReason) =([^;]+);/g);
      return matches(types.join(), /'(\w+)'/g);
    };
    for (const [heading, path] of [
      ['Events of Services', 'src/controller/service/status/events.ts'],
      ['Events of Nodes', 'src/controller/node/events.ts'],
    ] as const)
      assert.deepEqual(rowsOf(EVENTS, heading).toSorted(), declaredIn(path).toSorted(), heading);
  });

  it('names every label and condition that an adoption may write', () => {
    const section = sectionOf('docs/tasks/migrate.md', 'What the migration writes');
    const documented = [...section.matchAll(/^\| (?:label|condition) `([^`]+)` \|/gm)].map(([, name]) => name);
    const written = MAY_BE_WRITTEN.flatMap((path) => matches(path, /^(?:metadata\.labels|status\.conditions)\.(.+)$/g));
    assert.deepEqual(documented.toSorted(), written.toSorted());
  });

  it('contains no path of a developer machine', () => {
    for (const page of WRITTEN) assert.doesNotMatch(read(page), /\/(home|root|Users|work)\//, page);
  });
});
