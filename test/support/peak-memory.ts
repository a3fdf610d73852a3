import { readFileSync } from 'node:fs';

/** Returns the peak memory of a process, in MiB. Works on Linux only. */
export function peakMiB(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1_024;
}
