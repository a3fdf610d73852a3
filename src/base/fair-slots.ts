/** Slots of namespaces, such as workers of a controller. Only a namespace without slots can take the last `reserved` slots. */
export class Shares {
  readonly #slots: number;
  readonly #reserved: number;
  readonly #takenByShare = new Map<string, number>();
  #taken = 0;

  constructor(slots: number, reserved: number) {
    this.#slots = slots;
    this.#reserved = reserved;
  }

  /** The number of free slots. */
  get free(): number {
    return this.#slots - this.#taken;
  }

  /** Returns whether a namespace may take a slot now. */
  mayTake(share: string): boolean {
    return this.free > (this.#slotsOf(share) === 0 ? 0 : this.#reserved);
  }

  take(share: string): void {
    this.#taken += 1;
    this.#takenByShare.set(share, this.#slotsOf(share) + 1);
  }

  giveBack(share: string): void {
    this.#taken -= 1;
    const rest = this.#slotsOf(share) - 1;
    if (rest === 0) this.#takenByShare.delete(share);
    else this.#takenByShare.set(share, rest);
  }

  #slotsOf(share: string): number {
    return this.#takenByShare.get(share) ?? 0;
  }
}
