import type { ProviderIdForm } from './provider-id.ts';

/** The settings of the node controller from flags and the cloud-config file. */
export interface NodeSettings {
  readonly regionId: string;
  readonly vpcId: string;
  /** True if some process creates routes to pods in this cluster. A new Node is then unreachable until its route exists. */
  readonly routes: boolean;
  /** True if Nodes have addresses of both families. */
  readonly ipv6: boolean;
  /** The handling of the source/destination check of interfaces. Only with routes. */
  readonly sourceDestCheck: 'disable' | 'leave';
  /** The form of the provider ID for a Node whose kubelet set none. */
  readonly providerIdForm: ProviderIdForm;
  /** The milliseconds for which a Node must have been not ready before it is deleted. */
  readonly removalGraceMs: number;
}
