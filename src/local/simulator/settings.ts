/** A fixed window: at most `calls` in every period of `seconds`, counted from the epoch. Refused calls count too. */
export interface Rate {
  readonly calls: number;
  readonly seconds: number;
}

/** Everything about the cloud that is not the same for every account, or that a test wants otherwise. Times are milliseconds. */
export const DEFAULT_SETTINGS = {
  /** How long every reading and every changing call takes. A changing call holds its object meanwhile. */
  readLatencyMs: 0,
  writeLatencyMs: 0,
  /** How long a listener is `starting`, `configuring` or `stopping`. */
  listenerTransitionMs: 300,
  /** How long a deleted listener still holds its server group. */
  listenerDeletionMs: 0,
  /** How long a route entry or table is `Pending` and a removed entry is still there. */
  routeTransitionMs: 1_000,
  /** How long an EIP is `Associating` or `Unassociating`. */
  eipTransitionMs: 1_000,
  /** How long a new load balancer is unknown to reads by id. */
  readLagMs: 0,
  /** How far lists and tag filters are behind. */
  listLagMs: 0,
  /** Whether a load balancer has to carry one or all of several tags asked for. */
  tagMatch: 'or' as 'or' | 'and',
  /** What starting a running listener does: nothing, or a refusal. */
  startRunning: 'accept' as 'accept' | 'refuse',
  /** Whether server groups of one load balancer can be created concurrently. */
  parallelGroupCreation: 'refuse' as 'accept' | 'refuse',
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
  /** How instance metadata are read: with a token or without, only with one, or not at all: the connection is cut. */
  metadata: 'any' as 'any' | 'token' | 'cut',
  /** For how many seconds a key counts that an instance is given for its role. */
  roleSessionSeconds: 6 * 3_600,
  /** Rates of single operations, by `Product.Action`, in place of the published ones. */
  rates: {} as Readonly<Record<string, Rate>>,
  /** Every limit is multiplied by this: 0.5 is another program using half of the account's quota. */
  rateFactor: 1,
};

export type SimulatorSettings = Readonly<typeof DEFAULT_SETTINGS>;
