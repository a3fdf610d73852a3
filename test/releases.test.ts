import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../src/version.ts';
import { root } from './support/manifests.ts';

const headings = [...readFileSync(join(root, 'CHANGELOG.md'), 'utf8').matchAll(/^## (.*)$/gm)].map(
  ([, text = '']) => text,
);

/** Returns a number that grows with the version. Each part is below 1000. */
const rank = (version: string): number => version.split('.').reduce((sum, part) => sum * 1_000 + Number(part), 0);

/** Users read in the list of releases what a release changes. Without this check, a release could lack its entry. */
describe('the list of releases', () => {
  it('begins with this release', () => {
    assert.equal(headings[0], VERSION);
  });

  it('names each release once, the newest first', () => {
    for (const version of headings) assert.match(version, /^\d{1,3}\.\d{1,3}\.\d{1,3}$/);
    const ranks = headings.map(rank);
    assert.deepEqual(
      ranks,
      [...new Set(ranks)].toSorted((one, other) => other - one),
    );
  });
});
