import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { endedByItself, recordedProcess, startProcess, type ProcessSpec } from '../process.ts';
import type { SandboxPart } from '../sandbox-record.ts';
import { withLock } from '../tools/lock.ts';
import { launchFile } from './launch-spec.ts';

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
const STEADY_MS = 300_000;

/** Runs `work` under the lock of a process name, so that two commands never start two processes of a part. */
export const alone = (folder: string, name: string, work: () => Promise<void>): Promise<void> =>
  withLock(join(folder, 'processes', `${name}.lock`), { clock: systemClock, waiting: () => undefined }, work);

interface Life {
  /** The time at which the process was first observed running, in milliseconds of the monotonic clock. */
  runningSince?: number;
  /** The time of the next start. Undefined while the process runs. */
  dueAt?: number;
  backOffMs: number;
}

/**
 * The restarts of crashed processes, as by a kubelet with `restartPolicy: Always`. The back-off doubles from 1 s to 30 s, and returns to 1 s after a
 * run of 5 minutes. A process that a command stopped stays stopped.
 */
export class Restarts {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #lives = new Map<SandboxPart, Life>();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Starts a part if its process has crashed and the back-off is over. Returns whether the part was started. Throws the errors of `startProcess`. */
  async restartIfDue(part: SandboxPart): Promise<boolean> {
    const now = this.#clock.monotonic();
    const life = this.#lives.get(part) ?? { backOffMs: FIRST_MS };
    this.#lives.set(part, life);
    if (!endedByItself(this.#folder, part)) {
      if (recordedProcess(this.#folder, part) === undefined) this.#lives.delete(part);
      else life.runningSince ??= now;
      delete life.dueAt;
      return false;
    }
    if (life.dueAt === undefined) {
      if (now - (life.runningSince ?? now) >= STEADY_MS) life.backOffMs = FIRST_MS;
      life.dueAt = now + life.backOffMs;
    }
    if (now < life.dueAt || !existsSync(launchFile(this.#folder, part))) return false;
    delete life.dueAt;
    delete life.runningSince;
    life.backOffMs = Math.min(life.backOffMs * 2, LONGEST_MS);
    return this.#start(part);
  }

  async #start(part: SandboxPart): Promise<boolean> {
    const spec = JSON.parse(readFileSync(launchFile(this.#folder, part), 'utf8')) as ProcessSpec;
    let started = false;
    await alone(this.#folder, part, async () => {
      // Another command may have started or stopped the part before this function got the lock.
      if (!endedByItself(this.#folder, part)) return;
      await startProcess(this.#folder, spec);
      started = true;
    });
    return started;
  }
}
