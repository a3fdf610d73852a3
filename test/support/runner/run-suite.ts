import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, type WriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finished } from 'node:stream/promises';
import { COMPILED } from '../compile-cache.ts';
import type { Message } from './message.ts';
import { USED } from '../permission-usage/recorded-uses.ts';
import type { Suite } from './suites.ts';

export interface Failure {
  readonly title: string;
  readonly file: string;
  readonly detail: string;
}

export interface SuiteResult {
  readonly suite: string;
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
  readonly ms: number;
}

export interface RunOptions {
  /** The root of the repository, or of a substitute. */
  readonly root: string;
  /** Called at the end of every test. */
  readonly onTest?: (message: Message) => void;
  /** Milliseconds that a process may live after its last test. Handles that are still open then are leaks. */
  readonly lingerMs?: number;
  /** The folder for the recorded requests and cloud calls of suites. Set in a run of all suites, for the suite grants. */
  readonly used?: string;
  readonly signal: AbortSignal;
}

const MOCHA = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
const REPORTER = fileURLToPath(new URL('reporter.ts', import.meta.url));
/** One thread for each program in Go. With more threads, programs of parallel suites use a fifth more processor time. */
const ONE_THREAD = { GOMAXPROCS: '1' };
const LINGER_MS = 15_000;
const KILL_MS = 10_000;
const LAST_LINES = 30;

/** Returns the path prefix of a suite's recorded requests and calls. Empty without a record. */
const usedPrefix = ({ name }: Suite, { used }: RunOptions): string =>
  used === undefined ? '' : join(used, name.replaceAll('/', '.'));

/** Runs one suite in its own mocha process. A process that crashes, hangs, finds no test or leaks a handle fails the suite. */
export async function runSuite(suite: Suite, options: RunOptions): Promise<SuiteResult> {
  const start = performance.now();
  const counts = { passed: 0, skipped: 0, failures: [] as Failure[], ended: false };
  const log = join(options.root, '.test-results', `${suite.name.replaceAll('/', '-')}.log`);
  mkdirSync(dirname(log), { recursive: true });
  const output = createWriteStream(log);
  const child = fork(MOCHA, ['--reporter', REPORTER, ...suite.files], {
    cwd: options.root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...COMPILED, ...ONE_THREAD, ...process.env, [USED]: usedPrefix(suite, options) },
  });
  const stop = stopper(child);
  const limit = setTimeout(() => stop('did not finish in time'), suite.limitMinutes * 60_000);
  let linger: NodeJS.Timeout | undefined;
  child.on('message', (message: Message) => {
    options.onTest?.(message);
    if (message.kind === 'pass') counts.passed += 1;
    else if (message.kind === 'skip') counts.skipped += 1;
    else if (message.kind === 'fail') counts.failures.push(message);
    else {
      counts.ended = true;
      linger = setTimeout(() => stop('left something open that kept it alive'), options.lingerMs ?? LINGER_MS);
    }
  });
  const abort = (): void => stop('was interrupted');
  options.signal.addEventListener('abort', abort);
  if (options.signal.aborted) abort();
  const exit = await exitOf(child, output);
  options.signal.removeEventListener('abort', abort);
  clearTimeout(limit);
  clearTimeout(linger);
  const reason = stop.reason() ?? crashOf(exit, counts);
  if (reason !== undefined) {
    counts.failures.push({ title: `the suite ${suite.name} ${reason}`, file: log, detail: lastLines(log) });
  }
  const { passed, skipped, failures } = counts;
  return { suite: suite.name, passed, skipped, failures, ms: performance.now() - start };
}

async function exitOf(child: ChildProcess, output: WriteStream): Promise<string> {
  child.stdout?.pipe(output, { end: false });
  child.stderr?.pipe(output, { end: false });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  output.end();
  await finished(output);
  return signal ?? String(code);
}

/** Returns a function that ends the child, first with SIGTERM, and records the reason. */
function stopper(child: ChildProcess): { (reason: string): void; reason: () => string | undefined } {
  let why: string | undefined;
  const stop = (reason: string): void => {
    why ??= reason;
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), KILL_MS);
    child.once('close', () => clearTimeout(kill));
  };
  return Object.assign(stop, { reason: () => why });
}

/** Returns the failure of a process that ended by itself. The exit code of mocha is its number of failures. */
function crashOf(
  exit: string,
  counts: {
    readonly ended: boolean;
    readonly passed: number;
    readonly skipped: number;
    readonly failures: readonly Failure[];
  },
): string | undefined {
  if (!counts.ended) return `crashed (${exit})`;
  if (counts.failures.length > 0) return undefined;
  if (exit !== '0') return `ended with ${exit} although no test failed`;
  return counts.passed + counts.skipped === 0 ? 'found no test' : undefined;
}

function lastLines(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.slice(-LAST_LINES).join('\n');
}
