/** What the existing controller names a cluster that has no id, and so do we. */
export const NO_CLUSTER_ID = 'clusterid';
