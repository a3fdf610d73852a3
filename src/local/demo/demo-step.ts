import type { Clock } from '../../base/clock.ts';
import type { ApiClient } from '../api-client.ts';
import type { Kubectl, CommandOutput } from './kubectl.ts';
import type { Narrator } from './narrator.ts';
import type { DemoCloud } from './simulator-client.ts';

/** The tools of the step `offline`, which needs no cluster. */
export interface OfflineDemo {
  readonly narrator: Narrator;
  /** Prints a command line of `portcullis`, runs the command, and prints its output. */
  portcullis(...args: readonly string[]): Promise<CommandOutput>;
}

/** The tools that a step gets from the demo. */
export interface Demo extends OfflineDemo {
  readonly kubectl: Kubectl;
  /** Reads objects from the API server. Steps that poll use this client, because each `kubectl` needs a new process. */
  readonly api: Pick<ApiClient, 'find'>;
  readonly cloud: DemoCloud;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends the controller process with SIGKILL, and resolves after its end. */
  killController(): Promise<void>;
  /** Stops the controller gracefully, and resolves after its end. */
  stopController(): Promise<void>;
  /** Starts the controller, and resolves when the process runs. The controller may not be the leader yet. */
  startController(): Promise<void>;
  /** Ends the webhook process with SIGKILL, and resolves after its end. */
  killWebhook(): Promise<void>;
  /** Starts the webhook, and resolves when the webhook is ready. The API server may not call the webhook yet. */
  startWebhook(): Promise<void>;
}

/** A step of `make demo`. The demo runs the steps in order on one sandbox. */
export interface DemoStep {
  readonly title: string;
  /** The introduction of the step, which the demo prints below the title. */
  readonly about: string;
  run(demo: Demo): Promise<void>;
}

/** The error of a step with an unexpected result, which ends the demo. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly expected: string;
  readonly found: string;

  constructor(expected: string, found: string) {
    super(`expected ${expected}; found ${found}`);
    this.expected = expected;
    this.found = found;
  }
}

/** Checks a result of a step. If `holds` is true, prints `expected` with a check mark; if not, throws `StepFailed` with `expected` and `found`. */
export function expect(demo: Pick<Demo, 'narrator'>, holds: boolean, expected: string, found: string): void {
  if (!holds) throw new StepFailed(expected, found);
  demo.narrator.confirm(expected);
}

const POLL_MS = 100;

type Attempt<Seen> = () => Promise<{ readonly seen: Seen } | { readonly not: string }>;

/** Repeats `attempt` until the result has `seen`, and prints `expected`. Throws `StepFailed` with the last `not` after `withinMs` milliseconds. */
export async function until<Seen>(
  demo: Demo,
  expected: string,
  withinMs: number,
  attempt: Attempt<Seen>,
): Promise<Seen> {
  const started = demo.clock.monotonic();
  const seen = await silentlyUntil(demo, expected, withinMs, attempt);
  demo.narrator.confirm(`${expected} (after ${((demo.clock.monotonic() - started) / 1000).toFixed(1)} s)`);
  return seen;
}

/** Waits like `until`, but prints no check mark. */
export const silentlyUntil = <Seen>(
  demo: Demo,
  expected: string,
  withinMs: number,
  attempt: Attempt<Seen>,
): Promise<Seen> => demo.narrator.during(expected, () => repeated(demo, expected, withinMs, attempt));

async function repeated<Seen>(demo: Demo, expected: string, withinMs: number, attempt: Attempt<Seen>): Promise<Seen> {
  const started = demo.clock.monotonic();
  for (;;) {
    const result = await attempt();
    if ('seen' in result) return result.seen;
    if (demo.clock.monotonic() - started > withinMs) {
      throw new StepFailed(`${expected} within ${Math.round(withinMs / 1000)} s`, result.not);
    }
    await demo.clock.sleep(POLL_MS, demo.signal);
  }
}
