import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../src/base/errors.ts';
import { printProgress } from '../src/local/progress.ts';
import { obtainTools } from '../src/local/tools/find-or-build-tools.ts';
import { failureReport, isSuccess, lastLine, seconds, suiteLine, totalsOf } from './support/runner/report.ts';
import { sideBySide, type SuiteTools } from './support/runner/parallel-suites.ts';
import { runSuite, type RunOptions, type SuiteResult } from './support/runner/run-suite.ts';
import { selectSuites, type Suite } from './support/runner/suites.ts';

const USAGE = 2;
const INTERRUPTED = 130;
/** Milliseconds within which tools in the cache are found. */
const FOUND_MS = 1_000;

const root = join(import.meta.dirname, '..');
const progress = printProgress(process.stdout);
const say = progress.line;

async function runAndSay(suite: Suite, options: RunOptions): Promise<SuiteResult> {
  if (suite.heavy) say(`${suite.name} …`);
  const result = await runSuite(suite, {
    ...options,
    onTest: (message) => {
      if (message.kind === 'fail') say(`  failed: ${message.title}`);
      if (message.kind === 'pass' && suite.heavy) say(`  ${seconds(message.ms).padStart(7)}  ${message.title}`);
    },
  });
  say(suiteLine(result));
  return result;
}

/** Builds the missing tools of the suites. If a tool cannot be built, returns this as a failed test. */
async function prepare(suites: readonly Suite[], signal: AbortSignal): Promise<readonly SuiteResult[]> {
  const names = [...new Set(suites.flatMap(({ tools }) => tools))];
  if (names.length === 0) return [];
  try {
    await obtainTools(names, { env: process.env, progress, signal });
    return [];
  } catch (error) {
    const failure = { title: 'the tools could not be obtained', file: '', detail: messageOf(error) };
    return [{ suite: 'tools', passed: 0, skipped: 0, failures: [failure], ms: 0 }];
  }
}

/** Starts the builds of missing tools. Resolves when the tools are ready, or after `FOUND_MS`. */
async function toolsOf(suites: readonly Suite[], signal: AbortSignal): Promise<SuiteTools> {
  let areReady = false;
  const ready = prepare(suites, signal).finally(() => {
    areReady = true;
  });
  await Promise.race([ready, delay(FOUND_MS)]);
  return { ready, areReady: () => areReady };
}

/** Runs the suites while missing tools are built. Suites that compare the recorded usage of all other suites run last. */
async function runAll(suites: readonly Suite[], options: RunOptions): Promise<readonly SuiteResult[]> {
  const tools = await toolsOf(suites, options.signal);
  const run = (suite: Suite): Promise<SuiteResult> | undefined =>
    options.signal.aborted ? undefined : runAndSay(suite, options);
  const [first = [], last = []] = [false, true].map((isLast) => suites.filter(({ runsLast }) => runsLast === isLast));
  const results = [...(await sideBySide(first, tools, run)), ...(await sideBySide(last, tools, run))];
  return [...(await tools.ready), ...results];
}

/**
 * Runs `node test/run.ts [SUITE or PATH …]`, the command behind `make test`. Without arguments, runs all suites and records the permissions that they
 * use.
 */
async function main(selection: readonly string[]): Promise<number> {
  const suites = selectSuites(root, selection).filter(({ files }) => files.length > 0);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interruption.abort());
  }
  const used = join(root, '.test-results', 'used');
  const isAll = selection.length === 0;
  if (isAll) rmSync(used, { recursive: true, force: true });
  const results = await runAll(suites, { root, signal: interruption.signal, ...(isAll ? { used } : {}) });
  const totals = totalsOf(results);
  mkdirSync(join(root, '.test-results'), { recursive: true });
  writeFileSync(join(root, '.test-results', 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(root, '.test-results', 'summary'), `${lastLine(totals)}\n`);
  if (totals.failed > 0) say(`\n${failureReport(results)}`);
  say(lastLine(totals));
  if (interruption.signal.aborted) return INTERRUPTED;
  return isSuccess(totals, process.env['CI'] !== undefined) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = USAGE;
}
