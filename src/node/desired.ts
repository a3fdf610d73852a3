import type { Node } from '../base/kubernetes-objects.ts';
import { addressesOf, type Addresses } from './addresses.ts';
import type { Instance } from './instance.ts';
import { isExcludedNode, readinessOf } from './kind.ts';
import { labelsOf } from './labels.ts';
import { isNetworkRouted } from './network-condition.ts';
import { writtenProviderId } from './provider-id.ts';
import type { NodeSettings } from './settings.ts';
import { hasTaint, NETWORK_UNAVAILABLE, SHUTDOWN, UNINITIALIZED } from './taints.ts';

/** The state that a Node should have according to its instance. */
export interface DesiredNode {
  /** The provider ID, written only to a Node without a provider ID. */
  readonly providerId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly addresses: Addresses;
  /** True if the Node must report NetworkUnavailable until its route exists. */
  readonly awaitsRoute: boolean;
  /** The keys of the taints to remove and to add. */
  readonly taints: { readonly without: readonly string[]; readonly add: readonly string[] };
  /** The interface whose source/destination check must be off; undefined if none. `unknown` if the cloud does not report the interface. */
  readonly disableCheckOn?: { readonly interfaceId: string } | 'unknown';
}

/** Returns whether the instance is stopped or stopping. Its Node gets a taint and is not deleted, because the instance may start again. */
const isStopped = ({ status }: Instance): boolean => status === 'Stopped' || status === 'Stopping';

/** Returns the state that a Node should have, from its instance and the settings. */
export function desiredNode(node: Node, instance: Instance, settings: NodeSettings): DesiredNode {
  const addresses = addressesOf(node, instance.addresses, settings);
  // A Node stays uninitialized while its `--node-ip` is not an address of the instance.
  const initialize = hasTaint(node, UNINITIALIZED) && addresses.kind === 'addresses';
  const isRouted = settings.routes && !isExcludedNode(node);
  // A Node with reported routes does not wait again if the taint `uninitialized` returns.
  const awaitsRoute = initialize && isRouted && !isNetworkRouted(node);
  const isStillUninitialized = hasTaint(node, UNINITIALIZED) && !initialize;
  const disablesCheck = isRouted && settings.sourceDestCheck === 'disable' && !isStillUninitialized;
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
    ...(disablesCheck ? { disableCheckOn: interfaceOf(instance) } : {}),
  };
}

const interfaceOf = ({ primaryInterfaceId: interfaceId }: Instance): NonNullable<DesiredNode['disableCheckOn']> =>
  interfaceId === undefined ? 'unknown' : { interfaceId };

/** Adds the taint `shutdown` while the instance is stopped, and removes the taint once the kubelet is ready. */
function shutdownTaint(node: Node, instance: Instance): DesiredNode['taints'] {
  // An excluded Node gets no taint, because no later reconcile would remove the taint.
  if (isStopped(instance)) return { without: [], add: isExcludedNode(node) ? [] : [SHUTDOWN] };
  return readinessOf(node).status === 'True' ? { without: [SHUTDOWN], add: [] } : { without: [], add: [] };
}
