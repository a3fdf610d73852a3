import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../base/clock.ts';
import { PortcullisError } from '../base/errors.ts';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';

/** The command line of a process of the sandbox. */
export interface ProcessSpec {
  /** The name of the process, of its log and of its record. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The variables of this process in addition to the common variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A process of the sandbox. The record on disk lets every command of the sandbox find and stop the process. */
export interface ManagedProcess {
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly log: string;
}

/** The variables that a process inherits. Other variables of the user's shell, such as `KUBECONFIG`, would change the behavior of the sandbox. */
const COMMON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'GOMAXPROCS'];

/** Programs in Go collect garbage less often, because kube-apiserver otherwise spends a fourth of its processor time on garbage. */
const COLLECTION = { GOGC: '400' };

const commonEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(COMMON.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));

const POLL_MS = 20;
const LAST_LINES = 12;

const recordsFolder = (folder: string): string => join(folder, 'processes');
const recordFile = (folder: string, name: string): string => join(recordsFolder(folder), `${name}.json`);
/** Returns the path of the log of a process. */
export const logFile = (folder: string, name: string): string => join(folder, 'logs', `${name}.log`);

/** Starts a process that outlives this process. Throws `InvalidConfiguration` if the command cannot run. */
export async function startProcess(folder: string, spec: ProcessSpec): Promise<ManagedProcess> {
  const log = logFile(folder, spec.name);
  mkdirSync(join(folder, 'logs'), { recursive: true });
  mkdirSync(recordsFolder(folder), { recursive: true });
  const output = openSync(log, 'a');
  const child = spawn(spec.command, spec.args, {
    // In its own process group, the process does not receive Ctrl-C.
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...COLLECTION, ...commonEnvironment(process.env), ...spec.env },
  });
  closeSync(output);
  // A process may end before `identify` reads its start time. The record then has an invalid start time, so that `isRunning` returns false.
  const identity =
    child.pid === undefined ? undefined : (identify(child.pid) ?? { pid: child.pid, started: 'ended immediately' });
  // The record is written before the first `await`, because no command can find and stop a process without a record.
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

/** Returns the running processes of the sandbox in `folder`. */
export function recordedProcesses(folder: string): readonly ManagedProcess[] {
  if (!existsSync(recordsFolder(folder))) return [];
  return readdirSync(recordsFolder(folder))
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => recordedProcess(folder, file.slice(0, -'.json'.length)) ?? []);
}

/** Returns the process with this name. Returns undefined if the process has ended, or if its record is missing or truncated. */
export function recordedProcess(folder: string, name: string): ManagedProcess | undefined {
  const record = readProcessRecord(folder, name);
  if (record === undefined || !isRunning(record)) return undefined;
  return { name, identity: { pid: record.pid, started: record.started }, log: logFile(folder, name) };
}

type ProcessRecord = ProcessIdentity & {
  /** True if `stopProcess` has begun to stop the process. The kubelet does not restart such a process. */
  readonly stopping?: true;
};

function readProcessRecord(folder: string, name: string): ProcessRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(folder, name), 'utf8')) as ProcessRecord;
  } catch {
    return undefined;
  }
}

/** Returns whether the process has ended without `stopProcess`, for example after a crash. */
export function endedByItself(folder: string, name: string): boolean {
  const record = readProcessRecord(folder, name);
  return record !== undefined && record.stopping === undefined && !isRunning(record);
}

/** Deletes the record of an ended process, so that the kubelet does not restart the process. */
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

/** Returns whether the process ends within `withinMs` milliseconds. */
async function endsWithin(target: ManagedProcess, withinMs: number, clock: Clock): Promise<boolean> {
  const end = clock.monotonic() + withinMs;
  while (isRunning(target.identity)) {
    if (clock.monotonic() >= end) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}

/** The milliseconds that the kernel may need to remove a process after SIGKILL. */
const KILL_MS = 30_000;

/** Stops a process and deletes its record. Takes no abort signal, because an interrupted command must still stop its processes. */
export async function stopProcess(
  folder: string,
  target: ManagedProcess,
  graceMs: number,
  clock: Clock = systemClock,
): Promise<void> {
  const record: ProcessRecord = { ...target.identity, stopping: true };
  if (isRunning(target.identity)) writeFileSync(recordFile(folder, target.name), JSON.stringify(record));
  if (graceMs > 0) signalProcess(target, 'SIGTERM');
  if (!(await endsWithin(target, graceMs, clock))) {
    signalProcess(target, 'SIGKILL');
    if (!(await endsWithin(target, KILL_MS, clock))) {
      throw new PortcullisError(
        'Unavailable',
        `${target.name} (process ${target.identity.pid}) did not end after SIGKILL`,
      );
    }
  }
  // Another process with this name may have started in the meantime, and its record must stay.
  if (readProcessRecord(folder, target.name)?.pid === target.identity.pid) forgetProcess(folder, target.name);
}

/** Returns the last lines of a log, for error messages. */
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

/** The limits of a wait. */
export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** Calls `probe` every 20 ms until `probe` returns a value, and ignores its errors. Throws `Unavailable` after `timeoutMs` or if the process ends. */
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
