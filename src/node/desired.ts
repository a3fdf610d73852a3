import type { Node } from '../base/objects.ts';
import { addressesOf, type Addresses } from './addresses.ts';
import type { Instance } from './instance.ts';
import { isExcludedNode, readinessOf } from './kind.ts';
import { labelsOf } from './labels.ts';
import { isNetworkRouted } from './network-condition.ts';
import { writtenProviderId } from './provider-id.ts';
import type { NodeSettings } from './settings.ts';
import { hasTaint, NETWORK_UNAVAILABLE, SHUTDOWN, UNINITIALIZED } from './taints.ts';

/** The desired state of a Node, as far as the cloud determines it. */
export interface DesiredNode {
  /** Written once, to a Node without a provider ID. */
  readonly providerId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly addresses: Addresses;
  /** True if the Node must report that its route is missing. */
  readonly awaitsRoute: boolean;
  readonly taints: { readonly without: readonly string[]; readonly add: readonly string[] };
  /** The interface whose source/destination check must be off; only a query shows its present state. Undefined if no interface has to change. */
  readonly open?: { readonly interfaceId: string } | 'untold';
}

/** Returns whether the instance cannot run pods now but may run them again. */
const isStopped = ({ status }: Instance): boolean => status === 'Stopped' || status === 'Stopping';

export function desiredNode(node: Node, instance: Instance, settings: NodeSettings): DesiredNode {
  const addresses = addressesOf(node, instance.addresses, settings);
  // A Node whose `--node-ip` is not an address of the instance stays uninitialised.
  const initialize = hasTaint(node, UNINITIALIZED) && addresses.kind === 'addresses';
  const isRouted = settings.routes && !isExcludedNode(node);
  // A Node whose routes were observed stays reachable, even if the taint returns. A condition of a network plugin does not prove a route.
  const awaitsRoute = initialize && isRouted && !isNetworkRouted(node);
  const isStillUninitialized = hasTaint(node, UNINITIALIZED) && !initialize;
  const opens = isRouted && settings.sourceDestCheck === 'disable' && !isStillUninitialized;
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
 * Adds the taint while the instance is stopped, and removes it when the kubelet is ready; in between, the taint stays. An excluded Node is not
 * reconciled after initialisation, so it gets no taint that nothing would remove.
 */
function shutdownTaint(node: Node, instance: Instance): DesiredNode['taints'] {
  if (isStopped(instance)) return { without: [], add: isExcludedNode(node) ? [] : [SHUTDOWN] };
  return readinessOf(node).status === 'True' ? { without: [SHUTDOWN], add: [] } : { without: [], add: [] };
}
