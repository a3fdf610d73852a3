import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureIn } from './mutants/failed-test.ts';
import { MUTANTS } from './mutants/mutants.ts';

const root = join(import.meta.dirname, '..');

/** Checks the list of `make mutants`, which replaces texts of the sources. A text that no longer exists would test nothing. */
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

/** A run that ends for another reason than a failed test would count each mutant as caught. */
describe('the end of a test run with a mutant', () => {
  const failed = '  1 failing\n\n  1) a plan\n       keeps the load balancer:\n\n      AssertionError\n';
  const unloaded = '\n Exception during run: Error: ENOENT: no such file or directory\n';

  it('names the first failed test', () =>
    assert.equal(failureIn({ code: 1, output: failed, isStuck: false }), 'a plan keeps the load balancer'));

  it('names no test if all pass', () =>
    assert.equal(failureIn({ code: 0, output: '  2 passing\n', isStuck: false }), undefined));

  it('names the time limit if the tests exceed it', () =>
    assert.equal(failureIn({ code: 1, output: '', isStuck: true }), 'the tests do not end'));

  it('is an error if the run fails without a failed test', () =>
    assert.throws(() => failureIn({ code: 1, output: unloaded, isStuck: false }), /cannot run: .*ENOENT/s));
});
