import { backoffMs } from '../../base/backoff.ts';

/** The delays between searches. The first delay ends before the next pass over all Nodes. */
const SELDOM = { baseMs: 300_000, maxMs: 3_600_000 };

/**
 * The initialised Nodes whose instance was not found in the VPC. If no Node names an instance, the cluster may have no instances. Searches then
 * become rarer, and each failed search is reported once.
 */
export class FailedSearches {
  /** The names of reported Nodes. */
  readonly #reported = new Set<string>();
  /** The names of Nodes that wait for a later pass. */
  readonly #resting = new Set<string>();
  #rounds = 0;
  #againMs = 0;

  /** Starts a pass over all Nodes. After the delay, all Nodes may be searched again. */
  begin(nowMs: number): void {
    if (this.#reported.size === 0) {
      this.#rounds = 0;
      this.#againMs = 0;
    }
    if (nowMs < this.#againMs || this.#resting.size === 0) return;
    this.#resting.clear();
    this.#rounds += 1;
    this.#againMs = nowMs + backoffMs(SELDOM, this.#rounds);
  }

  rests(name: string): boolean {
    return this.#resting.has(name);
  }

  /** Records a failed search. Returns whether the search was the first of this Node. */
  add(name: string): boolean {
    this.#resting.add(name);
    const isFirst = !this.#reported.has(name);
    this.#reported.add(name);
    return isFirst;
  }

  /** Records a change of a Node. The next reconcile searches its instance again. */
  changed(name: string): void {
    this.#resting.delete(name);
  }

  /** Forgets a Node that is deleted, has an instance, or needs no search. */
  forget(name: string): void {
    this.changed(name);
    this.#reported.delete(name);
  }
}
