import assert from 'node:assert/strict';
import { endingText } from '../../../../src/local/demo/ending.ts';

const ENDING = { checks: 88, hasFailed: false, sandbox: 'default', isKept: false, logs: '.sandbox/default/logs' };

/** The last output of `make demo` is the only hint about where the logs are, and whether the sandbox still runs. */
describe('the ending of the demo', () => {
  it('has the number of checks, the removed sandbox, and the next commands to try', () => {
    const text = endingText(ENDING);
    assert.match(
      text,
      /^88 checks held\.\nSandbox default is gone, .*\nThe logs of every process are in \.sandbox\/default\/logs\.\n/,
    );
    assert.match(text, /\nTry next:\n {2}make up {2,}.*\n/);
  });

  it('names a sandbox that ran before, and still runs', () => {
    assert.match(endingText({ ...ENDING, isKept: true }), /Sandbox default ran before the demo, and still runs\./);
  });

  it('names the logs, and nothing to try, after a failure', () => {
    const text = endingText({ ...ENDING, checks: 1, hasFailed: true });
    assert.match(text, /^1 check held, 1 failed\.\n.*\n.*logs/);
    assert.doesNotMatch(text, /Try next/);
  });

  it('fits 80 columns', () => {
    const long = endingText(ENDING)
      .split('\n')
      .filter((line) => line.length > 80);
    assert.deepEqual(long, []);
  });
});
