/** The default cluster id, as in the Alibaba Cloud Controller Manager. Clusters with this id cannot distinguish their load balancers. */
export const NO_CLUSTER_ID = 'clusterid';
