import { BlockList, isIP } from 'node:net';
import type { Node } from '../base/kubernetes-objects.ts';
import type { InstanceAddresses } from './instance.ts';

/** An address in the status of a Node. */
export interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

/** The annotation with the kubelet's flag `--node-ip`: one address, or an IPv4 and an IPv6 address separated by a comma. */
export const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

/** The addresses that a Node should have, or the reason why the addresses are unknown. */
export type Addresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly NodeAddress[] }
  /** The kubelet's `--node-ip` is not an address of the instance. */
  | { readonly kind: 'unmatched'; readonly nodeIp: string }
  /** The instance has no addresses yet. */
  | { readonly kind: 'none' };

const ofType =
  (type: string) =>
  (address: string): NodeAddress => ({ type, address });

/** Returns whether two texts mean the same address, which may have several spellings in IPv6. */
function isSameAddress(left: string, right: string): boolean {
  if (left === right) return true;
  if (isIP(left) !== 6 || isIP(right) !== 6) return false;
  const list = new BlockList();
  list.addAddress(left, 'ipv6');
  return list.check(right, 'ipv6');
}

/** Returns the addresses of the kubelet's `--node-ip`, which is usually unset. */
const providedIps = ({ metadata }: Node): readonly string[] =>
  (metadata.annotations?.[PROVIDED_NODE_IP] ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** Returns whether the Node must run on another machine: the Node reports addresses, but none of them is an address of the instance. */
export function contradicts(
  node: Node,
  { public: publicIps, elastic, classic, private: privateIps, ipv6 }: InstanceAddresses,
): boolean {
  const internal = (node.status?.addresses ?? []).filter(({ type }) => type === 'InternalIP');
  const declaredAddresses = [...providedIps(node), ...internal.map(({ address }) => address)];
  const has = [...publicIps, ...elastic, ...classic, ...privateIps, ...ipv6];
  return (
    declaredAddresses.length > 0 && !declaredAddresses.some((ip) => has.some((address) => isSameAddress(address, ip)))
  );
}

/** Returns the addresses that a Node should have, in the order of the Alibaba Cloud Controller Manager. */
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
  // Addresses of the kubelet's `--node-ip` replace the other addresses of the same type.
  const types = new Set(chosen.map(({ type }) => type));
  return { kind: 'addresses', addresses: [...chosen, ...all.filter(({ type }) => !types.has(type))] };
}
