/**
 * A number of places that shares divide among themselves. A share takes one more only while it holds less than `factor` times as many as
 * are free: one alone gets nearly all places, and the next share always finds some.
 */
export class Shares {
  readonly #places: number;
  readonly #factor: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(places: number, factor: number) {
    this.#places = places;
    this.#factor = factor;
  }

  /** The places that no share holds. */
  get free(): number {
    return this.#places - this.#taken;
  }

  mayTake(share: string): boolean {
    return this.#heldBy(share) < this.#factor * this.free;
  }

  take(share: string): void {
    this.#taken += 1;
    this.#held.set(share, this.#heldBy(share) + 1);
  }

  giveBack(share: string): void {
    this.#taken -= 1;
    const rest = this.#heldBy(share) - 1;
    if (rest === 0) this.#held.delete(share);
    else this.#held.set(share, rest);
  }

  #heldBy(share: string): number {
    return this.#held.get(share) ?? 0;
  }
}
