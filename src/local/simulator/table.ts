/** The milliseconds for which the table keeps a removed row for lagging reads. */
const REMEMBERED_MS = 120_000;

interface Entry<Row> {
  readonly row: Row;
  readonly from: number;
  until: number;
}

/** The rows of a kind of resource, by id. The table keeps removed rows for lagging lists. */
export class Table<Row extends { readonly id: string }> {
  #live = new Map<string, Entry<Row>>();
  #gone: Entry<Row>[] = [];

  /** Adds a row. `from` is the time of its creation in milliseconds. Seeded rows have the time 0, so that lagging reads show them. */
  insert(row: Row, from: number): void {
    this.#live.set(row.id, { row, from, until: Infinity });
  }

  remove(id: string, now: number): void {
    const entry = this.#live.get(id);
    if (entry === undefined) return;
    entry.until = now;
    this.#live.delete(id);
    this.#gone = [...this.#gone.filter((old) => old.until > now - REMEMBERED_MS), entry];
  }

  get(id: string): Row | undefined {
    return this.#live.get(id)?.row;
  }

  rows(): readonly Row[] {
    return Array.from(this.#live.values(), (entry) => entry.row);
  }

  get size(): number {
    return this.#live.size;
  }

  /** Returns the rows that existed at `instant`, for a lagging read. */
  asOf(instant: number): readonly Row[] {
    const ghosts = this.#gone.filter((entry) => entry.from <= instant && entry.until > instant);
    return [...this.#live.values(), ...ghosts].filter((entry) => entry.from <= instant).map((entry) => entry.row);
  }

  /** Saves the rows and returns a function that restores the saved rows, with which `plantSeed` undoes a failed seed. */
  mark(): () => void {
    const [live, gone] = [new Map(this.#live), this.#gone];
    return () => {
      this.#live = live;
      this.#gone = gone;
      for (const entry of live.values()) entry.until = Infinity;
    };
  }
}
