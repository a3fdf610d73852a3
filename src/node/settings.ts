import type { ProviderIdForm } from './provider-id.ts';

/** What the node slice is told by flags and the cloud-config file. */
export interface NodeSettings {
  readonly regionId: string;
  readonly vpcId: string;
  /** Whether routes to pods are made in this cluster, by whatever process, and so a new Node is not reachable until its own is there. */
  readonly routes: boolean;
  /** Whether Nodes have addresses of both families. */
  readonly ipv6: boolean;
  /** Whether interfaces are let carry packets of pods; with routes only. */
  readonly sourceDestCheck: 'disable' | 'leave';
  /** How the instance of a Node is named whose kubelet named none. */
  readonly providerIdForm: ProviderIdForm;
  /** Milliseconds for which a Node must not have been ready before it is deleted. */
  readonly removalGraceMs: number;
}
