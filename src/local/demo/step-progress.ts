import type { Clock } from '../../base/clock.ts';
import type { DemoStep } from './demo-step.ts';
import { table } from './cloud-state-text.ts';
import type { Narrator } from './narrator.ts';

/** The progress of a demo. Prints the heading of each step, runs the step, and measures its duration for the summary. */
export class DemoProgress {
  readonly #results: { readonly title: string; readonly seconds: number }[] = [];
  readonly #narrator: Narrator;
  readonly #clock: Clock;
  readonly #stepCount: number;

  /** Creates the progress of a demo before its first step. `stepCount` includes the summary. */
  constructor(narrator: Narrator, clock: Clock, stepCount: number) {
    this.#narrator = narrator;
    this.#clock = clock;
    this.#stepCount = stepCount;
  }

  /** Prints the heading and the introduction of a step, and runs `work`. */
  async run({ title, about }: Pick<DemoStep, 'title' | 'about'>, work: () => Promise<void>): Promise<void> {
    this.heading(title);
    this.#narrator.say(about);
    const started = this.#clock.monotonic();
    await work();
    this.#results.push({ title, seconds: (this.#clock.monotonic() - started) / 1000 });
  }

  /** Prints the heading of the next step. */
  heading(title: string): void {
    this.#narrator.heading(this.#results.length + 1, this.#stepCount, title);
  }

  /** Prints the duration of each step that has run. Called in the summary. */
  printDurations(): void {
    const total = this.#results.reduce((sum, { seconds }) => sum + seconds, 0);
    const rows = this.#results.map(({ title, seconds }, index) => [`${index + 1}`, title, `${seconds.toFixed(1)} s`]);
    this.#narrator.output(table([...rows, ['', 'all steps', `${total.toFixed(1)} s`]]));
  }
}
