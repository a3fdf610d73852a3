import type { Clock } from '../../base/clock.ts';
import type { Kubectl, Output } from './kubectl.ts';
import type { Narrator } from './narrator.ts';
import type { Cloud } from './cloud.ts';

/** What a step may use. */
export interface Demo {
  readonly narrator: Narrator;
  readonly kubectl: Kubectl;
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends the controller's process with SIGKILL; resolves when it is gone. */
  killController(): Promise<void>;
  /** Has the controller end by itself; resolves when it has. */
  stopController(): Promise<void>;
  /** Starts the controller again; resolves when it runs, not when it leads. */
  startController(): Promise<void>;
  /** Ends the webhook's process with SIGKILL; resolves when it is gone. */
  killWebhook(): Promise<void>;
  /** Starts the webhook again; resolves when it is ready, not when the API server asks it. */
  startWebhook(): Promise<void>;
  /** Prints a command line of ours, runs it, and prints what it printed. */
  portcullis(...args: readonly string[]): Promise<Output>;
}

export interface Step {
  readonly title: string;
  /** What the reader is about to see, and why it matters. */
  readonly about: string;
  run(tour: Demo): Promise<void>;
}

/** A step did not show what it should. */
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

/** Goes on when `holds`, and says so; else ends the tour with what was expected and what was found. */
export function expect(tour: Demo, holds: boolean, expected: string, found: string): void {
  if (!holds) throw new StepFailed(expected, found);
  tour.narrator.confirm(expected);
}

type Look<Seen> = () => Promise<{ readonly seen: Seen } | { readonly not: string }>;

/**
 * Looks until `look` answers something, every 200 ms, and says how long it took.
 * Throws `StepFailed` with what `look` last found instead once `withinMs` has passed.
 */
export async function until<Seen>(tour: Demo, expected: string, withinMs: number, look: Look<Seen>): Promise<Seen> {
  const started = tour.clock.monotonic();
  const seen = await silentlyUntil(tour, expected, withinMs, look);
  tour.narrator.confirm(`${expected} (after ${((tour.clock.monotonic() - started) / 1000).toFixed(1)} s)`);
  return seen;
}

/** The same without a word, for what is nothing that a reader has to know. */
export async function silentlyUntil<Seen>(
  tour: Demo,
  expected: string,
  withinMs: number,
  look: Look<Seen>,
): Promise<Seen> {
  const started = tour.clock.monotonic();
  for (;;) {
    const result = await look();
    if ('seen' in result) return result.seen;
    if (tour.clock.monotonic() - started > withinMs) {
      throw new StepFailed(`${expected} within ${Math.round(withinMs / 1000)} s`, result.not);
    }
    await tour.clock.sleep(200, tour.signal);
  }
}
