import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { narrowed, routesOf, type RouteAction } from './action.ts';
import type { TableRoute } from './route.ts';
import { isLasting, isQuota, isRangeInUse, type RouteFailure } from './failed-route.ts';
import { LASTING_MS } from './failure-duration.ts';

/** The back-off of a rejected route, in milliseconds. */
const BACKOFF = { baseMs: 5_000, maxMs: 300_000 };

/** A rejected route, with the time of its next retry. */
interface RejectedRoute {
  readonly failure: RouteFailure;
  readonly times: number;
  /** The time of the first rejection, in monotonic milliseconds. */
  readonly firstRejectedMs: number;
  /** True if the route made the cloud reject the whole call. */
  readonly failsWholeCall: boolean;
  dueMs: number;
}

/** A plan, divided into due actions and waiting routes. */
export interface DividedPlan {
  /** The actions that are due. A route that made the cloud reject a whole call comes last, in a call of its own. */
  readonly due: readonly RouteAction[];
  /** The last failures of the routes that are not due yet. */
  readonly waiting: readonly RouteFailure[];
}

const keyOf = (kind: RouteAction['kind'], { tableId, destination, instanceId }: TableRoute): string =>
  JSON.stringify([kind, tableId, destination, instanceId]);

/** The routes that the cloud rejected, each with a retry time. Without this record, each reconcile would repeat every rejected call. */
export class RejectedRoutes {
  readonly #clock: Clock;
  readonly #known = new Map<string, RejectedRoute>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time until the first retry, in milliseconds; `Infinity` without a rejected route. */
  get dueInMs(): number {
    const due = Math.min(...[...this.#known.values()].map(({ dueMs }) => dueMs));
    return Math.max(0, due - this.#clock.monotonic());
  }

  /** Divides a plan into due actions and waiting routes. If the plan deletes routes, which frees quota, all routes that exceeded a quota are due. */
  divide(actions: readonly RouteAction[]): DividedPlan {
    if (this.#known.size === 0) return { due: actions, waiting: [] };
    const makesRoom = actions.some(({ kind }) => kind === 'delete-routes');
    const nowMs = this.#clock.monotonic();
    const isDue = ({ dueMs, failure }: RejectedRoute): boolean => dueMs <= nowMs || (makesRoom && isQuota(failure));
    const waiting: RouteFailure[] = [];
    const alone: RouteAction[] = [];
    const together = actions.flatMap((action) => {
      const isJoint = (route: TableRoute): boolean => {
        const rejected = this.#known.get(keyOf(action.kind, route));
        if (rejected === undefined) return true;
        if (!isDue(rejected)) waiting.push(rejected.failure);
        else if (rejected.failsWholeCall) alone.push(...singleRoute(action, route));
        return isDue(rejected) && !rejected.failsWholeCall;
      };
      const jointKeys = new Set(
        routesOf(action)
          .filter(isJoint)
          .map((route) => keyOf(action.kind, route)),
      );
      return narrowed(action, (route) => jointKeys.has(keyOf(action.kind, route))) ?? [];
    });
    return { due: [...together, ...alone], waiting };
  }

  /** Forgets the routes that the plan no longer contains. */
  keepOnly(actions: readonly RouteAction[]): void {
    if (this.#known.size === 0) return;
    const planned = new Set(actions.flatMap((action) => routesOf(action).map((route) => keyOf(action.kind, route))));
    for (const key of this.#known.keys()) if (!planned.has(key)) this.#known.delete(key);
  }

  /** Records the result of a call. Routes without a failure succeeded. */
  recordResult(action: RouteAction, failures: readonly RouteFailure[], failsWholeCall: boolean): void {
    const failed = new Map(failures.map((failure) => [failure.destination, failure]));
    for (const route of routesOf(action)) {
      const key = keyOf(action.kind, route);
      const failure = failed.get(route.destination);
      if (failure === undefined) this.#known.delete(key);
      else this.#recordRejection(key, failure, failsWholeCall);
    }
  }

  /** Makes rejected routes to these ranges due now. Called when a Node with such a range changes. */
  retry(destinations: ReadonlySet<string>): void {
    for (const rejected of this.#known.values())
      if (destinations.has(rejected.failure.destination)) rejected.dueMs = this.#clock.monotonic();
  }

  /** Returns whether a rejected route may exist already, because lists can omit a new route in the minute after the first rejection. */
  isUncertain(failure: RouteFailure): boolean {
    if (!isRangeInUse(failure)) return false;
    const nowMs = this.#clock.monotonic();
    return [...this.#known.values()].some(
      (rejected) =>
        rejected.failure.destination === failure.destination && nowMs - rejected.firstRejectedMs < LASTING_MS,
    );
  }

  #recordRejection(key: string, failure: RouteFailure, failsWholeCall: boolean): void {
    const nowMs = this.#clock.monotonic();
    const { times = 0, firstRejectedMs = nowMs } = this.#known.get(key) ?? {};
    const waitMs = isLasting(failure) ? BACKOFF.maxMs : backoffMs(BACKOFF, times + 1);
    this.#known.set(key, { failure, times: times + 1, firstRejectedMs, failsWholeCall, dueMs: nowMs + waitMs });
  }
}

const singleRoute = (action: RouteAction, { tableId, destination }: TableRoute): readonly RouteAction[] => {
  const single = narrowed(action, (route) => route.tableId === tableId && route.destination === destination);
  return single === undefined ? [] : [single];
};
