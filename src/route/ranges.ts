import { covers, type Cidr } from '../node/cidr.ts';

/** Ranges, each with something of its own, found by what overlaps them: in few steps as long as most are of one size, as pod ranges are. */
export class Ranges<Value> {
  /** Of every size: the ranges by their first address. */
  readonly #bySize = new Map<string, Map<bigint, { readonly cidr: Cidr; readonly value: Value }>>();

  /** Keeps what was there before for the same range. */
  add(cidr: Cidr, value: Value): void {
    const size = `${cidr.bits}/${cidr.prefix}`;
    const ranges = this.#bySize.get(size) ?? new Map<bigint, { readonly cidr: Cidr; readonly value: Value }>();
    this.#bySize.set(size, ranges);
    if (!ranges.has(cidr.first)) ranges.set(cidr.first, { cidr, value });
  }

  get(cidr: Cidr): Value | undefined {
    return this.#bySize.get(`${cidr.bits}/${cidr.prefix}`)?.get(cidr.first)?.value;
  }

  /** Of a range that is the same, contains this one, or lies in it. */
  overlapping(cidr: Cidr): Value | undefined {
    return this.get(cidr) ?? this.containing(cidr) ?? this.#inside(cidr);
  }

  /** Of a larger range that contains this one. */
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
