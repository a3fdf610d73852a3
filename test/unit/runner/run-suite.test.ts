import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureReport, isSuccess, lastLine, totalsOf } from '../../support/runner/report.ts';
import { runSuite, type RunOptions, type SuiteResult } from '../../support/runner/run-suite.ts';

interface Case {
  readonly file: string;
  readonly options?: Partial<RunOptions>;
  readonly interruptAfterMs?: number;
  readonly limitMinutes?: number;
  readonly line: string;
  readonly message?: RegExp;
}

const cases: Record<string, Case> = {
  'counts passed tests': {
    file: "it('one', () => {}); it('two', () => {});",
    line: '2 passed, 0 failed, 0 skipped',
  },
  'reports a failure with its message and its cause': {
    file: "it('one', () => {}); it('breaks', () => { throw new Error('outer', { cause: new Error('inner') }); });",
    line: '1 passed, 1 failed, 0 skipped',
    message: /breaks[^]*outer[^]*caused by: Error: inner/,
  },
  'counts a skipped test': {
    file: "it('one', () => {}); it.skip('two', () => {});",
    line: '1 passed, 0 failed, 1 skipped',
  },
  'counts a failed hook': {
    file: "before(() => { throw new Error('no ground to stand on'); }); it('one', () => {});",
    line: '0 passed, 1 failed, 0 skipped',
    message: /no ground to stand on/,
  },
  'counts a process that ends early as failed': {
    file: "it('one', () => {}); it('two', () => { console.error('last words'); process.exit(0); });",
    line: '1 passed, 1 failed, 0 skipped',
    message: /crashed \(0\)[^]*last words/,
  },
  'counts a file that cannot be loaded as failed': {
    file: "import './missing.ts';",
    line: '0 passed, 1 failed, 0 skipped',
    message: /crashed \(1\)[^]*missing\.ts/,
  },
  'counts a suite without a test as failed': {
    file: '',
    line: '0 passed, 1 failed, 0 skipped',
    message: /found no test/,
  },
  'passes the path prefix for recorded uses to a suite': {
    file: "it('one', () => { if (process.env['PORTCULLIS_TEST_USED'] !== '/used/example') throw new Error('no path'); });",
    options: { used: '/used' },
    line: '1 passed, 0 failed, 0 skipped',
  },
  'passes an empty prefix to a suite if the run records no uses': {
    file: "it('one', () => { if (process.env['PORTCULLIS_TEST_USED'] !== '') throw new Error('a path'); });",
    line: '1 passed, 0 failed, 0 skipped',
  },
  'counts an error after the last test as failed': {
    file: "it('one', () => { setTimeout(() => { throw new Error('too late'); }, 100); });",
    line: '1 passed, 1 failed, 0 skipped',
    message: /ended with [1-9]+ although no test failed[^]*too late/,
  },
  'ends a suite that does not finish': {
    file: "it('one', async () => { await new Promise(() => { setInterval(() => {}, 1000); }); }).timeout(0);",
    limitMinutes: 0.01,
    line: '0 passed, 1 failed, 0 skipped',
    message: /did not finish in time/,
  },
  'ends a suite with open handles': {
    file: "it('one', () => { setInterval(() => {}, 1000); });",
    options: { lingerMs: 100 },
    line: '1 passed, 1 failed, 0 skipped',
    message: /left something open/,
  },
  'ends an interrupted suite': {
    file: "it('one', async () => { await new Promise(() => { setInterval(() => {}, 1000); }); }).timeout(0);",
    interruptAfterMs: 500,
    line: '0 passed, 1 failed, 0 skipped',
    message: /was interrupted/,
  },
};

async function run(file: string, options: Partial<RunOptions>, limitMinutes = 1): Promise<SuiteResult> {
  const root = mkdtempSync(join(tmpdir(), 'portcullis-runner-'));
  try {
    writeFileSync(join(root, 'some.test.ts'), file);
    const suite = { name: 'example', files: ['some.test.ts'], heavy: false, tools: [], runsLast: false, limitMinutes };
    return await runSuite(suite, { root, signal: new AbortController().signal, ...options });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** A test run that loses a failure or a file would report success wrongly. */
describe('the suite runner', () => {
  for (const [title, { file, options = {}, interruptAfterMs, limitMinutes, line, message }] of Object.entries(cases)) {
    it(title, async () => {
      const signal = interruptAfterMs === undefined ? undefined : AbortSignal.timeout(interruptAfterMs);
      const result = await run(file, signal === undefined ? options : { ...options, signal }, limitMinutes);
      assert.equal(lastLine(totalsOf([result])), line);
      assert.match(failureReport([result]), message ?? /^$/);
    }).timeout(30_000);
  }
});

describe('the result of a run', () => {
  const verdicts: readonly [string, boolean, boolean, { passed: number; failed: number; skipped: number }][] = [
    ['is good if everything passed', true, true, { passed: 3, failed: 0, skipped: 0 }],
    ['is bad if a test failed', false, false, { passed: 3, failed: 1, skipped: 0 }],
    ['is bad without a test', false, false, { passed: 0, failed: 0, skipped: 0 }],
    ['is good with a skipped test on a desktop', true, false, { passed: 3, failed: 0, skipped: 1 }],
    ['is bad with a skipped test in CI', false, true, { passed: 3, failed: 0, skipped: 1 }],
  ];
  for (const [title, expected, onCi, totals] of verdicts) {
    it(title, () => assert.equal(isSuccess(totals, onCi), expected));
  }
});
