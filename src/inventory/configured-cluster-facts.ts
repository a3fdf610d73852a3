import type { ClusterSettings } from '../clb/model/cluster-settings.ts';
import type { CloudInventoryStatus } from './custom-resources.ts';

/** The facts about the cluster that rules read. */
export type ClusterFacts = Omit<CloudInventoryStatus, 'observedAt' | 'leaseTransitions' | 'throttledApis'>;

interface ClusterIdentity {
  readonly settings: ClusterSettings;
  readonly regionId: string;
  /** The address ranges of pods. */
  readonly clusterCidrs: readonly string[];
}

/** Returns the facts about the cluster from the configuration. The controller publishes them in the CloudInventory for the webhook. */
export function clusterFacts({ settings, regionId, clusterCidrs }: ClusterIdentity): ClusterFacts {
  const { clusterId, vpcId, backendType, disablePublicSLB } = settings;
  return { regionId, vpcId, clusterId, clusterCidrs, backendType, disablePublicSLB };
}
