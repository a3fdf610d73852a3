import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { narrowed, routesOf, type RouteAction } from './action.ts';
import type { TableRoute } from './route.ts';
import { isLasting, isQuota, isTaken, type RouteFailure } from './failed-route.ts';
import { LASTING_MS } from './failure-duration.ts';

/** Milliseconds until a single route is tried again that was refused once, twice, … */
const BACKOFF = { baseMs: 5_000, maxMs: 300_000 };

interface RejectedRoute {
  readonly failure: RouteFailure;
  readonly times: number;
  readonly sinceMs: number;
  /** Whether it had the whole call refused that it was in. */
  readonly isSpoiling: boolean;
  dueMs: number;
}

/** A plan, parted by what is known of its routes. */
export interface Sifted {
  /** What is to be done now. Routes that had calls refused before come last and each alone: no other waits for them or goes with them. */
  readonly due: readonly RouteAction[];
  /** What is not tried yet again. */
  readonly waiting: readonly RouteFailure[];
}

const keyOf = (kind: RouteAction['kind'], { tableId, destination, instanceId }: TableRoute): string =>
  JSON.stringify([kind, tableId, destination, instanceId]);

/** The single routes that the cloud has refused, each with a time of its own at which it is tried again. */
export class RejectedRoutes {
  readonly #clock: Clock;
  readonly #known = new Map<string, RejectedRoute>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the first of them is tried again; `Infinity` when there is none. */
  get dueInMs(): number {
    const due = Math.min(...[...this.#known.values()].map(({ dueMs }) => dueMs));
    return Math.max(0, due - this.#clock.monotonic());
  }

  sift(actions: readonly RouteAction[]): Sifted {
    if (this.#known.size === 0) return { due: actions, waiting: [] };
    const makesRoom = actions.some(({ kind }) => kind === 'delete-routes');
    const nowMs = this.#clock.monotonic();
    const isDue = ({ dueMs, failure }: RejectedRoute): boolean => dueMs <= nowMs || (makesRoom && isQuota(failure));
    const waiting: RouteFailure[] = [];
    const alone: RouteAction[] = [];
    const together = actions.flatMap((action) => {
      const goes = (route: TableRoute): boolean => {
        const refusal = this.#known.get(keyOf(action.kind, route));
        if (refusal === undefined) return true;
        if (!isDue(refusal)) waiting.push(refusal.failure);
        else if (refusal.isSpoiling) alone.push(...one(action, route));
        return isDue(refusal) && !refusal.isSpoiling;
      };
      const going = new Set(
        routesOf(action)
          .filter(goes)
          .map((route) => keyOf(action.kind, route)),
      );
      return narrowed(action, (route) => going.has(keyOf(action.kind, route))) ?? [];
    });
    return { due: [...together, ...alone], waiting };
  }

  /** Forgets what is not planned any more. */
  keepOnly(actions: readonly RouteAction[]): void {
    if (this.#known.size === 0) return;
    const planned = new Set(actions.flatMap((action) => routesOf(action).map((route) => keyOf(action.kind, route))));
    for (const key of this.#known.keys()) if (!planned.has(key)) this.#known.delete(key);
  }

  /** What became of the routes of a call: `failures` of some, by their destinations, and the others are as they were to be. */
  took(action: RouteAction, failures: readonly RouteFailure[], isSpoiling: boolean): void {
    const failed = new Map(failures.map((failure) => [failure.destination, failure]));
    for (const route of routesOf(action)) {
      const key = keyOf(action.kind, route);
      const failure = failed.get(route.destination);
      if (failure === undefined) this.#known.delete(key);
      else this.#refuse(key, failure, isSpoiling);
    }
  }

  /** Has them tried again with the next turn: the Node that has these ranges is another than it was. */
  retry(destinations: ReadonlySet<string>): void {
    for (const refusal of this.#known.values())
      if (destinations.has(refusal.failure.destination)) refusal.dueMs = this.#clock.monotonic();
  }

  /** Whether a route is in the way that may be the one that was wanted, made a moment ago and not listed yet. */
  isUncertain(failure: RouteFailure): boolean {
    if (!isTaken(failure)) return false;
    const nowMs = this.#clock.monotonic();
    return [...this.#known.values()].some(
      (refusal) => refusal.failure.destination === failure.destination && nowMs - refusal.sinceMs < LASTING_MS,
    );
  }

  #refuse(key: string, failure: RouteFailure, isSpoiling: boolean): void {
    const nowMs = this.#clock.monotonic();
    const { times = 0, sinceMs = nowMs } = this.#known.get(key) ?? {};
    const waitMs = isLasting(failure) ? BACKOFF.maxMs : backoffMs(BACKOFF, times + 1);
    this.#known.set(key, { failure, times: times + 1, sinceMs, isSpoiling, dueMs: nowMs + waitMs });
  }
}

const one = (action: RouteAction, { tableId, destination }: TableRoute): readonly RouteAction[] => {
  const single = narrowed(action, (route) => route.tableId === tableId && route.destination === destination);
  return single === undefined ? [] : [single];
};
