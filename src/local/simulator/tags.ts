export type Tags = Readonly<Record<string, string>>;

interface Version {
  readonly since: number;
  readonly tags: Tags;
}

const REMEMBERED_MS = 120_000;

/** The tags of every resource, by kind and id, with the versions of the last two minutes for readers that lag behind. */
export class TagStore {
  #versions = new Map<string, readonly Version[]>();

  of(kind: string, id: string): Tags {
    return this.#versions.get(`${kind}/${id}`)?.at(-1)?.tags ?? {};
  }

  /** As a reader sees them whose view is as old as `instant`. */
  asOf(kind: string, id: string, instant: number): Tags {
    return this.#versions.get(`${kind}/${id}`)?.findLast(({ since }) => since <= instant)?.tags ?? {};
  }

  set(kind: string, id: string, tags: Tags, now: number): void {
    const key = `${kind}/${id}`;
    const versions = this.#versions.get(key) ?? [];
    // The newest of the outdated versions is still what a lagging reader sees, so one more than the recent ones is kept.
    const firstRecent = versions.findIndex(({ since }) => since > now - REMEMBERED_MS);
    const kept = firstRecent < 0 ? versions.slice(-1) : versions.slice(Math.max(0, firstRecent - 1));
    this.#versions.set(key, [...kept, { since: now, tags }]);
  }

  /** Forgets the tags of a resource that is gone. */
  drop(kind: string, id: string, now: number): void {
    if (this.#versions.has(`${kind}/${id}`)) this.set(kind, id, {}, now);
  }

  /** Every resource of a kind that has tags, as seen at `instant`. */
  *resources(kind: string, instant: number): Generator<readonly [string, Tags]> {
    for (const key of this.#versions.keys()) {
      if (!key.startsWith(`${kind}/`)) continue;
      const id = key.slice(kind.length + 1);
      const tags = this.asOf(kind, id, instant);
      if (Object.keys(tags).length > 0) yield [id, tags];
    }
  }

  /** Remembers all tags; the answer brings them back. */
  mark(): () => void {
    const versions = new Map(this.#versions);
    return () => {
      this.#versions = versions;
    };
  }
}
