import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts';

const POLL_MS = 500;

/** The clock and the callbacks of a wait for a lock. */
export interface LockOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Called once before a wait, with the number of the process that holds the lock. */
  readonly waiting: (pid: number) => void;
}

/**
 * Runs `work` while this process holds a lock file. `work` must tolerate a concurrent run, because two processes can take over the lock of an ended
 * process.
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
  let hasReported = false;
  while (!(await tryCreate(path))) {
    const text = await textOf(path);
    // The holder released the lock after the attempt, so the next attempt follows without a wait.
    if (text === undefined) continue;
    const holder = holderIn(text);
    if (holder === undefined || !isRunning(holder)) {
      // Two processes can take over the lock of an ended process concurrently.
      await removeEnded(path, text);
      continue;
    }
    if (!hasReported) waiting(holder.pid);
    hasReported = true;
    await clock.sleep(POLL_MS, signal);
  }
}

/** Tries to create the lock. The new file already has its content, because another process would take over an empty lock. */
async function tryCreate(path: string): Promise<boolean> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, JSON.stringify(identify(process.pid)));
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes the lock of an ended process. Restores the file if its content is not `expected`, because another process now has the lock. */
async function removeEnded(path: string, expected: string): Promise<void> {
  const moved = `${path}.${randomUUID()}`;
  await rename(path, moved).catch(ignoreMissing);
  const text = await textOf(moved);
  if (text !== undefined && text !== expected) await link(moved, path).catch(() => undefined);
  await rm(moved, { force: true });
}

/** Reads a file. Returns undefined if the file does not exist. */
const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(ignoreMissing);

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

function holderIn(text: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(text) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
