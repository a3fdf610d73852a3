import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { endedByItself, recordedProcess, startProcess, type ProcessSpec } from '../process.ts';
import type { Part } from '../sandbox-record.ts';
import { withLock } from '../tools/lock.ts';
import { launchFile } from './launch.ts';

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
const STEADY_MS = 300_000;

/** Does the work while nobody else starts or stops the process of that name: two of one part must never run. */
export const alone = (folder: string, name: string, work: () => Promise<void>): Promise<void> =>
  withLock(join(folder, 'processes', `${name}.lock`), { clock: systemClock, waiting: () => undefined }, work);

interface Life {
  /** Milliseconds on the monotonic clock at which it was first seen running. */
  runningSince?: number;
  /** When it is to be started again; absent while it runs. */
  dueAt?: number;
  backOffMs: number;
}

/**
 * Starts parts again that ended by themselves, as a kubelet restarts containers (`restartPolicy: Always`): after a back-off
 * of 1 s that doubles to 30 s, and begins anew after 5 minutes of running. What was stopped on purpose stays stopped.
 */
export class Restarts {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #lives = new Map<Part, Life>();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Looks at a part once. Answers whether it was started again. Throws as `startProcess`. */
  async turn(part: Part): Promise<boolean> {
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

  async #start(part: Part): Promise<boolean> {
    const spec = JSON.parse(readFileSync(launchFile(this.#folder, part), 'utf8')) as ProcessSpec;
    let started = false;
    await alone(this.#folder, part, async () => {
      // Somebody may have started it, or said that it is to stay stopped, while we waited for our turn.
      if (!endedByItself(this.#folder, part)) return;
      await startProcess(this.#folder, spec);
      started = true;
    });
    return started;
  }
}
