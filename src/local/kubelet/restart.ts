import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../base/clock.ts';
import { endedByItself, recordedProcess, startProcess, type ProcessSpec } from '../process.ts';
import type { SandboxPart } from '../sandbox-record.ts';
import { withLock } from '../file-lock.ts';
import { launchFile } from './launch-spec.ts';

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;
/** The duration of a run, in milliseconds, after which the back-off returns to `FIRST_MS`. */
const STABLE_MS = 300_000;

/** Runs `work` under the lock of a process, because the kubelet and commands such as `make webhook` start the same processes. */
export const underProcessLock = (folder: string, name: string, work: () => Promise<void>): Promise<void> =>
  withLock(join(folder, 'processes', `${name}.lock`), { clock: systemClock, waiting: () => undefined }, work);

/** The restarts of one part. */
interface RestartState {
  /** The time at which the process was first observed running, in milliseconds of the monotonic clock. */
  runningSince?: number;
  /** The time of the next start in milliseconds of the monotonic clock. Undefined while the process runs. */
  dueAt?: number;
  /** The wait before the next start. */
  backOffMs: number;
}

/** Restarts crashed processes with a back-off, like a kubelet with `restartPolicy: Always`. */
export class Restarts {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #states = new Map<SandboxPart, RestartState>();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** Starts a part if its process has crashed and the back-off is over. Returns whether the part was started. */
  async restartIfDue(part: SandboxPart): Promise<boolean> {
    const now = this.#clock.monotonic();
    const state = this.#states.get(part) ?? { backOffMs: FIRST_MS };
    this.#states.set(part, state);
    if (!endedByItself(this.#folder, part)) {
      if (recordedProcess(this.#folder, part) === undefined) this.#states.delete(part);
      else state.runningSince ??= now;
      delete state.dueAt;
      return false;
    }
    if (state.dueAt === undefined) {
      if (now - (state.runningSince ?? now) >= STABLE_MS) state.backOffMs = FIRST_MS;
      state.dueAt = now + state.backOffMs;
    }
    if (now < state.dueAt || !existsSync(launchFile(this.#folder, part))) return false;
    delete state.dueAt;
    delete state.runningSince;
    state.backOffMs = Math.min(state.backOffMs * 2, LONGEST_MS);
    return this.#start(part);
  }

  async #start(part: SandboxPart): Promise<boolean> {
    const spec = JSON.parse(readFileSync(launchFile(this.#folder, part), 'utf8')) as ProcessSpec;
    let started = false;
    await underProcessLock(this.#folder, part, async () => {
      // Another command may have started or stopped the part before this function got the lock.
      if (!endedByItself(this.#folder, part)) return;
      await startProcess(this.#folder, spec);
      started = true;
    });
    return started;
  }
}
