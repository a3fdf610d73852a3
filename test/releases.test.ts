import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../src/version.ts';
import { temporaryFolder } from './support/folder.ts';
import { root } from './support/manifests.ts';
import { changelog, changelogDefects, releaseNotes } from './support/release/changelog.ts';
import type { Part } from './support/release/parts.ts';
import { buildRelease, partsWithout, versionAndNotes } from './support/release/release.ts';

const SITE = 'https://portcullis.example.com';
const page = (...headings: readonly string[]): string =>
  `# Releases\n\nText.\n${headings.map((heading) => `\n## ${heading}\n\n- A change.\n`).join('')}`;

/** Files that name the version, with the place of the version. */
const NAMED: Readonly<Record<string, RegExp>> = {
  'package.json': /"version": "(.*)"/,
  'package-lock.json': /"name": "portcullis",\n {2,6}"version": "(.*)"/g,
  'manifests/krew/portcullis.yaml': /version: v(.*)/,
  'kustomize/overlays/default/kustomization.yaml': /newTag: (.*)/,
  'kustomize/example/kustomization.yaml': /newTag: (.*)/,
  'manifests/image/Containerfile': /-t portcullis:(\S+)/,
};

/** Users read in the changelog what a release changes. Without this check, a release could lack its section. */
describe('the changelog', () => {
  it('has each release once with its date, the newest first', () =>
    assert.deepEqual(changelogDefects(changelog(), VERSION), []));

  for (const [file, pattern] of Object.entries(NAMED))
    it(`is about the version that ${file} names`, () => {
      const text = readFileSync(join(root, file), 'utf8');
      const versions = [...text.matchAll(new RegExp(pattern, 'g'))].map(([, version]) => version);
      assert.deepEqual([...new Set(versions)], [VERSION]);
    });

  const DEFECTS: readonly (readonly [title: string, headings: readonly string[], defects: readonly RegExp[]])[] = [
    ['may begin with unreleased changes', ['Unreleased', '0.2.0 (2026-12-01)', '0.1.0 (2026-11-27)'], []],
    ['has the version of package.json', ['0.1.0 (2026-11-27)'], [/^the newest release is not 0\.2\.0$/]],
    ['has a date', ['0.2.0'], [/not 0\.2\.0/, /^"0\.2\.0" is not a version and a date/]],
    ['has a date of the calendar', ['0.2.0 (2026-13-01)'], [/^"0\.2\.0 \(2026-13-01\)" is not a version and a date/]],
    ['has a release once', ['0.2.0 (2026-12-01)', '0.2.0 (2026-11-27)'], [/follows a lower version$/]],
    ['compares versions as numbers', ['0.2.0 (2026-12-01)', '0.10.0 (2026-11-27)'], [/"0\.10\.0 .* lower version$/]],
    ['has dates in order', ['0.2.0 (2026-11-01)', '0.1.0 (2026-11-27)'], [/"0\.1\.0 .* follows an earlier date$/]],
    ['has unreleased changes only at its top', ['0.2.0 (2026-12-01)', 'Unreleased'], [/^"Unreleased" is not/]],
  ];
  for (const [title, headings, expected] of DEFECTS)
    it(title, () => {
      const defects = changelogDefects(page(...headings), '0.2.0');
      assert.equal(defects.length, expected.length, defects.join('\n'));
      for (const [index, pattern] of expected.entries()) assert.match(defects[index] ?? '', pattern);
    });
});

describe('the notes of a release', () => {
  it('are the section of its version, with links to the site', () => {
    const section = '- See [a](docs/tasks/a.md#b), [c](docs/c.schema.json) and [d](https://example.com/).';
    assert.equal(
      releaseNotes(
        `# Releases\n\n## 0.2.0 (2026-12-01)\n\n${section}\n\n## 0.1.0 (2026-11-27)\n\nOld.\n`,
        '0.2.0',
        SITE,
      ),
      `# Portcullis 0.2.0 (2026-12-01)\n\n- See [a](${SITE}/tasks/a.html#b), [c](${SITE}/c.schema.json) and [d](https://example.com/).\n`,
    );
  });

  const REJECTED: readonly (readonly [title: string, text: string, expected: string, message: RegExp])[] = [
    [
      'a section without a date',
      page('0.2.0'),
      '',
      /newest section of CHANGELOG\.md is "0\.2\.0", and .* 0\.2\.0: begin/,
    ],
    ['unreleased changes', page('Unreleased', '0.2.0 (2026-12-01)'), '', /is "Unreleased", and package\.json/],
    ['another version in the changelog', page('0.1.0 (2026-11-27)'), '', /is "0\.1\.0 \(2026-11-27\)", and/],
    ['a changelog without sections', page(), '', /is "", and package\.json has the version 0\.2\.0/],
    [
      'another version in VERSION',
      page('0.2.0 (2026-12-01)'),
      '0.3.0',
      /^Error: VERSION=0\.3\.0 is not the version 0\.2\.0/,
    ],
  ];
  for (const [title, text, expected, message] of REJECTED)
    it(`are rejected for ${title}`, () =>
      assert.throws(() => versionAndNotes({ version: '0.2.0', homepage: SITE }, text, expected), message));
});

describe('the folder of a release', () => {
  const input = { version: '0.2.0', notes: 'Notes.\n', pluginAddress: '' };
  const written: Part = {
    name: 'one',
    title: 'the first part',
    target: 'first',
    write: async (folder) => writeFileSync(join(folder, 'one.txt'), 'one\n'),
  };
  const failing: Part = {
    name: 'two',
    title: 'the second part',
    target: 'second',
    write: () => Promise.reject(new Error('the disk is full')),
  };

  it('stays unchanged if a part fails, and the message names the part and two ways to continue', async () => {
    using folder = temporaryFolder();
    const target = join(folder.path, 'release');
    mkdirSync(target);
    writeFileSync(join(target, 'old.txt'), 'old\n');
    await assert.rejects(
      buildRelease(target, [written, failing], input, () => undefined),
      {
        message:
          'the second part cannot be built: the disk is full\nTo repeat only this part, run "make second". To release without it, run "make release WITHOUT=two".',
      },
    );
    assert.deepEqual(readdirSync(target), ['old.txt']);
    assert.equal(existsSync(`${target}.new`), false);
  });

  it('has the files of this release only, with their checksums', async () => {
    using folder = temporaryFolder();
    const target = join(folder.path, 'release');
    mkdirSync(target);
    writeFileSync(join(target, 'old.txt'), 'old\n');
    assert.deepEqual(await buildRelease(target, [written], input, () => undefined), ['SHA256SUMS', 'one.txt']);
    assert.deepEqual(readdirSync(target).sort(), ['SHA256SUMS', 'one.txt']);
    assert.match(readFileSync(join(target, 'SHA256SUMS'), 'utf8'), /^[0-9a-f]{64} {2}one\.txt\n$/);
  });

  it('leaves out named parts, and rejects unknown names', () => {
    const names = partsWithout('image,site').map(({ name }) => name);
    assert.deepEqual(names, ['notes', 'sbom', 'schemas', 'chart', 'install', 'plugin']);
    assert.throws(
      () => partsWithout('images'),
      /^Error: WITHOUT="images" is no part of a release: choose from notes, /,
    );
  });
});
