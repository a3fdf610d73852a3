/** A binary heap, which returns the least item first. */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    let at = this.#items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  pop(): Item | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return first;
    this.#items[0] = last;
    this.#sink();
    return first;
  }

  #sink(): void {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const least = this.#isLess(right, left) ? right : left;
      if (!this.#swapIfBefore(least, at)) return;
      at = least;
    }
  }

  #isLess(a: number, b: number): boolean {
    const [one, other] = [this.#items[a], this.#items[b]];
    return one !== undefined && other !== undefined && this.#isBefore(one, other);
  }

  #swapIfBefore(a: number, b: number): boolean {
    const [one, other] = [this.#items[a], this.#items[b]];
    if (one === undefined || other === undefined || !this.#isBefore(one, other)) return false;
    this.#items[a] = other;
    this.#items[b] = one;
    return true;
  }
}
