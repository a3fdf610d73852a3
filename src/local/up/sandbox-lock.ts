import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { withLock } from '../file-lock.ts';
import type { SandboxOptions } from './option-types.ts';

/** Runs `work` under the lock of a sandbox, so that commands such as `make up` and `make down` do not run concurrently. */
export function withSandboxLock<Result>(
  folder: string,
  { name, progress, clock, signal }: SandboxOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const waiting = (pid: number): void =>
    progress.line(`process ${pid} is starting or stopping sandbox ${name}; waiting`);
  return withLock(`${folder}.lock`, { clock, signal, waiting }, work);
}
