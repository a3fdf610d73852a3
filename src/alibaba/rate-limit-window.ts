import type { CallLane } from '../plan/call-context.ts';
import { Shares } from '../base/fair-slots.ts';
import type { Limit } from './rate-limits.ts';

/** The lanes from the most to the least urgent. */
export const LANES: readonly CallLane[] = ['remove-backends', 'add-backends', 'delete', 'change', 'create', 'audit'];

/** The number of windows after which a waiting lane is starved. A starved lane gets `OWED_SHARE` of the limit before all other lanes. */
const STARVED_AFTER_WINDOWS = 5;
const OWED_SHARE = 0.1;
/** The largest share of the limit for the lane `audit`, because no user waits for its calls. */
const AUDIT_SHARE = 0.5;

/** The longest time for which throttling closes an API, in milliseconds, even if the cloud requests a longer time. */
const LONGEST_CLOSURE_MS = 600_000;

/**
 * The smallest limit whose last call is reserved for a namespace without calls. Smaller limits reserve no call, because their windows last only one
 * second.
 */
const RESERVES_FROM = 20;

/** The namespace of calls for Nodes, routes and the inventory. The shares of namespaces do not limit these calls. */
const CLUSTER = '';

/** The first waiting call of a namespace in a lane. `since` is the start of the wait in monotonic milliseconds. */
export interface FirstCall {
  readonly namespace: string;
  readonly since: number;
}

/** The first waiting calls of each lane: one for each namespace, in round-robin order. */
export type WaitingCalls = ReadonlyMap<CallLane, Iterable<FirstCall>>;

/** The lane and the namespace of a call. The call counts toward the shares of both. */
export interface Account {
  readonly lane: CallLane;
  readonly namespace: string;
}

/** The decision of `decide`: the call to send now, or the time until which all calls wait. */
export type SendDecision =
  | ({ readonly kind: 'send' } & Account)
  /** None of the waiting calls may be sent before `until`. Infinity means that a running call must end first. */
  | { readonly kind: 'wait'; readonly until: number };

interface CompletedCall extends Account {
  /** The time at which the call ended, in monotonic milliseconds. */
  readonly endedAt: number;
}

/** The rate limit of one API, which the limiter asks before each call. */
export class CallWindow {
  readonly #limit: Limit;
  readonly #ended: CompletedCall[] = [];
  readonly #used = new Map<CallLane, number>();
  readonly #shares: Shares;
  #closedUntil = -Infinity;

  constructor(limit: Limit) {
    this.#limit = limit;
    this.#shares = new Shares(limit.calls, limit.calls < RESERVES_FROM ? 0 : 1);
  }

  /** Returns whose call to send next. Starved lanes come first, then the most urgent lane. */
  decide(waiting: WaitingCalls, now: number): SendDecision {
    this.#forget(now);
    if (now < this.#closedUntil) return { kind: 'wait', until: this.#closedUntil };
    if (this.#shares.free <= 0) return { kind: 'wait', until: this.#nextFree() };
    const firsts = this.#firsts(waiting);
    const lane = this.#owed(firsts, now) ?? LANES.find((each) => firsts.has(each) && this.#mayTake(each));
    const first = lane === undefined ? undefined : firsts.get(lane);
    return lane === undefined || first === undefined
      ? { kind: 'wait', until: this.#nextFree() }
      : { kind: 'send', lane, namespace: first.namespace };
  }

  /** Counts a call that is about to be sent. */
  sent({ lane, namespace }: Account): void {
    this.#shares.take(namespace);
    this.#used.set(lane, this.#usedBy(lane) + 1);
  }

  /** Records the end of a call. The call counts for one more window, because the cloud's windows start at unknown times. */
  ended(account: Account, now: number): void {
    this.#ended.push({ ...account, endedAt: now });
  }

  /** Gives back the share of a call that was never sent, or that ended at least one window ago. */
  withdrawn({ lane, namespace }: Account): void {
    this.#shares.giveBack(namespace);
    this.#used.set(lane, this.#usedBy(lane) - 1);
  }

  /** Closes the API after throttling: for the time that the cloud requests, or for one window if the cloud requests none. */
  close(now: number, forMs: number = this.#limit.windowMs): void {
    this.#closedUntil = Math.max(this.#closedUntil, now + Math.min(forMs, LONGEST_CLOSURE_MS));
  }

  /** Returns the milliseconds until the API accepts calls again; 0 if the API is not throttled. */
  closedFor(now: number): number {
    return Math.max(0, this.#closedUntil - now);
  }

  /** Returns, for each lane, the first call that may be sent. Skips namespaces that have used up their share. */
  #firsts(waiting: WaitingCalls): ReadonlyMap<CallLane, FirstCall> {
    const firsts = new Map<CallLane, FirstCall>();
    for (const [lane, calls] of waiting) {
      for (const call of calls) {
        if (call.namespace !== CLUSTER && !this.#shares.mayTake(call.namespace)) continue;
        firsts.set(lane, call);
        break;
      }
    }
    return firsts;
  }

  /** Returns the most urgent starved lane that has not yet got `OWED_SHARE` of the limit. */
  #owed(firsts: ReadonlyMap<CallLane, FirstCall>, now: number): CallLane | undefined {
    const starvedSince = now - STARVED_AFTER_WINDOWS * this.#limit.windowMs;
    const due = Math.max(1, Math.floor(this.#limit.calls * OWED_SHARE));
    return LANES.find((lane) => (firsts.get(lane)?.since ?? Infinity) <= starvedSince && this.#usedBy(lane) < due);
  }

  #mayTake(lane: CallLane): boolean {
    return lane !== 'audit' || this.#usedBy(lane) < Math.max(1, Math.floor(this.#limit.calls * AUDIT_SHARE));
  }

  #usedBy(lane: CallLane): number {
    return this.#used.get(lane) ?? 0;
  }

  #nextFree(): number {
    const oldest = this.#ended[0];
    return oldest === undefined ? Infinity : oldest.endedAt + this.#limit.windowMs;
  }

  #forget(now: number): void {
    let over = 0;
    for (const call of this.#ended) {
      if (call.endedAt + this.#limit.windowMs > now) break;
      this.withdrawn(call);
      over += 1;
    }
    this.#ended.splice(0, over);
  }
}
