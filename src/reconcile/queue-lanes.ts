import type { Shares } from '../base/fair-slots.ts';

/** The priority of a key. `urgent`: traffic waits for short work. `now`: a user waits. `background`: work after a restart or for all objects. */
export type QueueLane = 'urgent' | 'now' | 'background';

/** The lanes from the highest to the lowest priority. */
export const LANES: readonly QueueLane[] = ['urgent', 'now', 'background'];
/** Returns whether `left` has a higher priority than `right`. */
export const isBefore = (left: QueueLane, right: QueueLane): boolean => LANES.indexOf(left) < LANES.indexOf(right);

/** A group of workers that take keys from the same lanes. */
export interface Crew {
  readonly takes: readonly QueueLane[];
  /** Limits how many workers of the crew one namespace can occupy. Undefined means no limit. */
  readonly slots?: Shares;
}
