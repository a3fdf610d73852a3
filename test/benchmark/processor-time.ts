import { readFileSync } from 'node:fs';

/** The ticks per second of the kernel's accounting clock. The ABI fixes the value. */
const TICKS_PER_SECOND = 100;
/** The indexes of user time and kernel time in `/proc/PID/stat` after the program name; see proc(5). */
const [USER, SYSTEM] = [11, 12];

/** Returns the processor time of a process in seconds. Works on Linux only. The benchmark `through` measures the API server with it. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_SECOND;
}
