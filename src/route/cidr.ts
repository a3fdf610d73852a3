import { isIPv4, isIPv6 } from 'node:net';

/** A range of addresses. */
export interface Cidr {
  /** As the cloud and Kubernetes write it: the network's first address and the length of its prefix. */
  readonly text: string;
  readonly bits: 32 | 128;
  readonly prefix: number;
  /** The first address as a number. */
  readonly first: bigint;
}

const ipv4Number = (text: string): bigint => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);

/** The eight groups of an IPv6 address, the short form and an IPv4 ending written out. */
function ipv6Number(text: string): bigint {
  const plain = text.replace(/[^:]+\.[^:]+$/, (ending) => {
    const value = ipv4Number(ending);
    return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  });
  const [head = '', tail] = plain.split('::');
  const groupsOf = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array<string>(zeros).fill('0'), ...back].reduce(
    (sum, group) => sum * 65536n + BigInt(`0x${group}`),
    0n,
  );
}

const ipv4Text = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');

/** The shortest spelling, as RFC 5952 has it. */
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

/** Reads a range of either family; bits behind the prefix are cleared. Absent for what is none. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const [address, length] = [text.slice(0, slash), text.slice(slash + 1)];
  const isFour = isIPv4(address);
  if (slash < 0 || !/^\d{1,3}$/.test(length) || (!isFour && (!isIPv6(address) || address.includes('%'))))
    return undefined;
  const bits = isFour ? 32 : 128;
  const prefix = Number(length);
  if (prefix > bits) return undefined;
  const hostBits = BigInt(bits - prefix);
  const first = ((isFour ? ipv4Number(address) : ipv6Number(address)) >> hostBits) << hostBits;
  return { text: `${isFour ? ipv4Text(first) : ipv6Text(first)}/${prefix}`, bits, prefix, first };
}

/** Whether `inner` lies in `outer` or is the same. */
export const covers = (outer: Cidr, inner: Cidr): boolean =>
  outer.bits === inner.bits &&
  outer.prefix <= inner.prefix &&
  inner.first >> BigInt(outer.bits - outer.prefix) === outer.first >> BigInt(outer.bits - outer.prefix);

export const isStrictlyInside = (inner: Cidr, outer: Cidr): boolean =>
  covers(outer, inner) && inner.prefix > outer.prefix;
