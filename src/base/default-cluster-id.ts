/** The default cluster id, as in the Alibaba Cloud Controller Manager. Clusters with this id cannot tell their load balancers apart. */
export const NO_CLUSTER_ID = 'clusterid';
