import type { Caller, KeyRing } from './credentials.ts';
import type { SimulatorSettings, SimulatedRate } from './settings.ts';
import type { OperationContext, SimulatedOperation, ProductName } from './operation.ts';
import type { IdSource } from './id-source.ts';
import { RateLimit } from './rate-limit.ts';
import type { SimulatedRegion } from './simulated-region.ts';

/** The parameters and the result of a creation with a `ClientToken`. `answer` is undefined while the creation runs. */
export interface TokenRecord {
  readonly parameters: string;
  answer: Readonly<Record<string, unknown>> | undefined;
}

/** The state that all calls share: resources, keys, settings, rate limits and locks. A reset of the simulator replaces all but the keys. */
export class SimulatedCloud {
  readonly world: SimulatedRegion;
  readonly ids: IdSource;
  readonly keys: KeyRing;
  readonly rateLimit = new RateLimit();
  readonly tokens = new Map<string, TokenRecord>();
  settings: SimulatorSettings;
  readonly #now: () => number;
  /** The ids of the load balancers and VPCs that a running call changes. */
  readonly #acquired = new Set<string>();
  /** The ids of the load balancers and VPCs that a fault has locked, with the end of each lock. */
  readonly #lockedUntil = new Map<string, number>();

  constructor(
    { world, ids, keys, settings }: Pick<SimulatedCloud, 'world' | 'ids' | 'keys' | 'settings'>,
    now: () => number,
  ) {
    this.world = world;
    this.ids = ids;
    this.keys = keys;
    this.settings = settings;
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  /** Returns the context of a call. Lists lag by `lagMs` milliseconds, or by the setting `listLagMs` if the setting is greater. */
  context(caller: Caller, lagMs: number): OperationContext {
    const now = this.now();
    const { world, settings, ids, keys } = this;
    return { world, settings, ids, keys, caller, now, listInstant: now - Math.max(settings.listLagMs, lagMs) };
  }

  /** Returns the rate limit of an operation under the current settings. */
  rateOf(product: ProductName, operation: SimulatedOperation): SimulatedRate {
    const rate = this.settings.rates[`${product}.${operation.action}`] ?? operation.rate;
    return { calls: Math.floor(rate.calls * this.settings.rateFactor), seconds: rate.seconds };
  }

  /** Returns whether a running call or a fault locks the load balancer or VPC with the id `subject`. */
  isLocked(subject: string | undefined): boolean {
    if (subject === undefined) return false;
    return this.#acquired.has(subject) || (this.#lockedUntil.get(subject) ?? 0) > this.now();
  }

  acquire(subject: string | undefined): void {
    if (subject !== undefined) this.#acquired.add(subject);
  }

  release(subject: string | undefined): void {
    if (subject !== undefined) this.#acquired.delete(subject);
  }

  lock(subject: string, ms: number): void {
    this.#lockedUntil.set(subject, this.now() + ms);
  }
}
