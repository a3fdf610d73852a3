import type { Shares } from '../base/shares.ts';

/**
 * `urgent` for what traffic waits for and is done quickly; `now` for what somebody waits for; `background` for what a restart or a resync
 * brings, which gets its turn too, but later.
 */
export type Lane = 'urgent' | 'now' | 'background';

/** From the first to be served to the last. */
export const LANES: readonly Lane[] = ['urgent', 'now', 'background'];
export const isBefore = (left: Lane, right: Lane): boolean => LANES.indexOf(left) < LANES.indexOf(right);

/** Workers that take keys of the same lanes, and the places that shares divide among themselves; no limit when absent. */
export interface Crew {
  readonly takes: readonly Lane[];
  readonly places?: Shares;
}
