/**
 * A number of places that shares divide among themselves. The last places are reserved for shares that hold none, so that a newcomer
 * finds a place, however many busy shares there are.
 */
export class Shares {
  readonly #places: number;
  readonly #reserved: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(places: number, reserved: number) {
    this.#places = places;
    this.#reserved = reserved;
  }

  /** The places that no share holds. */
  get free(): number {
    return this.#places - this.#taken;
  }

  mayTake(share: string): boolean {
    return this.free > (this.#heldBy(share) === 0 ? 0 : this.#reserved);
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
