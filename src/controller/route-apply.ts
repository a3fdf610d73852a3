import type { Clock } from '../clock.ts';
import { hasReason, PortcullisError, type Reason } from '../errors.ts';
import type { RouteAction } from '../route/action.ts';
import type { FailedRoute, RouteApi } from '../route/port.ts';
import type { RouteVerb, Took } from './metrics.ts';
import type { RouteTables } from './route-tables.ts';

/** Milliseconds that a change of routes takes before the cloud accepts the next one, to begin with. */
const SETTLE_MS = 1_000;
const LONGEST_SETTLE_MS = 15_000;
/** Refusals in a row of one change, because another is under way, after which it is left to the next turn. */
const PATIENCE = 4;

/** Codes of single routes that say that they are as they were to be, or on the way to it; the next reading tells which. */
const AS_WISHED = new Set([
  'VPC_ROUTE_ENTRY_CIDR_BLOCK_DUPLICATE',
  'VPC_ROUTE_ENTRY_STATUS_ERROR',
  'VPC_ROUTER_ENTRY_NOT_EXIST',
  'InvalidRouteEntry.NotFound',
]);

/** What the cloud has against one change, so that others may still be made. */
const OF_ACTION: ReadonlySet<Reason> = new Set([
  'Rejected',
  'NotFound',
  'Conflict',
  'QuotaExceeded',
  'InvalidBackend',
  'Unauthorized',
]);
/** Whole calls refused in one turn, for the sake of single routes in them, after which the rest is left to the next. */
const MOST_REFUSALS = 40;
/** Milliseconds without a change after which what was learnt of the cloud's pace is forgotten. */
const FORGET_MS = 60_000;

/** A route that the cloud would not make, turn round or delete. */
export type Failure = FailedRoute & { readonly kind: RouteAction['kind']; readonly isDenied: boolean };

/** Whether there is no room for it; more can only be asked for by a person. */
export const isQuota = ({ code }: Failure): boolean => /^(QuotaExceeded|OverQuota)|LimitExceeded/.test(code);

/** Whether only a person can do something about it, or the Node that it is for changes first. */
export const isLasting = (failure: Failure): boolean =>
  isQuota(failure) || /^Invalid(?:NextHop|CidrBlock)/i.test(failure.code);

export interface Applied {
  readonly failures: readonly Failure[];
  /** Why the rest was not tried. */
  readonly stopped?: PortcullisError;
}

/** Carries out changes of routes one after another, as the cloud takes them: as fast as it settles, which is learnt. */
export class RouteApplier {
  readonly #api: RouteApi;
  readonly #tables: RouteTables;
  readonly #clock: Clock;
  readonly #took: Took<RouteVerb>;
  #settleMs = SETTLE_MS;
  #quietAtMs = 0;

  constructor(api: RouteApi, tables: RouteTables, clock: Clock, took: Took<RouteVerb>) {
    this.#took = took;
    this.#api = api;
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Milliseconds until what was changed last has taken effect. */
  get settlesInMs(): number {
    return Math.max(0, this.#quietAtMs - this.#clock.monotonic());
  }

  /** Says that it has not taken effect yet. */
  settling(): void {
    this.#quietAtMs = this.#clock.monotonic() + this.#settleMs;
  }

  async apply(actions: readonly RouteAction[], signal: AbortSignal): Promise<Applied> {
    const failures: Failure[] = [];
    const denied = new Set<RouteAction['kind']>();
    const due = actions.toReversed();
    for (let refusals = 0; ;) {
      const action = due.pop();
      if (action === undefined) return { failures };
      const { kind } = action;
      for (const id of tablesOf(action)) this.#tables.changed(id);
      try {
        if (denied.has(kind)) continue;
        const failed = await this.#carryOut(action, signal);
        failures.push(...failed.filter(({ code }) => !AS_WISHED.has(code)).map((one) => failure(kind, one)));
      } catch (error) {
        if (signal.aborted || !(error instanceof PortcullisError)) throw error;
        if (!OF_ACTION.has(error.reason) || (refusals += 1) > MOST_REFUSALS) return { failures, stopped: error };
        const isDenied = error.reason === 'Unauthorized';
        if (isDenied) denied.add(kind);
        // One route that cannot be is no reason for the others of its call not to be.
        const halves = isDenied ? [] : halvesOf(action);
        if (halves.length > 0) due.push(...halves);
        else failures.push(...refusedIn(action, error, isDenied));
      }
    }
  }

  async #carryOut(action: RouteAction, signal: AbortSignal): Promise<readonly FailedRoute[]> {
    const since = this.#clock.monotonic();
    if (since - this.#quietAtMs > FORGET_MS) this.#settleMs = SETTLE_MS;
    for (let refusals = 0; ; refusals += 1) {
      if (this.settlesInMs > 0) await this.#clock.sleep(this.settlesInMs, signal);
      try {
        const failed = await this.#send(action, signal);
        this.#took(action.kind === 'delete-routes' ? 'delete' : 'create', this.#clock.monotonic() - since);
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
    const context = { signal, lane: 'change' } as const;
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

const tablesOf = (action: RouteAction): readonly string[] =>
  'routes' in action ? [...new Set(action.routes.map(({ tableId }) => tableId))] : [action.tableId];

const destinationsOf = (action: RouteAction): readonly string[] =>
  'routes' in action ? action.routes.map(({ destination }) => destination) : [action.destination];

const failure = (kind: RouteAction['kind'], one: FailedRoute): Failure => ({ ...one, kind, isDenied: false });

const refusedIn = (action: RouteAction, error: PortcullisError, isDenied: boolean): readonly Failure[] =>
  destinationsOf(action).map((destination) => ({
    destination,
    code: error.code ?? error.reason,
    message: error.message,
    kind: action.kind,
    isDenied,
  }));

/** The second half first: what is done next is taken from the end. */
const halves = <Item>(items: readonly Item[]): readonly (readonly Item[])[] => {
  const middle = Math.ceil(items.length / 2);
  return items.length < 2 ? [] : [items.slice(middle), items.slice(0, middle)];
};

function halvesOf(action: RouteAction): readonly RouteAction[] {
  switch (action.kind) {
    case 'create-routes':
      return halves(action.routes).map((routes) => ({ kind: action.kind, routes }));
    case 'delete-routes':
      return halves(action.routes).map((routes) => ({ kind: action.kind, routes }));
    default:
      return [];
  }
}
