import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTANTS } from './mutants/mutants.ts';

const root = join(import.meta.dirname, '..');

describe('the mutants', () => {
  it('apply to the sources: each names a text that occurs once', () => {
    const stale = MUTANTS.filter(
      ({ file, source }) => readFileSync(join(root, file), 'utf8').split(source).length !== 2,
    );
    assert.deepEqual(
      stale.map(({ file, says }) => `${file}: ${says}`),
      [],
    );
  });

  it('each change their file, and have a sentence of their own', () => {
    assert.deepEqual(
      MUTANTS.filter(({ source, replacement }) => source === replacement),
      [],
    );
    assert.equal(new Set(MUTANTS.map(({ file, says }) => `${file} ${says}`)).size, MUTANTS.length);
  });
});
