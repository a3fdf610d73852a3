import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../clock.ts';
import { identify, isRunning, type ProcessIdentity } from '../process-identity.ts';

const POLL_MS = 500;

export interface LockOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Told once, with the holder's process number, when another holds the lock. */
  readonly waiting: (pid: number) => void;
}

/**
 * Does the work while holding a lock file. A lock whose holder no longer runs is taken over.
 * Two that take over the same dead lock in the same instant may both hold it: what it guards must then only be wasteful, not wrong.
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(dirname(path), { recursive: true });
  await acquire(path, options);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string, { clock, signal, waiting }: LockOptions): Promise<void> {
  let told = false;
  while (!(await take(path))) {
    const holder = await holderOf(path);
    if (holder === undefined || !isRunning(holder)) {
      await rm(path, { force: true });
      continue;
    }
    if (!told) waiting(holder.pid);
    told = true;
    await clock.sleep(POLL_MS, signal);
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(identify(process.pid)), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function holderOf(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
