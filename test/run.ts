import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureReport, isSuccess, lastLine, seconds, suiteLine, totalsOf } from './support/runner/report.ts';
import { runSuite, type RunOptions, type SuiteResult } from './support/runner/run-suite.ts';
import { selectSuites, type Suite } from './support/runner/suites.ts';

const USAGE = 2;
const INTERRUPTED = 130;
/** Light suites at a time; the machines this runs on have two cores or more. */
const SIDE_BY_SIDE = 2;

const root = join(import.meta.dirname, '..');
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

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

/** The light suites two at a time, then the heavy ones one by one: theirs are the processes that need the cores. */
async function runAll(suites: readonly Suite[], options: RunOptions): Promise<readonly SuiteResult[]> {
  const results: SuiteResult[] = [];
  const waiting = suites.filter(({ heavy }) => !heavy);
  const lane = async (): Promise<void> => {
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) {
      if (!options.signal.aborted) results.push(await runAndSay(suite, options));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  for (const suite of suites.filter(({ heavy }) => heavy)) {
    if (!options.signal.aborted) results.push(await runAndSay(suite, options));
  }
  return results;
}

async function main(selection: readonly string[]): Promise<number> {
  const suites = selectSuites(root, selection).filter(({ files }) => files.length > 0);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interruption.abort());
  }
  const results = await runAll(suites, { root, signal: interruption.signal });
  const totals = totalsOf(results);
  mkdirSync(join(root, '.test-results'), { recursive: true });
  writeFileSync(join(root, '.test-results', 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  if (totals.failed > 0) say(`\n${failureReport(results)}`);
  say(lastLine(totals));
  if (interruption.signal.aborted) return INTERRUPTED;
  return isSuccess(totals, process.env['CI'] !== undefined) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = USAGE;
}
