import type { Clock } from '../base/clock.ts';
import { hasReason, isDenied, PortcullisError, type Reason } from '../base/errors.ts';
import { halvesOf, replacing, routesOf, type RouteAction } from './action.ts';
import type { FailedRoute, RouteApi } from './port.ts';
import { RejectedRoutes } from './rejected-routes.ts';
import { isLasting, type RouteFailure } from './failed-route.ts';
import type { RouteTables } from './observe.ts';

/** Milliseconds that a change of routes takes before the cloud accepts the next one, to begin with. */
const SETTLE_MS = 1_000;
const LONGEST_SETTLE_MS = 15_000;
/** Refusals in a row of one change, because another is under way, after which it is left to the next turn. */
const PATIENCE = 4;

/** Codes of single routes that say that they are as they were to be, or on the way to it; the next reading tells which. */
const AS_WISHED = new Set(['VPC_ROUTE_ENTRY_STATUS_ERROR', 'VPC_ROUTER_ENTRY_NOT_EXIST', 'InvalidRouteEntry.NotFound']);

/** What a change is measured as. */
export type ChangeVerb = 'create' | 'delete';

/** A mark in a description is no route made. */
const VERB: Partial<Record<RouteAction['kind'], ChangeVerb>> = {
  'create-routes': 'create',
  'switch-route': 'create',
  'delete-routes': 'delete',
};

/** Says how many milliseconds a change took. */
type Took = (verb: ChangeVerb, milliseconds: number) => void;

/** What the cloud has against one change, so that others may still be made. */
const OF_ACTION: ReadonlySet<Reason> = new Set(['Rejected', 'NotFound', 'Conflict', 'QuotaExceeded', 'InvalidBackend']);
/** Calls refused in one turn while it is found out for the sake of which routes, after which the rest is left to the next. */
const MOST_REFUSALS = 40;
/** Milliseconds without a change after which what was learnt of the cloud's pace is forgotten. */
const FORGET_MS = 60_000;

export interface Applied {
  readonly failures: readonly RouteFailure[];
  /** By the kind of change that is not permitted, how the cloud said so. */
  readonly denied: ReadonlyMap<RouteAction['kind'], PortcullisError>;
  /** Why the rest was not tried. */
  readonly stopped?: PortcullisError;
  /** Whether the rest was left to the next turn, as too many calls were refused for the sake of single routes. */
  readonly isCut: boolean;
}

/** What has come of a turn so far. */
interface RouteApplyState {
  readonly queue: RouteAction[];
  readonly failures: RouteFailure[];
  readonly denied: Map<RouteAction['kind'], PortcullisError>;
  /** Parts of calls that were refused as a whole. */
  readonly parts: Set<RouteAction>;
  /** Refusals until the turn is cut: one for each call, so that every one is tried, and some to part them. */
  patience: number;
}

/** Carries out changes of routes one after another, as the cloud takes them: as fast as it settles, which is learnt. */
export class RouteApplier {
  readonly #api: RouteApi;
  readonly #tables: RouteTables;
  readonly #clock: Clock;
  readonly #took: Took;
  readonly #refused: RejectedRoutes;
  #settleMs = SETTLE_MS;
  #quietAtMs = 0;

  constructor(api: RouteApi, tables: RouteTables, clock: Clock, took: Took) {
    this.#took = took;
    this.#api = api;
    this.#tables = tables;
    this.#clock = clock;
    this.#refused = new RejectedRoutes(clock);
  }

  /** Milliseconds until what was changed last has taken effect. */
  get settlesInMs(): number {
    return Math.max(0, this.#quietAtMs - this.#clock.monotonic());
  }

  /** Milliseconds until a route that was refused is tried again; `Infinity` when there is none. */
  get retriesInMs(): number {
    return this.#refused.dueInMs;
  }

  /** Says that it has not taken effect yet. */
  settling(): void {
    this.#quietAtMs = this.#clock.monotonic() + this.#settleMs;
  }

  /** What of a plan would be done now; what was refused a moment ago waits. */
  dueOf(actions: readonly RouteAction[]): readonly RouteAction[] {
    return this.#refused.sift(actions).due;
  }

  /** Has refused routes to these ranges tried again with the next turn. */
  retry(destinations: ReadonlySet<string>): void {
    this.#refused.retry(destinations);
  }

  async apply(actions: readonly RouteAction[], signal: AbortSignal): Promise<Applied> {
    this.#refused.keepOnly(actions);
    const { due, waiting } = this.#refused.sift(actions);
    const [queue, failures, denied] = [[...due], [...waiting], new Map<RouteAction['kind'], PortcullisError>()];
    const outcome: RouteApplyState = {
      queue,
      failures,
      denied,
      parts: new Set(),
      patience: due.length + MOST_REFUSALS,
    };
    for (let action = queue.shift(); action !== undefined; action = queue.shift()) {
      const before = denied.get(action.kind);
      if (before !== undefined) {
        forbid(action, before, outcome);
        continue;
      }
      for (const id of tablesOf(action)) this.#tables.changed(id);
      try {
        failures.push(...(await this.#done(action, signal)));
      } catch (error) {
        if (signal.aborted || !(error instanceof PortcullisError)) throw error;
        const { reason } = error;
        if (isDenied(error)) forbid(action, error, outcome);
        else if (OF_ACTION.has(reason)) this.#refuse(action, error, outcome);
        else return this.#ended(outcome, { stopped: error, isCut: false });
        if (outcome.patience <= 0) return this.#ended(outcome, { isCut: queue.length > 0 });
      }
    }
    return this.#ended(outcome, { isCut: false });
  }

  /** A route that some entry is in the way of is no failure until it is certain that it is not the route itself. */
  #ended({ failures, denied }: RouteApplyState, over: Pick<Applied, 'stopped' | 'isCut'>): Applied {
    return { failures: failures.filter((failure) => !this.#refused.isUncertain(failure)), denied, ...over };
  }

  async #done(action: RouteAction, signal: AbortSignal): Promise<readonly RouteFailure[]> {
    const failed = await this.#carryOut(action, signal);
    const failures = failed
      .filter(({ code }) => !AS_WISHED.has(code))
      .map((one) => ({ ...one, kind: action.kind, isDenied: false }));
    this.#refused.took(action, failures, false);
    return failures;
  }

  /** One route that cannot be is no reason for the others of its call not to be, nor for other calls of its kind to wait. */
  #refuse(action: RouteAction, error: PortcullisError, outcome: RouteApplyState): void {
    const { queue, parts, failures } = outcome;
    outcome.patience -= 1;
    const parted = halvesOf(action);
    // Every call is tried whole before the first is parted, and then one is parted to the end before the next: each turn comes further.
    const at = parts.has(action) ? 0 : queue.findLastIndex(({ kind }) => kind === action.kind) + 1;
    queue.splice(at, 0, ...parted);
    for (const part of parted) parts.add(part);
    if (parted.length > 0) return;
    const refused = refusedIn(action, error, false);
    this.#refused.took(action, refused, true);
    // An instance to which no route can lead is no reason to take away the one that is there.
    const mayBeMade = error.reason === 'Rejected' && !refused.some(isLasting);
    if (!mayBeMade || !replaced(action, outcome)) failures.push(...refused);
  }

  async #carryOut(action: RouteAction, signal: AbortSignal): Promise<readonly FailedRoute[]> {
    const since = this.#clock.monotonic();
    if (since - this.#quietAtMs > FORGET_MS) this.#settleMs = SETTLE_MS;
    for (let refusals = 0; ; refusals += 1) {
      if (this.settlesInMs > 0) await this.#clock.sleep(this.settlesInMs, signal);
      try {
        const failed = await this.#send(action, signal);
        const verb = VERB[action.kind];
        if (verb !== undefined) this.#took(verb, this.#clock.monotonic() - since);
        this.#quietAtMs = this.#clock.monotonic() + this.#settleMs;
        return failed;
      } catch (error) {
        if (!hasReason(error, 'Busy') || refusals >= PATIENCE) throw error;
        // Slower than was thought, or somebody else is writing.
        this.#settleMs = Math.min(this.#settleMs * 2, LONGEST_SETTLE_MS);
        this.#quietAtMs = this.#clock.monotonic() + this.#settleMs;
      }
    }
  }

  async #send(action: RouteAction, signal: AbortSignal): Promise<readonly FailedRoute[]> {
    const context = { signal, lane: 'change', namespace: '' } as const;
    switch (action.kind) {
      case 'create-routes':
        return this.#api.createEntries(action.routes, context);
      case 'delete-routes':
        return this.#api.deleteEntries(action.routes, context);
      case 'switch-route':
        await this.#api.modifyEntry(
          action.entryId,
          { instanceId: action.to, description: action.description },
          context,
        );
        return [];
      case 'release-route':
      case 'reclaim-route':
        await this.#api.modifyEntry(action.entryId, { description: action.description }, context);
        return [];
    }
  }
}

/** Without the permission to turn routes round they are made anew. */
function forbid(action: RouteAction, error: PortcullisError, outcome: RouteApplyState): void {
  outcome.denied.set(action.kind, error);
  if (!replaced(action, outcome)) outcome.failures.push(...refusedIn(action, error, true));
}

/** Has a route made anew that cannot be turned round, where that is permitted: for a moment packets meet a table without it. */
function replaced(action: RouteAction, { queue, denied }: RouteApplyState): boolean {
  if (action.kind !== 'switch-route' || denied.has('delete-routes') || denied.has('create-routes')) return false;
  queue.unshift(...replacing(action));
  return true;
}

const tablesOf = (action: RouteAction): readonly string[] => [
  ...new Set(routesOf(action).map(({ tableId }) => tableId)),
];

const refusedIn = (action: RouteAction, error: PortcullisError, isDenied: boolean): readonly RouteFailure[] =>
  routesOf(action).map(({ destination }) => ({
    destination,
    code: error.code ?? error.reason,
    message: error.message,
    kind: action.kind,
    isDenied,
  }));
