import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../base/clock.ts';
import { PortcullisError } from '../base/errors.ts';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';

export interface ProcessSpec {
  /** The name, also of the log and the record. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables in addition to those that every process gets. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that this or an earlier run started, as its record on disk describes it. */
export interface ManagedProcess {
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly log: string;
}

/**
 * The variables that a started process inherits. Other variables, such as `ETCD_…`, `KUBECONFIG` or `NODE_OPTIONS` of a user's shell, would change
 * the behaviour of the sandbox.
 */
const COMMON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'GOMAXPROCS'];

const commonEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(COMMON.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));

const POLL_MS = 20;
const LAST_LINES = 12;

const recordsFolder = (folder: string): string => join(folder, 'processes');
const recordFile = (folder: string, name: string): string => join(recordsFolder(folder), `${name}.json`);
export const logFile = (folder: string, name: string): string => join(folder, 'logs', `${name}.log`);

/**
 * Starts a process in its own group, so that Ctrl-C reaches only this process, which controls the order of the shutdown. The log is
 * `folder/logs/<name>.log`, the record `folder/processes/<name>.json`. Throws `InvalidConfiguration` if the command cannot run.
 */
export async function startProcess(folder: string, spec: ProcessSpec): Promise<ManagedProcess> {
  const log = logFile(folder, spec.name);
  mkdirSync(join(folder, 'logs'), { recursive: true });
  mkdirSync(recordsFolder(folder), { recursive: true });
  const output = openSync(log, 'a');
  const child = spawn(spec.command, spec.args, {
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...commonEnvironment(process.env), ...spec.env },
  });
  closeSync(output);
  // A process that has already ended also gets an identity. Its callers then find it dead.
  const identity =
    child.pid === undefined ? undefined : (identify(child.pid) ?? { pid: child.pid, started: 'ended immediately' });
  // The record is written before any wait, because a process without a record could be left over forever.
  if (identity !== undefined) writeFileSync(recordFile(folder, spec.name), JSON.stringify(identity));
  await spawned(child, spec);
  child.unref();
  return { name: spec.name, log, identity: identity ?? { pid: 0, started: 'never' } };
}

function spawned(child: ChildProcess, spec: ProcessSpec): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve());
    child.once('error', (cause) => {
      reject(new PortcullisError('InvalidConfiguration', `failed to start ${spec.name}: ${cause.message}`, { cause }));
    });
  });
}

/** Returns the recorded processes under `folder` that still run. */
export function recordedProcesses(folder: string): readonly ManagedProcess[] {
  if (!existsSync(recordsFolder(folder))) return [];
  return readdirSync(recordsFolder(folder))
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => recordedProcess(folder, file.slice(0, -'.json'.length)) ?? []);
}

/** Returns the recorded process with this name if it still runs. A truncated record counts as missing. */
export function recordedProcess(folder: string, name: string): ManagedProcess | undefined {
  const record = readProcessRecord(folder, name);
  if (record === undefined || !isRunning(record)) return undefined;
  return { name, identity: { pid: record.pid, started: record.started }, log: logFile(folder, name) };
}

/** The record of a process. */
type ProcessRecord = ProcessIdentity & {
  /** True from the first signal that deliberately ends the process. */
  readonly stopping?: true;
};

function readProcessRecord(folder: string, name: string): ProcessRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(folder, name), 'utf8')) as ProcessRecord;
  } catch {
    return undefined;
  }
}

/** Returns whether the recorded process has ended without a deliberate stop. */
export function endedByItself(folder: string, name: string): boolean {
  const record = readProcessRecord(folder, name);
  return record !== undefined && record.stopping === undefined && !isRunning(record);
}

/** Deletes the record of a process that was stopped, or that must not be restarted. */
export const forgetProcess = (folder: string, name: string): void => rmSync(recordFile(folder, name), { force: true });

/** Sends a signal to the process group. Does nothing if the process has ended. */
export function signalProcess(target: ManagedProcess, signal: NodeJS.Signals): void {
  if (!isRunning(target.identity)) return;
  try {
    process.kill(-target.identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function gone(target: ManagedProcess, withinMs: number, clock: Clock): Promise<boolean> {
  const end = clock.monotonic() + withinMs;
  while (isRunning(target.identity)) {
    if (clock.monotonic() >= end) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}

/** The milliseconds that the kernel may need to remove a process after SIGKILL. */
const KILL_MS = 5000;

/**
 * Ends a process with SIGTERM, and with SIGKILL after `graceMs` milliseconds (0: at once), and deletes its record. Takes no abort signal, because
 * stopping follows an abort.
 */
export async function stopProcess(
  folder: string,
  target: ManagedProcess,
  graceMs: number,
  clock: Clock = systemClock,
): Promise<void> {
  const record: ProcessRecord = { ...target.identity, stopping: true };
  if (isRunning(target.identity)) writeFileSync(recordFile(folder, target.name), JSON.stringify(record));
  if (graceMs > 0) signalProcess(target, 'SIGTERM');
  if (!(await gone(target, graceMs, clock))) {
    signalProcess(target, 'SIGKILL');
    if (!(await gone(target, KILL_MS, clock))) {
      throw new PortcullisError(
        'Unavailable',
        `${target.name} (process ${target.identity.pid}) did not end after SIGKILL`,
      );
    }
  }
  // Another process of this name may have been started meanwhile.
  if (readProcessRecord(folder, target.name)?.pid === target.identity.pid) forgetProcess(folder, target.name);
}

/** Returns the end of a process's log, for an error message about its exit. */
export function lastLines(log: string): string {
  const text = existsSync(log) ? readFileSync(log, 'utf8').trimEnd() : '';
  return text === ''
    ? '  (empty)'
    : text
        .split('\n')
        .slice(-LAST_LINES)
        .map((line) => `  ${line}`)
        .join('\n');
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** Calls `probe` repeatedly until it returns a value. An error of `probe` counts as no value. */
export async function untilReady<Answer>(
  target: ManagedProcess,
  probe: () => Promise<Answer | undefined> | Answer | undefined,
  { timeoutMs, signal, clock = systemClock }: WaitOptions,
): Promise<Answer> {
  const end = clock.monotonic() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const answer = await attempt(probe);
    if (answer !== undefined) return answer;
    const fate = isRunning(target.identity) ? 'is not ready' : 'stopped before it was ready';
    if (!isRunning(target.identity) || clock.monotonic() >= end) {
      const after = fate === 'is not ready' ? ` after ${Math.round(timeoutMs / 1000)} s` : '';
      throw new PortcullisError(
        'Unavailable',
        `${target.name} ${fate}${after}; the end of ${target.log}:\n${lastLines(target.log)}`,
      );
    }
    await clock.sleep(POLL_MS, signal);
  }
}

async function attempt<Answer>(
  probe: () => Promise<Answer | undefined> | Answer | undefined,
): Promise<Answer | undefined> {
  try {
    return await probe();
  } catch {
    return undefined;
  }
}
