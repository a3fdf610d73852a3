/** The minimum number of texts that are kept. An unused text is dropped only after this many newer texts. */
const REMEMBERED = 2_000;
/** The longest shared text in characters. Longer texts rarely repeat. */
const LONGEST = 128;

/**
 * Shares equal texts. A parser creates each text anew, and a few thousand texts (zones, reasons, times, kinds) take a tenth of the heap in a large
 * cluster.
 */
export class SharedTexts {
  #recent = new Map<string, string>();
  #before = new Map<string, string>();

  /** Replaces the texts in a value with their shared copies. The value must be plain data without other references. */
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
