import { backoffMs } from '../../base/backoff.ts';

/** The first wait ends before the next pass. */
const SELDOM = { baseMs: 300_000, maxMs: 3_600_000 };

/**
 * Tracks initialised Nodes whose instance was not found in the VPC, while no Node names an instance of the region. Such a cluster may have no
 * instances, so the searches become rarer, share a pass, and are reported once.
 */
export class FailedSearches {
  /** The names of reported Nodes. */
  readonly #reported = new Set<string>();
  /** The names of Nodes that wait for a later pass. */
  readonly #resting = new Set<string>();
  #rounds = 0;
  #againMs = 0;

  /** Starts a pass. If the wait is over, all Nodes are searched again. */
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

  /** Records a failed search. Returns whether it is the first search of this Node. */
  add(name: string): boolean {
    this.#resting.add(name);
    const isFirst = !this.#reported.has(name);
    this.#reported.add(name);
    return isFirst;
  }

  /** Records a change of the Node, whose instance may be found now. */
  changed(name: string): void {
    this.#resting.delete(name);
  }

  /** Forgets a Node that was deleted or found, or that needs no search any more. */
  forget(name: string): void {
    this.changed(name);
    this.#reported.delete(name);
  }
}
