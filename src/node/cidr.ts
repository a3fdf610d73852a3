import { isIpv4 } from '../annotation/text-formats.ts';

/** A range of IP addresses. */
export interface Cidr {
  /** The notation of the cloud and of Kubernetes: the first address and the prefix length, such as `10.244.0.0/16`. */
  readonly text: string;
  readonly bits: 32 | 128;
  readonly prefix: number;
  /** The first address of the range as a number. */
  readonly first: bigint;
}

/** Returns the eight groups of an IPv6 address, with omitted groups as zeros. Undefined for any other text. */
function ipv6Groups(text: string): readonly string[] | undefined {
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail = []] = halves;
  const omitted = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? omitted < 1 : omitted !== 0)) return undefined;
  const groups = [...head, ...Array.from({ length: omitted }, () => '0'), ...tail];
  return groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) ? groups : undefined;
}

const ipv4Text = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');

/** Returns the shortest notation of an IPv6 address, as RFC 5952 defines it. */
function ipv6Text(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const runs = groups.map((_, from) => {
    const end = groups.findIndex((group, index) => index >= from && group !== '0');
    return { from, length: (end < 0 ? 8 : end) - from };
  });
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best));
  if (longest.length < 2) return groups.join(':');
  const { from, length } = longest;
  return `${groups.slice(0, from).join(':')}::${groups.slice(from + length).join(':')}`;
}

/** The maximum length of the text of a range, in characters. */
const LONGEST = 45;

/** Parses a range of addresses and clears the bits after the prefix. Returns undefined for an invalid range. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', digits = '', ...more] = text.split('/');
  if (text.length > LONGEST || more.length > 0 || !/^\d{1,3}$/.test(digits)) return undefined;
  const isFour = isIpv4(address);
  const groups = isFour ? address.split('.') : ipv6Groups(address)?.map((group) => `0x${group}`);
  const [bits, shift] = isFour ? ([32, 8n] as const) : ([128, 16n] as const);
  const prefix = Number(digits);
  if (groups === undefined || prefix > bits) return undefined;
  const hostBits = BigInt(bits - prefix);
  const first = (groups.reduce((sum, group) => (sum << shift) | BigInt(group), 0n) >> hostBits) << hostBits;
  return { text: `${isFour ? ipv4Text(first) : ipv6Text(first)}/${prefix}`, bits, prefix, first };
}

/** Returns whether `outer` contains `inner` or equals `inner`. */
export const covers = (outer: Cidr, inner: Cidr): boolean =>
  outer.bits === inner.bits &&
  outer.prefix <= inner.prefix &&
  inner.first >> BigInt(outer.bits - outer.prefix) === outer.first >> BigInt(outer.bits - outer.prefix);

export const isStrictlyInside = (inner: Cidr, outer: Cidr): boolean =>
  covers(outer, inner) && inner.prefix > outer.prefix;

/** Returns whether one of `ranges` contains the range `text`. Undefined if `text` is invalid, or no range has its address family. */
export function liesInOneOf(text: string, ranges: readonly string[]): boolean | undefined {
  const inner = parseCidr(text);
  if (inner === undefined) return undefined;
  const family = ranges.flatMap((range) => parseCidr(range) ?? []).filter(({ bits }) => bits === inner.bits);
  return family.length === 0 ? undefined : family.some((outer) => covers(outer, inner));
}
