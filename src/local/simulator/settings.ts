/** A fixed window: at most `calls` in each period of `seconds`, counted from the epoch. Rejected calls count too. */
export interface SimulatedRate {
  readonly calls: number;
  readonly seconds: number;
}

/** The settings that differ between accounts, or that tests change. Times are in milliseconds. */
export const DEFAULT_SETTINGS = {
  /** The duration of every read and every write. A write locks its subject meanwhile. */
  readLatencyMs: 0,
  writeLatencyMs: 0,
  /** The duration of the states `starting`, `configuring` and `stopping` of a listener. */
  listenerTransitionMs: 300,
  /** The time for which a deleted listener still uses its server group. */
  listenerDeletionMs: 0,
  /** The time for which a route entry or table is `Pending`, and for which a deleted entry still exists. */
  routeTransitionMs: 1_000,
  /** The duration of the states `Associating` and `Unassociating` of an EIP. */
  eipTransitionMs: 1_000,
  /** The time for which reads by id do not find a new load balancer. */
  readLagMs: 0,
  /** The lag of lists and tag filters. */
  listLagMs: 0,
  /** Whether a load balancer must have one (`or`) or all (`and`) of several requested tags. */
  tagMatch: 'or' as 'or' | 'and',
  /** The result of starting a running listener: no effect or an error. */
  startRunning: 'accept' as 'accept' | 'reject',
  /** The result of concurrent creations of server groups of one load balancer. */
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
  /** The access to instance metadata: with or without a token, only with a token, or none because the connection is cut. */
  metadata: 'any' as 'any' | 'token' | 'cut',
  /** The validity of the key of an instance's role, in seconds. */
  roleSessionSeconds: 6 * 3_600,
  /** The rates of single operations by `Product.Action`, which replace the published rates. */
  rates: {} as Readonly<Record<string, SimulatedRate>>,
  /** The factor of every limit. With 0.5, another program seems to use half of the account's quota. */
  rateFactor: 1,
};

export type SimulatorSettings = Readonly<typeof DEFAULT_SETTINGS>;
