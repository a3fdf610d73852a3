import type { ClusterSettings } from '../clb/model/settings.ts';
import type { CloudInventoryStatus } from './resource.ts';

/** The facts of the cluster for rules. */
export type ClusterFacts = Omit<CloudInventoryStatus, 'observedAt' | 'leaseTransitions' | 'throttledApis'>;

interface ClusterIdentity {
  readonly settings: ClusterSettings;
  readonly regionId: string;
  /** The address ranges of pods. */
  readonly clusterCidrs: readonly string[];
}

/** Returns the configured facts of the cluster. */
export function clusterFacts({ settings, regionId, clusterCidrs }: ClusterIdentity): ClusterFacts {
  const { clusterId, vpcId, backendType, disablePublicSLB } = settings;
  return { regionId, vpcId, clusterId, clusterCidrs, backendType, disablePublicSLB };
}
