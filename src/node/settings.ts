import type { ProviderIdForm } from './provider-id.ts';

/** The settings of the node controller, from flags and the cloud-config file. */
export interface NodeSettings {
  readonly regionId: string;
  readonly vpcId: string;
  /** True if some process creates routes to pods in the cluster. New Nodes then report NetworkUnavailable until their route exists. */
  readonly routes: boolean;
  /** True if Nodes have IPv4 and IPv6 addresses. */
  readonly ipv6: boolean;
  /** The handling of the source/destination check of network interfaces, if routes are created. */
  readonly sourceDestCheck: 'disable' | 'leave';
  /** The form of the provider ID on Nodes whose kubelet sets none. */
  readonly providerIdForm: ProviderIdForm;
  /** The time for which a Node must be not ready before its deletion, in milliseconds. */
  readonly removalGraceMs: number;
}
