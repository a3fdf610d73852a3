import { readFileSync } from 'node:fs';

/** Of the kernel's clock, which has counted hundredths of a second for decades. */
const TICKS_PER_SECOND = 100;
/** Places behind the name of the program, which may hold anything, in `/proc/PID/stat` (proc(5)): time in its own code, time in the kernel. */
const [USER, SYSTEM] = [11, 12];

/** Seconds of processor time that a process has used. Linux only. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_SECOND;
}
