import { wantedKey } from '../../clb/desired-group.ts';
import { digestOf, hash } from '../../clb/digest.ts';
import type { Knowledge } from '../../clb/observe.ts';
import { findGroup, groupReference, type Observed, type Wanted } from '../../clb/state.ts';

/** Milliseconds between changes of one Service's backends while they come in a burst: what comes meanwhile goes with the next. */
export const PACE_MS = 2_800;
/** How many changes are carried out at once before that. */
const BURST = 2;
/** Milliseconds that an added backend waits for others if every port has a backend. */
export const GROWTH_MS = 200;

/** How far the changes so far have run ahead of the pace; the next one may be made once that is less than a burst. */
export interface Pace {
  /** When the last change would have been made at the pace, by the monotonic clock. */
  untilMs: number;
  /** The monotonic time until which added backends wait for others; absent if none waits. */
  growsUntilMs?: number;
  /** Whether more changes are to be expected. */
  isBurst: boolean;
  /** What the Service asked for beside its backends. */
  frame: string;
  /** The backends that it asked for when they were last looked after. */
  backends: string;
  /** Whether nothing but backends has changed since the turn before, as far as is known. */
  isOfBackends: boolean;
}

/** What is known of a Service, as far as its pace depends on it. */
interface Paced {
  readonly pace: Pace;
  readonly knowledge: Knowledge;
}

export const newPace = (): Pace => ({ untilMs: 0, isBurst: false, frame: '', backends: '', isOfBackends: false });

const waitMs = ({ untilMs }: Pace, nowMs: number): number => Math.max(0, untilMs - (BURST - 1) * PACE_MS - nowMs);

/** Returns whether a Service only gains backends, on ports that have some. Such a change can wait: traffic has backends meanwhile. */
function onlyGrows({ groups }: Wanted, observed: Observed): boolean {
  let isGrowing = false;
  for (const group of groups) {
    const has = new Set(findGroup(observed, groupReference(group))?.backends.map(wantedKey));
    const wanted = new Set(group.backends.map(wantedKey));
    if (has.size === 0 || [...has].some((key) => !wanted.has(key))) return false;
    isGrowing ||= wanted.size > has.size;
  }
  return isGrowing;
}

/** Returns the remaining milliseconds that added backends wait. */
function growthMs(pace: Pace, nowMs: number): number {
  pace.growsUntilMs ??= nowMs + GROWTH_MS;
  return Math.max(0, pace.growsUntilMs - nowMs);
}

/**
 * Milliseconds to wait before a change of nothing but backends is carried out; 0 if it may be now, and it then counts. A rolling
 * update would else spend the rates of the cloud pod by pod.
 */
export function gatherMs(desired: Wanted, { pace, knowledge }: Paced, nowMs: number): number {
  const frame = digestOf({ ...desired, groups: [], isChanged: false }, ...desired.groups.map(groupReference));
  const backends = hash(desired.groups);
  // A retry does not wait again.
  const isNews = pace.backends !== backends;
  pace.isOfBackends = pace.frame === frame && !knowledge.doubts.has('groups');
  // A turn for something else that is in doubt is one for backends as well when they have changed.
  const isGathered = pace.isOfBackends && (isNews || [...knowledge.doubts].every((part) => part.startsWith('group:')));
  pace.frame = frame;
  pace.isBurst = false;
  const growsInMs = isGathered && isNews && onlyGrows(desired, knowledge.observed) ? growthMs(pace, nowMs) : 0;
  const toWaitMs = isGathered ? Math.max(waitMs(pace, nowMs), growsInMs) : 0;
  if (toWaitMs > 0) return toWaitMs;
  delete pace.growsUntilMs;
  pace.backends = backends;
  if (!isGathered) return 0;
  pace.untilMs = Math.max(nowMs, pace.untilMs) + PACE_MS;
  pace.isBurst = waitMs(pace, nowMs) > 0;
  return 0;
}

/** Whether what a turn has reached will soon be passed. In a burst one mark covers all changes: only what lasts is recorded. */
export const isPassed = ({ pace }: Paced, changes: number): boolean => pace.isBurst && changes > 0;
