import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../support/folder.ts';
import { root } from '../../support/manifests.ts';
import { gathered, USED } from '../../support/permission-usage/recorded-uses.ts';

const MODULE = pathToFileURL(join(root, 'test/support/permission-usage/recorded-uses.ts')).href;

/** Runs a process that records these uses and ends. */
function suite(prefix: string, ...notes: readonly string[]): void {
  const lines = notes.map((what) => `note('calls', '${what}', 'somewhere');`);
  const script = [`import { note } from '${MODULE}';`, ...lines].join('\n');
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, [USED]: prefix } });
}

/** The permissions are compared with the usage of all suites, so a partial run must not count. */
describe('the recorded usage of suites', () => {
  const folder = temporaryFolder();
  const before = process.env[USED];
  const as = <Value>(prefix: string, act: () => Value): Value => {
    process.env[USED] = prefix;
    try {
      return act();
    } finally {
      if (before === undefined) Reflect.deleteProperty(process.env, USED);
      else process.env[USED] = before;
    }
  };
  after(() => folder[Symbol.dispose]());

  it('is merged, except for excluded suites', () => {
    suite(join(folder.path, 'unit'), 'slb:One', 'slb:One', 'slb:Two');
    suite(join(folder.path, 'faults'), 'slb:Three');
    suite(join(folder.path, 'contract'), 'slb:Four');
    const used = as(join(folder.path, 'grants'), () => gathered('calls', ['contract']));
    assert.deepEqual([...used.keys()].sort(), ['slb:One', 'slb:Three', 'slb:Two']);
    assert.equal(used.get('slb:One'), 'somewhere');
  });

  it('is absent without a complete run', () => {
    assert.throws(() => as('', () => gathered('calls')), /run all suites with "make test"/);
  });
});
