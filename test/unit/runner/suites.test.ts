import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { selectSuites, SUITES } from '../../support/runner/suites.ts';

const FILES = [
  'test/unit/a/one.test.ts',
  'test/unit/two.test.ts',
  'test/soak/long.test.ts',
  'test/integration/nodes/one.test.ts',
  'test/integration/nodes/scenarios/three.test.ts',
  'test/integration/webhook/two.test.ts',
  'test/rules.test.ts',
  'test/grants/all.test.ts',
  'test/unit/no-test.ts',
];

/** A suite that is not selected would never run. */
describe('the selection of suites', () => {
  let root = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'portcullis-suites-'));
    for (const file of FILES) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), '');
    }
  });
  after(() => rmSync(root, { recursive: true }));

  const chosen = (...selection: string[]): Record<string, readonly string[]> =>
    Object.fromEntries(
      selectSuites(root, selection)
        .filter(({ files }) => files.length > 0)
        .map(({ name, files }) => [name, files]),
    );

  it('contains by default all suites except those on request', () => {
    assert.deepEqual(chosen(), {
      unit: ['test/unit/a/one.test.ts', 'test/unit/two.test.ts'],
      repository: ['test/rules.test.ts'],
      'integration/nodes': ['test/integration/nodes/one.test.ts', 'test/integration/nodes/scenarios/three.test.ts'],
      'integration/webhook': ['test/integration/webhook/two.test.ts'],
      grants: ['test/grants/all.test.ts'],
    });
  });

  it('ends with the suite that compares permission use of all suites; no argument can select it', () => {
    const order = Object.keys(chosen());
    assert.equal(order.at(-1), 'grants');
    assert.throws(() => selectSuites(root, ['unit', 'grants']), /"grants" compares .* run "make test"/);
  });

  it('contains the named suites, including those on request', () => {
    assert.deepEqual(chosen('soak'), { 'soak/long': ['test/soak/long.test.ts'] });
  });

  it('contains every folder of a suite whose folders run separately, the slowest folder first', () => {
    assert.deepEqual(Object.keys(chosen('integration')), ['integration/webhook', 'integration/nodes']);
  });

  it('accepts a folder or a file', () => {
    assert.deepEqual(chosen('test/unit/a'), { selected: ['test/unit/a/one.test.ts'] });
    assert.deepEqual(chosen('test/unit/two.test.ts'), { selected: ['test/unit/two.test.ts'] });
  });

  it('rejects an unknown name, with the names of the suites', () => {
    const expected = new RegExp(`"unti" is no suite .* choose from ${Object.keys(SUITES).join(', ')}`);
    assert.throws(() => selectSuites(root, ['unti']), expected);
  });
});
