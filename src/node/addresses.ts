import { BlockList, isIP } from 'node:net';
import type { Node } from '../base/objects.ts';
import type { InstanceAddresses } from './instance.ts';

export interface NodeAddress {
  readonly type: string;
  readonly address: string;
}

/** What the kubelet was told with `--node-ip`: one address, or one of each family, joined by a comma. */
export const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

/** The addresses that a Node is to have, or why they cannot be told. */
export type Addresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly NodeAddress[] }
  /** The kubelet was told one that the instance does not have. */
  | { readonly kind: 'unmatched'; readonly nodeIp: string }
  /** The instance has none yet. */
  | { readonly kind: 'none' };

const ofType =
  (type: string) =>
  (address: string): NodeAddress => ({ type, address });

/** Whether both texts are the same address: IPv6 has many spellings. */
function isSameAddress(left: string, right: string): boolean {
  if (left === right) return true;
  if (isIP(left) !== 6 || isIP(right) !== 6) return false;
  const list = new BlockList();
  list.addAddress(left, 'ipv6');
  return list.check(right, 'ipv6');
}

/** The addresses that the kubelet was told; mostly none. */
const providedIps = ({ metadata }: Node): readonly string[] =>
  (metadata.annotations?.[PROVIDED_NODE_IP] ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** Whether a Node says of itself which addresses its machine has, and none of them is one of the instance. */
export function contradicts(
  node: Node,
  { public: open, elastic, classic, private: own, ipv6 }: InstanceAddresses,
): boolean {
  const internal = (node.status?.addresses ?? []).filter(({ type }) => type === 'InternalIP');
  const said = [...providedIps(node), ...internal.map(({ address }) => address)];
  const has = [...open, ...elastic, ...classic, ...own, ...ipv6];
  return said.length > 0 && !said.some((ip) => has.some((address) => isSameAddress(address, ip)));
}

/**
 * In the order of the existing controller: public, elastic, classic, private, IPv6 where the cluster has two families, and the
 * kubelet's host names, of which the cloud knows nothing. The address that the kubelet was told comes first and is the only one
 * of its type, as the standard controllers have it; one that the instance does not have is a mistake, and nothing is changed.
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
