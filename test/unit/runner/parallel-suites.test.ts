import assert from 'node:assert/strict';
import { setImmediate as immediate } from 'node:timers/promises';
import { sideBySide } from '../../support/runner/parallel-suites.ts';
import type { SuiteResult } from '../../support/runner/run-suite.ts';
import type { Suite } from '../../support/runner/suites.ts';

const suite = (name: string, tools: Suite['tools'] = []): Suite => ({
  ...{ name, tools, files: [], heavy: false, runsLast: false, limitMinutes: 1 },
});
const resultOf = (name: string, failures: SuiteResult['failures'] = []): SuiteResult => ({
  ...{ suite: name, passed: 1, skipped: 0, failures, ms: 0 },
});
const LONG = ['a', 'b', 'c', 'd'].map((name) => suite(name, ['etcd']));
const SHORT = ['e', 'f'].map((name) => suite(name));
const FAILED = resultOf('tools', [{ title: 'the tools could not be obtained', file: '', detail: '' }]);

/** Suites that wait for tools must not keep other suites from running. */
describe('suites in parallel', () => {
  /** Runs all suites. Returns their names in the order in which they start; those before the tools are ready come before `|`. */
  async function started(areReady: boolean, failures: readonly SuiteResult[] = []): Promise<readonly string[]> {
    const names: string[] = [];
    const build = Promise.withResolvers<readonly SuiteResult[]>();
    if (areReady) build.resolve([]);
    const run = async ({ name }: Suite): Promise<SuiteResult> => {
      names.push(name);
      await immediate();
      return resultOf(name);
    };
    const all = sideBySide([...LONG, ...SHORT], { ready: build.promise, areReady: () => areReady }, run);
    for (let turn = 0; turn < 5; turn += 1) await immediate();
    names.push('|');
    build.resolve(failures);
    const results = await all;
    assert.deepEqual(results.map((each) => each.suite).sort(), names.filter((name) => name !== '|').sort());
    return names;
  }

  it('start in order when the tools are ready', async () => {
    assert.deepEqual(await started(true), ['a', 'b', 'c', 'd', 'e', 'f', '|']);
  });

  it('start without tools while tools are built', async () => {
    assert.deepEqual(await started(false), ['e', 'f', '|', 'a', 'b', 'c', 'd']);
  });

  it('are skipped if their tools cannot be built', async () => {
    assert.deepEqual(await started(false, [FAILED]), ['e', 'f', '|']);
  });

  it('do not start after an interruption', async () => {
    const tools = { ready: Promise.resolve([]), areReady: () => true };
    assert.deepEqual(await sideBySide(SHORT, tools, () => undefined), []);
  });
});
