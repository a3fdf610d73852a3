/** A monotonic wall clock with fractions of a millisecond, which `Date` lacks. Orders events of this process among those of other processes. */
export class PreciseClock {
  #offsetMs = performance.timeOrigin;
  #lastMs = 0;

  /** Milliseconds since the epoch. */
  now(): number {
    const wallMs = Date.now();
    const ownMs = performance.now() + this.#offsetMs;
    // The monotonic clock does not follow corrections of the wall clock.
    const correctedMs = Math.min(Math.max(ownMs, wallMs), wallMs + 0.999);
    this.#offsetMs += correctedMs - ownMs;
    this.#lastMs = Math.max(this.#lastMs, correctedMs);
    return this.#lastMs;
  }
}
