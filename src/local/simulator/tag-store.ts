export type SimulatedTags = Readonly<Record<string, string>>;

interface Version {
  readonly since: number;
  readonly tags: SimulatedTags;
}

/** The milliseconds for which the store keeps older tags for lagging reads. */
const REMEMBERED_MS = 120_000;

/** The tags of all resources, by kind and id. The store keeps older versions for two minutes, because lists of the cloud lag. */
export class TagStore {
  #versions = new Map<string, readonly Version[]>();

  of(kind: string, id: string): SimulatedTags {
    return this.#versions.get(`${kind}/${id}`)?.at(-1)?.tags ?? {};
  }

  /** Returns the tags at `instant`, for a lagging read. */
  asOf(kind: string, id: string, instant: number): SimulatedTags {
    return this.#versions.get(`${kind}/${id}`)?.findLast(({ since }) => since <= instant)?.tags ?? {};
  }

  set(kind: string, id: string, tags: SimulatedTags, now: number): void {
    const key = `${kind}/${id}`;
    const versions = this.#versions.get(key) ?? [];
    // The store also keeps the newest version older than two minutes, because this version was valid two minutes ago.
    const firstRecent = versions.findIndex(({ since }) => since > now - REMEMBERED_MS);
    const kept = firstRecent < 0 ? versions.slice(-1) : versions.slice(Math.max(0, firstRecent - 1));
    this.#versions.set(key, [...kept, { since: now, tags }]);
  }

  /** Removes the tags of a deleted resource. */
  drop(kind: string, id: string, now: number): void {
    if (this.#versions.has(`${kind}/${id}`)) this.set(kind, id, {}, now);
  }

  /** Yields the resources of a kind that had tags at `instant`. */
  *resources(kind: string, instant: number): Generator<readonly [string, SimulatedTags]> {
    for (const key of this.#versions.keys()) {
      if (!key.startsWith(`${kind}/`)) continue;
      const id = key.slice(kind.length + 1);
      const tags = this.asOf(kind, id, instant);
      if (Object.keys(tags).length > 0) yield [id, tags];
    }
  }

  /** Saves all tags and returns a function that restores the saved tags, with which `plantSeed` undoes a failed seed. */
  mark(): () => void {
    const versions = new Map(this.#versions);
    return () => {
      this.#versions = versions;
    };
  }
}
