import { backoffMs } from '../../base/backoff.ts';

/** The delays between searches. A pass over all Nodes searches again only after the delay. */
const SEARCH_BACKOFF = { baseMs: 300_000, maxMs: 3_600_000 };

/**
 * The failed searches for instances while no Node names an instance of the region. Searches are delayed, because the cluster may have no instances.
 */
export class FailedSearches {
  /** The names of reported Nodes. */
  readonly #reported = new Set<string>();
  /** The names of Nodes that wait for a later pass. */
  readonly #resting = new Set<string>();
  #rounds = 0;
  #nextSearchMs = 0;

  /** Starts a pass over all Nodes. If the delay is over, the pass repeats the searches for the instances of all Nodes. */
  begin(nowMs: number): void {
    if (this.#reported.size === 0) {
      this.#rounds = 0;
      this.#nextSearchMs = 0;
    }
    if (nowMs < this.#nextSearchMs || this.#resting.size === 0) return;
    this.#resting.clear();
    this.#rounds += 1;
    this.#nextSearchMs = nowMs + backoffMs(SEARCH_BACKOFF, this.#rounds);
  }

  /** Returns whether the search for the instance of a Node waits for a later pass. */
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

  /** Records a change of a Node, so that its next reconcile repeats the search for its instance. */
  changed(name: string): void {
    this.#resting.delete(name);
  }

  /** Forgets a Node that is deleted, has an instance, or needs no search. */
  forget(name: string): void {
    this.changed(name);
    this.#reported.delete(name);
  }
}
