import { readFileSync } from 'node:fs';

/** Ticks of the kernel's accounting clock, which is fixed at 100 Hz in the ABI. */
const TICKS_PER_SECOND = 100;
/** Fields of `/proc/PID/stat` after the program name, which may contain any character (proc(5)): user time and kernel time. */
const [USER, SYSTEM] = [11, 12];

/** Returns the processor time of a process in seconds. Linux only. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_SECOND;
}
