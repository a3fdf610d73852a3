/** A rate limit: at most `calls` in each period of `seconds`. Periods are aligned to the epoch. */
export interface SimulatedRate {
  readonly calls: number;
  readonly seconds: number;
}

/**
 * The default settings of the simulator: delays, quotas, and behavior that differs between accounts. Settings whose names end in `Ms` are in
 * milliseconds.
 */
export const DEFAULT_SETTINGS = {
  /** The duration of reads and writes. A write locks its load balancer or VPC for this time. */
  readLatencyMs: 0,
  writeLatencyMs: 0,
  /** The duration of the states `starting`, `configuring` and `stopping` of a listener. */
  listenerTransitionMs: 300,
  /** The time between the deletion of a listener and the release of its server group. */
  listenerDeletionMs: 0,
  /** The duration of the state `Pending` of a route entry or table, and of the state `Deleting` of a route entry. */
  routeTransitionMs: 1_000,
  /** The duration of the states `Associating` and `Unassociating` of an EIP. */
  eipTransitionMs: 1_000,
  /** The time after a creation in which reads by id do not find the load balancer. */
  readLagMs: 0,
  /** The lag of lists and tag filters. */
  listLagMs: 0,
  /** The match of a filter with several tags: a load balancer needs one of the tags (`or`) or all of them (`and`). */
  tagMatch: 'or' as 'or' | 'and',
  /** The result of a start of a running listener: no effect (`accept`) or an error (`reject`). */
  startRunning: 'accept' as 'accept' | 'reject',
  /** The result if a load balancer gets two server groups at a time: both are created (`accept`), or the second call is rejected (`reject`). */
  parallelGroupCreation: 'reject' as 'accept' | 'reject',
  backendsPerCall: 20,
  loadBalancers: 60,
  listenersPerLoadBalancer: 50,
  backendsPerLoadBalancer: 200,
  tagsPerResource: 20,
  domainExtensionsPerListener: 3,
  accessControlLists: 200,
  entriesPerAccessControlList: 300,
  listenersPerAccessControlList: 50,
  certificates: 100,
  routesPerTable: 200,
  customTablesPerVpc: 9,
  eips: 20,
  /** The access to instance metadata: with or without a token (`any`), only with a token (`token`), or with a cut connection (`cut`). */
  metadata: 'any' as 'any' | 'token' | 'cut',
  /** The lifetime of the temporary key of an instance's role, in seconds. */
  roleSessionSeconds: 6 * 3_600,
  /** The rates that replace the published rates of operations. The keys have the form `Product.Action`. */
  rates: {} as Readonly<Record<string, SimulatedRate>>,
  /** The factor of every rate. With 0.5, the account behaves as if another program used half of each rate. */
  rateFactor: 1,
};

export type SimulatorSettings = Readonly<typeof DEFAULT_SETTINGS>;
