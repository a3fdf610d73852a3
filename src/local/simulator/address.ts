import { BlockList, isIPv4 } from 'node:net';

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** An IPv4 range, such as the range of a vSwitch. */
export interface Range {
  /** The first address as a number. */
  readonly first: number;
  /** The number of addresses. */
  readonly size: number;
  readonly prefix: number;
}

/** Parses an IPv4 range whose bits after the prefix are 0. An address without a prefix is a /32. Returns undefined for other texts. */
export function parseRange(text: string): Range | undefined {
  const [address = '', length = '32'] = text.split('/');
  if (!isIPv4(address) || !/^\d{1,2}$/.test(length) || Number(length) > 32) return undefined;
  const size = 2 ** (32 - Number(length));
  const first = toNumber(address);
  return first % size === 0 ? { first, size, prefix: Number(length) } : undefined;
}

/** Returns whether `outer` contains or equals `inner`. */
export const covers = (outer: Range, inner: Range): boolean =>
  inner.first >= outer.first && inner.first + inner.size <= outer.first + outer.size;

/** Returns the number of usable addresses of a vSwitch: all except the first address and the last three, which the cloud reserves. */
export const usableAddresses = (range: Range): number => Math.max(0, range.size - 4);

/** Returns the lowest free address of a vSwitch. Returns undefined if all usable addresses are taken. */
export function freeAddress(range: Range, taken: ReadonlySet<string>): string | undefined {
  for (let offset = 1; offset <= usableAddresses(range); offset += 1) {
    const address = toAddress(range.first + offset);
    if (!taken.has(address)) return address;
  }
  return undefined;
}

/** Returns whether a resource in the vSwitch can have the address. */
export const isUsable = (range: Range, address: string): boolean => {
  if (!isIPv4(address)) return false;
  const offset = toNumber(address) - range.first;
  return offset >= 1 && offset <= usableAddresses(range);
};

/** Returns whether a text is an address or a range of the IP version. */
export function isNetwork(text: string, version: 'ipv4' | 'ipv6'): boolean {
  const [address = '', length = version === 'ipv4' ? '32' : '128'] = text.split('/');
  try {
    new BlockList().addSubnet(address, Number(length), version);
    return /^\d+$/.test(length);
  } catch {
    return false;
  }
}
