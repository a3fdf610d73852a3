import type { Shares } from '../base/shares.ts';

/**
 * The priority of a key. `urgent`: short work that traffic waits for. `now`: work that a user waits for. `background`: work after a
 * restart or a resync, which a part of the reconciles is reserved for.
 */
export type QueueLane = 'urgent' | 'now' | 'background';

/** The lanes by priority, the highest first. */
export const LANES: readonly QueueLane[] = ['urgent', 'now', 'background'];
export const isBefore = (left: QueueLane, right: QueueLane): boolean => LANES.indexOf(left) < LANES.indexOf(right);

/** A group of workers that takes keys of the same lanes. */
export interface Crew {
  readonly takes: readonly QueueLane[];
  /** The workers, as slots of shares. If undefined, shares have no limit. */
  readonly slots?: Shares;
}
