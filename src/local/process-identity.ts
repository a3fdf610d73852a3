import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process, told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it was started, in the operating system's own notation; compared, never interpreted. */
  readonly started: string;
}

/** Fields of `/proc/<pid>/stat` after the command's name (proc(5), fields 3, 20 and 22). */
const STATE = 0;
const THREADS = 17;
const START_TIME = 19;
const DEAD_STATES = ['Z', 'X'];

function fromProc(pid: number): ProcessIdentity | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name is in parentheses and may hold any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The first thread may be dead while others still hold the process's files and ports.
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

/** Who runs under this number now; `undefined` when nobody does, or only a zombie that its parent has not yet buried. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  } catch {
    return undefined;
  }
}

/** Whether that very process still runs. */
export const isRunning = (identity: ProcessIdentity): boolean => identify(identity.pid)?.started === identity.started;
