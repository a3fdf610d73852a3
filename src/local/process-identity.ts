import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process of a sandbox, or the holder of a lock file. The number alone could identify a later process, because operating systems reuse numbers. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in the notation of the operating system, which is only for comparison. */
  readonly started: string;
}

/** The indexes of the fields 3, 20 and 22 of `/proc/<pid>/stat` after the command's name; see proc(5). */
const STATE = 0;
const THREADS = 17;
const START_TIME = 19;
const DEAD_STATES = ['Z', 'X'];

function fromProc(pid: number): ProcessIdentity | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name is in parentheses and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The first thread may be dead while other threads still hold the files and ports of the process.
  const isDead = DEAD_STATES.includes(fields[STATE] ?? '') && Number(fields[THREADS]) <= 1;
  if (isDead) return undefined;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return { pid, started: `${boot}/${fields[START_TIME] ?? ''}` };
}

function fromPs(pid: number): ProcessIdentity | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [state = 'Z', ...started] = stdout.trim().split(/\s+/);
  return status === 0 && !DEAD_STATES.includes(state[0] ?? '') ? { pid, started: started.join(' ') } : undefined;
}

/** Returns the identity of the running process with this number. Returns undefined for a missing or a zombie process. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  } catch {
    return undefined;
  }
}

/** Returns whether the process still runs. Returns false if a later process has the number. */
export const isRunning = (identity: ProcessIdentity): boolean => identify(identity.pid)?.started === identity.started;
