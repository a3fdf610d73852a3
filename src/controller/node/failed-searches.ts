import { backoffMs } from '../../base/backoff.ts';

/** The first wait is over by the next pass. */
const SELDOM = { baseMs: 300_000, maxMs: 3_600_000 };

/**
 * Nodes in use that were looked for among the instances of the VPC in vain, while no Node names any instance of the region: such a cluster
 * may have none, and nothing is wrong. They are looked for ever more seldom, all in the same pass, and told of once.
 */
export class FailedSearches {
  /** Names. */
  readonly #told = new Set<string>();
  /** Names of those that wait for a later pass. */
  readonly #resting = new Set<string>();
  #rounds = 0;
  #againMs = 0;

  /** A new pass begins: perhaps one in which they are looked for again. */
  begin(nowMs: number): void {
    if (this.#told.size === 0) {
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

  /** The Node was looked for in vain; answers whether that is news. */
  add(name: string): boolean {
    this.#resting.add(name);
    const isNews = !this.#told.has(name);
    this.#told.add(name);
    return isNews;
  }

  /** The Node is not what it was: it may be found now. */
  changed(name: string): void {
    this.#resting.delete(name);
  }

  /** The Node is gone, or was found, or is no more one of those. */
  forget(name: string): void {
    this.changed(name);
    this.#told.delete(name);
  }
}
