import { covers, type Cidr } from '../node/cidr.ts';

/** A map of address ranges with a search for overlaps, which is fast if most ranges have one size. */
export class Ranges<Value> {
  /** The ranges by size and first address. */
  readonly #bySize = new Map<string, Map<bigint, { readonly cidr: Cidr; readonly value: Value }>>();

  /** Adds a value. If the range already has a value, the existing value stays. */
  add(cidr: Cidr, value: Value): void {
    const size = `${cidr.bits}/${cidr.prefix}`;
    const ranges = this.#bySize.get(size) ?? new Map<bigint, { readonly cidr: Cidr; readonly value: Value }>();
    this.#bySize.set(size, ranges);
    if (!ranges.has(cidr.first)) ranges.set(cidr.first, { cidr, value });
  }

  get(cidr: Cidr): Value | undefined {
    return this.#bySize.get(`${cidr.bits}/${cidr.prefix}`)?.get(cidr.first)?.value;
  }

  /** Returns the value of a range that overlaps `cidr`: an equal, larger or smaller range. */
  overlapping(cidr: Cidr): Value | undefined {
    return this.get(cidr) ?? this.containing(cidr) ?? this.#inside(cidr);
  }

  /** Returns the value of a larger range that contains `cidr`. */
  containing(cidr: Cidr): Value | undefined {
    for (const [size, ranges] of this.#bySize) {
      const [bits, prefix] = size.split('/').map(Number);
      if (bits !== cidr.bits || prefix === undefined || prefix >= cidr.prefix) continue;
      const hostBits = BigInt(bits - prefix);
      const found = ranges.get((cidr.first >> hostBits) << hostBits);
      if (found !== undefined) return found.value;
    }
    return undefined;
  }

  #inside(cidr: Cidr): Value | undefined {
    for (const [size, ranges] of this.#bySize) {
      const [bits, prefix] = size.split('/').map(Number);
      if (bits !== cidr.bits || prefix === undefined || prefix <= cidr.prefix) continue;
      for (const found of ranges.values()) if (covers(cidr, found.cidr)) return found.value;
    }
    return undefined;
  }
}
