import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTANTS } from './mutants/mutants.ts';

const root = join(import.meta.dirname, '..');

/** The mutation tests replace texts of the sources. A text that no longer exists would test nothing. */
describe('the mutants', () => {
  it('name a text that occurs once in the source', () => {
    const stale = MUTANTS.filter(
      ({ file, source }) => readFileSync(join(root, file), 'utf8').split(source).length !== 2,
    );
    assert.deepEqual(
      stale.map(({ file, defect }) => `${file}: ${defect}`),
      [],
    );
  });

  it('change their file, and have unique descriptions', () => {
    assert.deepEqual(
      MUTANTS.filter(({ source, replacement }) => source === replacement),
      [],
    );
    assert.equal(new Set(MUTANTS.map(({ file, defect }) => `${file} ${defect}`)).size, MUTANTS.length);
  });
});
