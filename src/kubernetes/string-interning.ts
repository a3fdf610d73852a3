/** The maximum number of texts in `#recent`. A full `#recent` replaces `#before`, so that texts without recent use are forgotten. */
const REMEMBERED = 2_000;
/** The longest text that is shared, in characters, because longer texts rarely repeat. */
const LONGEST = 128;

/** Shares equal texts between cached objects, because copies would take a tenth of the heap in a large cluster. */
export class SharedTexts {
  #recent = new Map<string, string>();
  #before = new Map<string, string>();

  /** Replaces texts in a value by their shared copies. The value must be plain JSON data, because it changes in place. */
  share<Value>(value: Value): Value {
    if (typeof value === 'string') return this.#kept(value) as Value & string;
    if (typeof value !== 'object' || value === null) return value;
    const members = value as Record<string, unknown>;
    for (const key in members) {
      const member = members[key];
      if (typeof member === 'string') members[key] = this.#kept(member);
      else this.share(member);
    }
    return value;
  }

  #kept(text: string): string {
    if (text.length > LONGEST) return text;
    const recent = this.#recent.get(text);
    if (recent !== undefined) return recent;
    const kept = this.#before.get(text) ?? text;
    if (this.#recent.size >= REMEMBERED) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(kept, kept);
    return kept;
  }
}
