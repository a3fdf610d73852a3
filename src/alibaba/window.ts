import type { Lane } from '../plan/call.ts';
import { Shares } from '../base/shares.ts';
import type { Limit } from './limits.ts';

/** From the most to the least urgent. */
export const LANES: readonly Lane[] = ['remove-backends', 'add-backends', 'delete', 'change', 'create', 'audit'];

/** A lane that has waited this many windows is owed a tenth of the quota, before all others. */
const STARVED_AFTER_WINDOWS = 5;
const OWED_SHARE = 0.1;
/** What nobody waits for never takes more than this of a quota. */
const AUDIT_SHARE = 0.5;

/** However long a refusal says the API stays closed, it is tried again after this many milliseconds. */
const LONGEST_CLOSURE_MS = 600_000;

/** A window of at least this many calls reserves one for a namespace that has sent none. Smaller windows are short. */
const RESERVES_FROM = 20;

/** The namespace of calls for Nodes, routes and the inventory. They belong to no tenant and may use a whole window. */
const CLUSTER = '';

/** The first waiting call of a namespace in a lane. `since` is in monotonic milliseconds. */
export interface FirstCall {
  readonly namespace: string;
  readonly since: number;
}

/** The first calls of each lane, one for each namespace in round-robin order. */
export type Waiting = ReadonlyMap<Lane, Iterable<FirstCall>>;

/** The lane and the namespace that a call counts against. */
export interface Account {
  readonly lane: Lane;
  readonly namespace: string;
}

export type SendDecision =
  | ({ readonly kind: 'send' } & Account)
  /** Nobody may send before `until`; infinite when only the end of a call under way can change that. */
  | { readonly kind: 'wait'; readonly until: number };

interface CompletedCall extends Account {
  /** When the answer came. */
  readonly endedAt: number;
}

/**
 * The calls of one API that still count, and the decision who may send next. Time comes in as an argument.
 *
 * The cloud counts in fixed windows of which only the length is known. A call is counted here from when it is sent until one
 * window after it has ended; so no window of that length, wherever it begins and however long calls take, holds more than the limit.
 */
export class CallWindow {
  readonly #limit: Limit;
  readonly #ended: CompletedCall[] = [];
  readonly #used = new Map<Lane, number>();
  readonly #shares: Shares;
  #closedUntil = -Infinity;

  constructor(limit: Limit) {
    this.#limit = limit;
    this.#shares = new Shares(limit.calls, limit.calls < RESERVES_FROM ? 0 : 1);
  }

  decide(waiting: Waiting, now: number): SendDecision {
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

  sent({ lane, namespace }: Account): void {
    this.#shares.take(namespace);
    this.#used.set(lane, this.#usedBy(lane) + 1);
  }

  ended(account: Account, now: number): void {
    this.#ended.push({ ...account, endedAt: now });
  }

  /** A call that was granted and never sent counts for nothing. */
  withdrawn({ lane, namespace }: Account): void {
    this.#shares.giveBack(namespace);
    this.#used.set(lane, this.#usedBy(lane) - 1);
  }

  /** The cloud refused a call for its rate: nobody sends until it says, or until the window in which it was refused is certainly over. */
  close(now: number, forMs: number = this.#limit.windowMs): void {
    this.#closedUntil = Math.max(this.#closedUntil, now + Math.min(forMs, LONGEST_CLOSURE_MS));
  }

  /** Milliseconds until the API is open again; 0 when it is. */
  closedFor(now: number): number {
    return Math.max(0, this.#closedUntil - now);
  }

  /** Returns the first call of each lane whose namespace may send. Only namespaces with many calls in the window are skipped. */
  #firsts(waiting: Waiting): ReadonlyMap<Lane, FirstCall> {
    const firsts = new Map<Lane, FirstCall>();
    for (const [lane, calls] of waiting) {
      for (const call of calls) {
        if (call.namespace !== CLUSTER && !this.#shares.mayTake(call.namespace)) continue;
        firsts.set(lane, call);
        break;
      }
    }
    return firsts;
  }

  #owed(firsts: ReadonlyMap<Lane, FirstCall>, now: number): Lane | undefined {
    const starvedSince = now - STARVED_AFTER_WINDOWS * this.#limit.windowMs;
    const due = Math.max(1, Math.floor(this.#limit.calls * OWED_SHARE));
    return LANES.find((lane) => (firsts.get(lane)?.since ?? Infinity) <= starvedSince && this.#usedBy(lane) < due);
  }

  #mayTake(lane: Lane): boolean {
    return lane !== 'audit' || this.#usedBy(lane) < Math.max(1, Math.floor(this.#limit.calls * AUDIT_SHARE));
  }

  #usedBy(lane: Lane): number {
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
