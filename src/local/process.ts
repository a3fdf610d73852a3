import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../base/clock.ts';
import { PortcullisError } from '../base/errors.ts';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';

export interface ProcessSpec {
  /** Also the name of its log and of its record. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the few variables that every process needs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that was started by us, or by an earlier run of us: everything is known from its record on disk. */
export interface ManagedProcess {
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly log: string;
}

/**
 * What a started process takes over from the environment of whoever starts it. Not the rest: `ETCD_…`, `KUBECONFIG` or
 * `NODE_OPTIONS` of a person's shell would change what the parts of a sandbox do.
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
 * Starts a process in a group of its own, so that Ctrl-C at the terminal reaches only us and we decide the order in which things stop.
 * Its output goes to `folder/logs/<name>.log` and its record to `folder/processes/<name>.json`; it outlives us unless it is stopped.
 * Throws `InvalidConfiguration` when the command cannot be run.
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
  // One that ended before it could be looked at is a process all the same, and found dead by whoever waits for it.
  const identity =
    child.pid === undefined ? undefined : (identify(child.pid) ?? { pid: child.pid, started: 'ended at once' });
  // Written before anything is awaited: a process without a record could be left over for ever.
  if (identity !== undefined) writeFileSync(recordFile(folder, spec.name), JSON.stringify(identity));
  await spawned(child, spec);
  child.unref();
  return { name: spec.name, log, identity: identity ?? { pid: 0, started: 'never' } };
}

function spawned(child: ChildProcess, spec: ProcessSpec): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve());
    child.once('error', (cause) => {
      reject(
        new PortcullisError('InvalidConfiguration', `${spec.name} could not be started: ${cause.message}`, { cause }),
      );
    });
  });
}

/** The processes recorded under `folder` that still run. */
export function recordedProcesses(folder: string): readonly ManagedProcess[] {
  if (!existsSync(recordsFolder(folder))) return [];
  return readdirSync(recordsFolder(folder))
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => recordedProcess(folder, file.slice(0, -'.json'.length)) ?? []);
}

/** The process recorded under that name, if it still runs. A record that was cut short by a crash counts as none. */
export function recordedProcess(folder: string, name: string): ManagedProcess | undefined {
  const record = readProcessRecord(folder, name);
  if (record === undefined || !isRunning(record)) return undefined;
  return { name, identity: { pid: record.pid, started: record.started }, log: logFile(folder, name) };
}

/** What a record says beside who the process is. */
type ProcessRecord = ProcessIdentity & {
  /** Whoever ends it on purpose says so before its first signal. */
  readonly stopping?: true;
};

function readProcessRecord(folder: string, name: string): ProcessRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(folder, name), 'utf8')) as ProcessRecord;
  } catch {
    return undefined;
  }
}

/** Whether the process recorded under that name has ended although nobody stopped it. */
export function endedByItself(folder: string, name: string): boolean {
  const record = readProcessRecord(folder, name);
  return record !== undefined && record.stopping === undefined && !isRunning(record);
}

/** Takes the record away: what was recorded has been stopped, or is not to come back. */
export const forgetProcess = (folder: string, name: string): void => rmSync(recordFile(folder, name), { force: true });

/** Sends a signal to the process and whatever it started. Does nothing when it has gone. */
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

/** How long a process killed by SIGKILL may take to vanish: the kernel's own work only. */
const KILL_MS = 5000;

/**
 * Ends a process: SIGTERM, and SIGKILL once `graceMs` are over (0: at once). Its record goes with it.
 * Takes no signal: stopping is what is done after an abort.
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
        `${target.name} (process ${target.identity.pid}) does not end, even by SIGKILL`,
      );
    }
  }
  // Another one of its name may have been started meanwhile.
  if (readProcessRecord(folder, target.name)?.pid === target.identity.pid) forgetProcess(folder, target.name);
}

/** The end of a process's log, for an error that has to say why it stopped. */
export function lastLines(log: string): string {
  const text = existsSync(log) ? readFileSync(log, 'utf8').trimEnd() : '';
  return text === ''
    ? '  (nothing was written)'
    : text
        .split('\n')
        .slice(-LAST_LINES)
        .map((line) => `  ${line}`)
        .join('\n');
}

export interface Waiting {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** Waits until `probe` answers something, asking again and again; a probe that throws has not answered. */
export async function untilReady<Answer>(
  target: ManagedProcess,
  probe: () => Promise<Answer | undefined> | Answer | undefined,
  { timeoutMs, signal, clock = systemClock }: Waiting,
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
