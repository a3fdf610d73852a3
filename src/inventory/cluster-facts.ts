import type { ClusterSettings } from '../clb/model/settings.ts';
import type { CloudInventoryStatus } from './resource.ts';

/** What rules may know of the cluster. */
export type ClusterFacts = Omit<CloudInventoryStatus, 'observedAt' | 'leaseTransitions'>;

interface ClusterIdentity {
  readonly settings: ClusterSettings;
  readonly regionId: string;
  /** The ranges of the pods. */
  readonly clusterCidrs: readonly string[];
}

/** The cluster as this process was told of it. */
export function clusterFacts({ settings, regionId, clusterCidrs }: ClusterIdentity): ClusterFacts {
  const { clusterId, vpcId, backendType, disablePublicSLB } = settings;
  return { regionId, vpcId, clusterId, clusterCidrs, backendType, disablePublicSLB };
}
