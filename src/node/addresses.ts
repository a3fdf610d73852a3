import { BlockList, isIP } from 'node:net';
import type { Node } from '../base/objects.ts';
import type { InstanceAddresses } from './instance.ts';

export interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

/** The annotation with the kubelet's `--node-ip`: one address, or one of each family, separated by a comma. */
export const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

/** The desired addresses of a Node, or the reason why they are unknown. */
export type Addresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly NodeAddress[] }
  /** The `--node-ip` of the kubelet is not an address of the instance. */
  | { readonly kind: 'unmatched'; readonly nodeIp: string }
  /** The instance has no addresses yet. */
  | { readonly kind: 'none' };

const ofType =
  (type: string) =>
  (address: string): NodeAddress => ({ type, address });

/** Returns whether both texts are the same address. An IPv6 address has many spellings. */
function isSameAddress(left: string, right: string): boolean {
  if (left === right) return true;
  if (isIP(left) !== 6 || isIP(right) !== 6) return false;
  const list = new BlockList();
  list.addAddress(left, 'ipv6');
  return list.check(right, 'ipv6');
}

/** Returns the addresses in `--node-ip` of the kubelet, which is usually unset. */
const providedIps = ({ metadata }: Node): readonly string[] =>
  (metadata.annotations?.[PROVIDED_NODE_IP] ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** Returns whether the Node reports addresses and none of them is an address of the instance. */
export function contradicts(
  node: Node,
  { public: open, elastic, classic, private: own, ipv6 }: InstanceAddresses,
): boolean {
  const internal = (node.status?.addresses ?? []).filter(({ type }) => type === 'InternalIP');
  const declaredAddresses = [...providedIps(node), ...internal.map(({ address }) => address)];
  const has = [...open, ...elastic, ...classic, ...own, ...ipv6];
  return (
    declaredAddresses.length > 0 && !declaredAddresses.some((ip) => has.some((address) => isSameAddress(address, ip)))
  );
}

/**
 * Returns public, elastic, classic and private addresses, IPv6 if `ipv6` is set, then the kubelet's host names, as the existing controller orders
 * them. A `--node-ip` comes first and is the only address of its type; an unmatched one changes nothing.
 */
export function addressesOf(node: Node, from: InstanceAddresses, { ipv6 }: { readonly ipv6: boolean }): Addresses {
  const known = node.status?.addresses ?? [];
  const ofCloud = [
    ...from.public.map(ofType('ExternalIP')),
    ...from.elastic.map(ofType('ExternalIP')),
    ...from.classic.map(ofType('InternalIP')),
    ...from.private.map(ofType('InternalIP')),
    ...(ipv6 ? from.ipv6 : []).map(ofType('InternalIP')),
  ];
  if (ofCloud.length === 0) return { kind: 'none' };
  const all = [
    ...ofCloud,
    ...known.filter(({ type }) => type === 'Hostname').map(({ type, address }) => ({ type, address })),
  ];
  const chosen: NodeAddress[] = [];
  for (const nodeIp of providedIps(node)) {
    const match = ofCloud.find(({ address }) => isSameAddress(address, nodeIp));
    if (match === undefined) return { kind: 'unmatched', nodeIp };
    chosen.push(match);
  }
  const types = new Set(chosen.map(({ type }) => type));
  return { kind: 'addresses', addresses: [...chosen, ...all.filter(({ type }) => !types.has(type))] };
}
