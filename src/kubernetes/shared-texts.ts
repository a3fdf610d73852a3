/** Texts that are remembered at least; what is met only once is forgotten after so many others. */
const REMEMBERED = 2_000;
/** Characters; longer texts are seldom met again. */
const LONGEST = 128;

/**
 * Keeps one of texts that are equal. A parser makes each text anew, and the same few thousand (zones, reasons, times, kinds) are a tenth of the
 * heap of a large cluster.
 */
export class SharedTexts {
  #recent = new Map<string, string>();
  #before = new Map<string, string>();

  /** Puts the texts that are kept in place of those that a value is made of. It is to be plain data that nobody else has yet. */
  within<Value>(value: Value): Value {
    if (typeof value === 'string') return this.#kept(value) as Value & string;
    if (typeof value !== 'object' || value === null) return value;
    const members = value as Record<string, unknown>;
    for (const key in members) {
      const member = members[key];
      if (typeof member === 'string') members[key] = this.#kept(member);
      else this.within(member);
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
