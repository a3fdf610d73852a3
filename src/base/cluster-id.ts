/** The id of a cluster that sets no id, as in the existing controller. */
export const NO_CLUSTER_ID = 'clusterid';
