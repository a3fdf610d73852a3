import type { Clock } from '../base/clock.ts';
import { hasReason, isDenied, PortcullisError, type Reason } from '../base/errors.ts';
import type { RecordDuration } from '../base/record-duration-type.ts';
import { halvesOf, replacementsOf, routesOf, type RouteAction } from './action.ts';
import type { FailedRoute, RouteApi } from './route-api.ts';
import { RejectedRoutes } from './rejected-routes.ts';
import { isLasting, type RouteFailure } from './failed-route.ts';
import type { RouteTables } from './route-table-cache.ts';

/** The initial pause between two changes, in milliseconds, because the cloud rejects a change as `Busy` until the previous change takes effect. */
const SETTLE_MS = 1_000;
const LONGEST_SETTLE_MS = 15_000;
/** The maximum number of retries of a change that the cloud rejects as `Busy`. Afterwards, all remaining changes wait for the next reconcile. */
const BUSY_RETRIES = 4;

/**
 * The error codes of routes that already have the desired state or are changing. These codes are no failures, because the next read shows the result.
 */
const ALREADY_DESIRED = new Set([
  'VPC_ROUTE_ENTRY_STATUS_ERROR',
  'VPC_ROUTER_ENTRY_NOT_EXIST',
  'InvalidRouteEntry.NotFound',
]);

/** The value of the metric label `verb` of a change. A switch counts as a creation. */
export type ChangeVerb = 'create' | 'delete';

/** The verbs by kind of action. A change of a description changes no route and is not measured. */
const VERB: Partial<Record<RouteAction['kind'], ChangeVerb>> = {
  'create-routes': 'create',
  'switch-route': 'create',
  'delete-routes': 'delete',
};

/** The reasons of errors that concern a single change. After such an error, the other changes continue. */
const ONE_ACTION_REASONS: ReadonlySet<Reason> = new Set([
  'Rejected',
  'NotFound',
  'Conflict',
  'QuotaExceeded',
  'InvalidBackend',
]);
/** The maximum number of rejected calls in a reconcile, in addition to one for each action. The remaining actions wait for the next reconcile. */
const MOST_REJECTIONS = 40;
/** The time without a change after which the pause is reset to its initial value, in milliseconds. */
const FORGET_MS = 60_000;

/** The result of applying the changes of a plan. */
export interface RouteApplyResult {
  readonly failures: readonly RouteFailure[];
  /** The errors of missing permissions, by kind of change. */
  readonly denied: ReadonlyMap<RouteAction['kind'], PortcullisError>;
  /** The error that stopped the remaining actions. */
  readonly stopped?: PortcullisError;
  /** True if the remaining actions wait for the next reconcile, because the cloud rejected too many calls. */
  readonly isCut: boolean;
}

/** The progress of a reconcile. */
interface RouteApplyState {
  readonly queue: RouteAction[];
  readonly failures: RouteFailure[];
  readonly denied: Map<RouteAction['kind'], PortcullisError>;
  /** The actions that are parts of a rejected action. */
  readonly parts: Set<RouteAction>;
  /** The number of further rejected calls until the reconcile stops. */
  rejectionsLeft: number;
}

/** The executor of route changes. Sends one change at a time, because the cloud rejects concurrent changes as `Busy`. */
export class RouteApplier {
  readonly #api: RouteApi;
  readonly #tables: RouteTables;
  readonly #clock: Clock;
  readonly #recordDuration: RecordDuration<ChangeVerb>;
  readonly #rejected: RejectedRoutes;
  #settleMs = SETTLE_MS;
  #quietAtMs = 0;

  constructor(api: RouteApi, tables: RouteTables, clock: Clock, recordDuration: RecordDuration<ChangeVerb>) {
    this.#recordDuration = recordDuration;
    this.#api = api;
    this.#tables = tables;
    this.#clock = clock;
    this.#rejected = new RejectedRoutes(clock);
  }

  /** The rest of the pause after the last change, in milliseconds. */
  get settlesInMs(): number {
    return Math.max(0, this.#quietAtMs - this.#clock.monotonic());
  }

  /** The time until the next retry of a rejected route, in milliseconds; `Infinity` without a rejected route. */
  get retriesInMs(): number {
    return this.#rejected.dueInMs;
  }

  /** Restarts the pause before the next change. Called if a read shows that the last change has not taken effect yet. */
  restartPause(): void {
    this.#quietAtMs = this.#clock.monotonic() + this.#settleMs;
  }

  /** Returns the actions of a plan that are due now. Omits rejected routes until their retry time. */
  dueOf(actions: readonly RouteAction[]): readonly RouteAction[] {
    return this.#rejected.divide(actions).due;
  }

  /** Makes rejected routes to these ranges due now. Called when a Node with such a range changes. */
  retry(destinations: ReadonlySet<string>): void {
    this.#rejected.retry(destinations);
  }

  /** Applies the actions that are due. Rejects only with the reason of the aborted signal, or with a bug. */
  async apply(actions: readonly RouteAction[], signal: AbortSignal): Promise<RouteApplyResult> {
    this.#rejected.keepOnly(actions);
    const { due, waiting } = this.#rejected.divide(actions);
    const [queue, failures, denied] = [[...due], [...waiting], new Map<RouteAction['kind'], PortcullisError>()];
    const outcome: RouteApplyState = {
      queue,
      failures,
      denied,
      parts: new Set(),
      // One rejection for each action, so that each action is tried.
      rejectionsLeft: due.length + MOST_REJECTIONS,
    };
    for (let action = queue.shift(); action !== undefined; action = queue.shift()) {
      const denial = denied.get(action.kind);
      if (denial !== undefined) {
        recordDenial(action, denial, outcome);
        continue;
      }
      for (const id of tablesOf(action)) this.#tables.changed(id);
      try {
        failures.push(...(await this.#applyAndRecord(action, signal)));
      } catch (error) {
        if (signal.aborted || !(error instanceof PortcullisError)) throw error;
        const { reason } = error;
        if (isDenied(error)) recordDenial(action, error, outcome);
        else if (ONE_ACTION_REASONS.has(reason)) this.#handleRejection(action, error, outcome);
        else return this.#ended(outcome, { stopped: error, isCut: false });
        if (outcome.rejectionsLeft <= 0) return this.#ended(outcome, { isCut: queue.length > 0 });
      }
    }
    return this.#ended(outcome, { isCut: false });
  }

  /** Returns the result. Omits uncertain failures, because the desired route may exist already. */
  #ended({ failures, denied }: RouteApplyState, over: Pick<RouteApplyResult, 'stopped' | 'isCut'>): RouteApplyResult {
    return { failures: failures.filter((failure) => !this.#rejected.isUncertain(failure)), denied, ...over };
  }

  async #applyAndRecord(action: RouteAction, signal: AbortSignal): Promise<readonly RouteFailure[]> {
    const failed = await this.#applyAction(action, signal);
    const failures = failed
      .filter(({ code }) => !ALREADY_DESIRED.has(code))
      .map((one) => ({ ...one, kind: action.kind, isDenied: false }));
    this.#rejected.recordResult(action, failures, false);
    return failures;
  }

  /** Splits a rejected action into halves, so that one wrong route does not block the others. */
  #handleRejection(action: RouteAction, error: PortcullisError, outcome: RouteApplyState): void {
    const { queue, parts, failures } = outcome;
    outcome.rejectionsLeft -= 1;
    const parted = halvesOf(action);
    // The halves of a rejected action wait until all actions of its kind were tried. Halves of halves come first, so that each reconcile progresses.
    const at = parts.has(action) ? 0 : queue.findLastIndex(({ kind }) => kind === action.kind) + 1;
    queue.splice(at, 0, ...parted);
    for (const part of parted) parts.add(part);
    if (parted.length > 0) return;
    const rejected = failuresOf(action, error, false);
    this.#rejected.recordResult(action, rejected, true);
    // The existing route stays if no route can lead to the new instance.
    const canBeReplaced = error.reason === 'Rejected' && !rejected.some(isLasting);
    if (!canBeReplaced || !replaceSwitch(action, outcome)) failures.push(...rejected);
  }

  async #applyAction(action: RouteAction, signal: AbortSignal): Promise<readonly FailedRoute[]> {
    const since = this.#clock.monotonic();
    if (since - this.#quietAtMs > FORGET_MS) this.#settleMs = SETTLE_MS;
    for (let retries = 0; ; retries += 1) {
      if (this.settlesInMs > 0) await this.#clock.sleep(this.settlesInMs, signal);
      try {
        const failed = await this.#send(action, signal);
        const verb = VERB[action.kind];
        if (verb !== undefined) this.#recordDuration(verb, this.#clock.monotonic() - since);
        this.#quietAtMs = this.#clock.monotonic() + this.#settleMs;
        return failed;
      } catch (error) {
        if (!hasReason(error, 'Busy') || retries >= BUSY_RETRIES) throw error;
        // The cloud is slower than expected, or another client changes routes.
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

/** Records a missing permission for a kind of change. A denied switch becomes a deletion and a creation, if both are permitted. */
function recordDenial(action: RouteAction, error: PortcullisError, outcome: RouteApplyState): void {
  outcome.denied.set(action.kind, error);
  if (!replaceSwitch(action, outcome)) outcome.failures.push(...failuresOf(action, error, true));
}

/** Replaces a switch by a deletion and a creation, between which packets find no route. Returns false if not permitted. */
function replaceSwitch(action: RouteAction, { queue, denied }: RouteApplyState): boolean {
  if (action.kind !== 'switch-route' || denied.has('delete-routes') || denied.has('create-routes')) return false;
  queue.unshift(...replacementsOf(action));
  return true;
}

const tablesOf = (action: RouteAction): readonly string[] => [
  ...new Set(routesOf(action).map(({ tableId }) => tableId)),
];

const failuresOf = (action: RouteAction, error: PortcullisError, isDenied: boolean): readonly RouteFailure[] =>
  routesOf(action).map(({ destination }) => ({
    destination,
    code: error.code ?? error.reason,
    message: error.message,
    kind: action.kind,
    isDenied,
  }));
