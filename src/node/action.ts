import type { NodeAddress } from './addresses.ts';
import type { Taint } from './taints.ts';

/** A planned change of a Node or its network interface, which takes one call. `diffNode` plans the actions, and the node controller applies them. */
export type NodeAction =
  | { readonly kind: 'disable-source-dest-check'; readonly interfaceId: string }
  | { readonly kind: 'set-status'; readonly addresses?: readonly NodeAddress[]; readonly networkUnavailable?: true }
  | {
      /** Writes the Node, conditional on its resource version. Undefined properties stay unchanged. */
      readonly kind: 'set-node';
      readonly providerId?: string;
      readonly labels?: Readonly<Record<string, string>>;
      readonly taints?: readonly Taint[];
    };

const pairs = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(', ');

/** Returns a description of the action in one line, in the imperative. */
export function describeNodeAction(action: NodeAction): string {
  switch (action.kind) {
    case 'disable-source-dest-check':
      return `disable the source/destination check of interface ${action.interfaceId}`;
    case 'set-status': {
      const addresses = action.addresses?.map(({ type, address }) => `${type} ${address}`).join(', ');
      return [
        ...(addresses === undefined ? [] : [`set the addresses: ${addresses}`]),
        ...(action.networkUnavailable === undefined ? [] : ['set NetworkUnavailable to true']),
      ].join('; ');
    }
    case 'set-node':
      return [
        ...(action.providerId === undefined ? [] : [`set the provider ID ${action.providerId}`]),
        ...(action.labels === undefined ? [] : [`set labels: ${pairs(action.labels)}`]),
        ...(action.taints === undefined ? [] : [`set taints: ${action.taints.map(taintText).join(', ') || 'none'}`]),
      ].join('; ');
  }
}

const taintText = ({ key, effect }: Taint): string => `${key}:${effect}`;
