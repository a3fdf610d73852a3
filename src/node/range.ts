import { isIpv4 } from '../annotation/text.ts';

/** Addresses that have their first `bits` bits in common. */
interface Range {
  readonly value: bigint;
  readonly bits: number;
  readonly width: 32 | 128;
}

/** The groups of an IPv6 address, the omitted ones as zeros; absent for what is none. */
function ipv6Groups(text: string): readonly string[] | undefined {
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail = []] = halves;
  const omitted = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? omitted < 1 : omitted !== 0)) return undefined;
  const groups = [...head, ...Array.from({ length: omitted }, () => '0'), ...tail];
  return groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) ? groups : undefined;
}

/** An address with the length of its prefix behind a slash (`10.0.0.0/16`, `fd00::/48`); absent for anything else. */
function rangeOf(text: string): Range | undefined {
  const [address = '', digits = '', ...more] = text.split('/');
  if (text.length > 45 || more.length > 0 || !/^\d{1,3}$/.test(digits)) return undefined;
  const isOld = isIpv4(address);
  const steps = isOld ? address.split('.') : ipv6Groups(address)?.map((group) => `0x${group}`);
  const width = isOld ? 32 : 128;
  const bits = Number(digits);
  if (steps === undefined || bits > width) return undefined;
  const shift = isOld ? 8n : 16n;
  return { value: steps.reduce((value, step) => (value << shift) | BigInt(step), 0n), bits, width };
}

const contains = (outer: Range, inner: Range): boolean => {
  const rest = BigInt(outer.width - outer.bits);
  return inner.bits >= outer.bits && inner.value >> rest === outer.value >> rest;
};

/**
 * Whether a range lies in one of several; `undefined` when it is none, or when none of the several is of its family, so that nothing
 * is known of where it belongs.
 */
export function liesInOneOf(text: string, ranges: readonly string[]): boolean | undefined {
  const inner = rangeOf(text);
  if (inner === undefined) return undefined;
  const family = ranges.flatMap((range) => rangeOf(range) ?? []).filter(({ width }) => width === inner.width);
  return family.length === 0 ? undefined : family.some((outer) => contains(outer, inner));
}
