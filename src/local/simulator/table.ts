/** How long a removed row can still be shown to a reader that lags behind, in milliseconds. */
const REMEMBERED_MS = 120_000;

interface Entry<Row> {
  readonly row: Row;
  readonly from: number;
  until: number;
}

/** Rows with an id, in order of creation, that remember for a while what was removed. Times are milliseconds. */
export class Table<Row extends { readonly id: string }> {
  #live = new Map<string, Entry<Row>>();
  #gone: Entry<Row>[] = [];

  /** `from` is when it came to be; 0 for what was always there. */
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

  /** What a reader sees whose view is as old as `instant`: newer rows are missing, later removed ones still there. */
  asOf(instant: number): readonly Row[] {
    const ghosts = this.#gone.filter((entry) => entry.from <= instant && entry.until > instant);
    return [...this.#live.values(), ...ghosts].filter((entry) => entry.from <= instant).map((entry) => entry.row);
  }

  /** Remembers which rows there are; the answer brings them back. */
  mark(): () => void {
    const [live, gone] = [new Map(this.#live), this.#gone];
    return () => {
      this.#live = live;
      this.#gone = gone;
      for (const entry of live.values()) entry.until = Infinity;
    };
  }
}
