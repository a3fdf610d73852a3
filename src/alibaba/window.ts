import type { Lane } from '../plan/call.ts';
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

/** Since when the oldest call of a lane waits, in milliseconds of the monotonic clock; lanes where none waits are left out. */
export type Waiting = ReadonlyMap<Lane, number>;

export type Decision =
  | { readonly kind: 'send'; readonly lane: Lane }
  /** Nobody may send before `until`; infinite when only the end of a call under way can change that. */
  | { readonly kind: 'wait'; readonly until: number };

interface Counted {
  readonly lane: Lane;
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
  readonly #ended: Counted[] = [];
  readonly #used = new Map<Lane, number>();
  #underWay = 0;
  #closedUntil = -Infinity;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  decide(waiting: Waiting, now: number): Decision {
    this.#forget(now);
    if (now < this.#closedUntil) return { kind: 'wait', until: this.#closedUntil };
    if (this.#ended.length + this.#underWay >= this.#limit.calls) return { kind: 'wait', until: this.#nextFree() };
    const lane = this.#owed(waiting, now) ?? LANES.find((each) => waiting.has(each) && this.#mayTake(each));
    return lane === undefined ? { kind: 'wait', until: this.#nextFree() } : { kind: 'send', lane };
  }

  sent(lane: Lane): void {
    this.#underWay += 1;
    this.#used.set(lane, this.#usedBy(lane) + 1);
  }

  ended(lane: Lane, now: number): void {
    this.#underWay -= 1;
    this.#ended.push({ lane, endedAt: now });
  }

  /** A call that was granted and never sent counts for nothing. */
  withdrawn(lane: Lane): void {
    this.#underWay -= 1;
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

  #owed(waiting: Waiting, now: number): Lane | undefined {
    const starvedSince = now - STARVED_AFTER_WINDOWS * this.#limit.windowMs;
    const due = Math.max(1, Math.floor(this.#limit.calls * OWED_SHARE));
    return LANES.find((lane) => (waiting.get(lane) ?? Infinity) <= starvedSince && this.#usedBy(lane) < due);
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
    for (const { lane, endedAt } of this.#ended) {
      if (endedAt + this.#limit.windowMs > now) break;
      this.#used.set(lane, this.#usedBy(lane) - 1);
      over += 1;
    }
    this.#ended.splice(0, over);
  }
}
