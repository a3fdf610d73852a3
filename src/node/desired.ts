import type { Node } from '../base/objects.ts';
import { addressesOf, type Addresses } from './addresses.ts';
import type { Instance } from './instance.ts';
import { isExcludedNode, readinessOf } from './kind.ts';
import { labelsOf } from './labels.ts';
import { isNetworkRouted } from './network-condition.ts';
import { writtenProviderId } from './provider-id.ts';
import type { NodeSettings } from './settings.ts';
import { hasTaint, NETWORK_UNAVAILABLE, SHUTDOWN, UNINITIALIZED } from './taints.ts';

/** How a Node is to be, as far as the cloud has a say. */
export interface DesiredNode {
  /** Written once, to a Node that has none. */
  readonly providerId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly addresses: Addresses;
  /** Whether it is to be said that a route to the Node's pods is awaited. */
  readonly awaitsRoute: boolean;
  readonly taints: { readonly without: readonly string[]; readonly add: readonly string[] };
  /** The interface whose check of addresses is to be off; whether it is, the cloud says only when it is asked. Absent when it need not be. */
  readonly open?: { readonly interfaceId: string } | 'untold';
}

/** Instances that cannot run pods now but may again. */
const isStopped = ({ status }: Instance): boolean => status === 'Stopped' || status === 'Stopping';

export function desiredNode(node: Node, instance: Instance, settings: NodeSettings): DesiredNode {
  const addresses = addressesOf(node, instance.addresses, settings);
  // Pods are not let onto a Node whose kubelet was told an address that the instance does not have.
  const initialize = hasTaint(node, UNINITIALIZED) && addresses.kind === 'addresses';
  const isRouted = settings.routes && !isExcludedNode(node);
  // A Node whose routes were seen stays reachable, whoever put the taint back. What a network plugin says is no proof of a route.
  const awaitsRoute = initialize && isRouted && !isNetworkRouted(node);
  const isHeldBack = hasTaint(node, UNINITIALIZED) && !initialize;
  const opens = isRouted && settings.sourceDestCheck === 'disable' && !isHeldBack;
  const shutdown = shutdownTaint(node, instance);
  return {
    providerId: writtenProviderId({ regionId: instance.regionId, instanceId: instance.id }, settings.providerIdForm),
    labels: labelsOf(instance),
    addresses,
    awaitsRoute,
    taints: {
      without: [...(initialize ? [UNINITIALIZED] : []), ...shutdown.without],
      add: [...(awaitsRoute ? [NETWORK_UNAVAILABLE] : []), ...shutdown.add],
    },
    ...(opens ? { open: interfaceOf(instance) } : {}),
  };
}

const interfaceOf = ({ primaryInterfaceId: interfaceId }: Instance): NonNullable<DesiredNode['open']> =>
  interfaceId === undefined ? 'untold' : { interfaceId };

/**
 * On while the instance is stopped, off when its kubelet answers again. Between the two it stays as it is. An excluded Node is not looked
 * at again once it is let in, and nobody would take the taint away.
 */
function shutdownTaint(node: Node, instance: Instance): DesiredNode['taints'] {
  if (isStopped(instance)) return { without: [], add: isExcludedNode(node) ? [] : [SHUTDOWN] };
  return readinessOf(node).status === 'True' ? { without: [SHUTDOWN], add: [] } : { without: [], add: [] };
}
