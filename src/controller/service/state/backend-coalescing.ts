import { wantedKey } from '../../../clb/desired/server-group.ts';
import { digestOf, hash } from '../../../clb/desired/digest.ts';
import { isOwnName } from '../../../clb/model/naming.ts';
import type { ObservedCache } from '../../../clb/observe/observe.ts';
import type { Backend, WantedBackend } from '../../../clb/model/server-group.ts';
import {
  findGroup,
  groupReference,
  type Observed,
  type WantedResources,
} from '../../../clb/model/desired-and-observed-state.ts';

/** Milliseconds between one Service's backend writes in a burst, so that a Service with two ports makes under 120 calls a minute. */
export const COALESCE_MS = 2_900;
/** The minimum wait of added backends for further added backends, in milliseconds. No wait if a port of the Service has no backend yet. */
export const GROWTH_MS = 200;

/** The coalescing of a Service's backend writes. Without waits, a rolling update would use up the rate limits of the cloud. */
export interface Coalescing {
  /** The monotonic end of the intervals of earlier writes. Each write adds at most one interval of `COALESCE_MS`, which can delay later writes. */
  untilMs: number;
  /** The monotonic time until which added backends wait for further added backends; undefined if no backend waits. */
  growsUntilMs?: number;
  /** True if the current write began before the intervals of earlier writes ended, so that further writes are expected. */
  isBurst: boolean;
  /** The digest of the desired state without backends. */
  frame: string;
  /** The hash of the backends that the last sync requested. */
  backends: string;
  /** True if only backends may have changed since the last reconcile. */
  isOfBackends: boolean;
}

/** The state of a Service that its coalescing depends on. */
interface CoalescingState {
  readonly coalescing: Coalescing;
  readonly knowledge: ObservedCache;
}

/** The effect of a write on backends. `growth` only adds backends or weight, to groups with backends. `removal` only removes backends. */
type Change = 'growth' | 'removal' | 'other';

export const newCoalescing = (): Coalescing => ({
  untilMs: 0,
  isBurst: false,
  frame: '',
  backends: '',
  isOfBackends: false,
});

/** Ends the wait of added backends for further added backends. */
export function endGrowth(coalescing: Coalescing): void {
  delete coalescing.growsUntilMs;
}

const weights = (backends: readonly (Backend | WantedBackend)[]): ReadonlyMap<string, number> =>
  new Map(backends.map((backend) => [wantedKey(backend), backend.weight]));

/** Returns the effect of a change on backends. A higher weight is growth: under `externalTrafficPolicy: Local`, the weight is the number of pods. */
function changeOf({ owner, groups, ignoreWeights }: WantedResources, observed: Observed): Change {
  let [adds, rises, removes, isEmpty] = [false, false, false, false];
  for (const group of groups) {
    const members = findGroup(observed, groupReference(group))?.backends ?? [];
    const [has, wanted] = [weights(members), weights(group.backends)];
    adds ||= [...wanted.keys()].some((key) => !has.has(key));
    rises ||= !ignoreWeights && [...wanted].some(([key, weight]) => weight > (has.get(key) ?? weight));
    removes ||= members.some((member) => isOwnName(owner, member.description) && !wanted.has(wantedKey(member)));
    isEmpty ||= has.size === 0;
  }
  if (removes) return adds ? 'other' : 'removal';
  return (adds || rises) && !isEmpty ? 'growth' : 'other';
}

/** Returns the milliseconds until the intervals of earlier writes end. */
const aheadMs = ({ untilMs }: Coalescing, nowMs: number): number => Math.max(0, untilMs - nowMs);

/** Returns the milliseconds for which a write waits. */
function waitMs(change: Change, coalescing: Coalescing, nowMs: number): number {
  if (change !== 'growth') {
    // The write of this change also contains the waiting additions.
    endGrowth(coalescing);
    // Up to two intervals do not delay such a change, so the first three writes of a burst start at once.
    return Math.max(0, aheadMs(coalescing, nowMs) - 2 * COALESCE_MS);
  }
  // Up to one interval does not extend the wait of additions, so the first two additions of a burst wait only `GROWTH_MS`.
  const coalesceDelayMs = Math.min(COALESCE_MS, Math.max(GROWTH_MS, aheadMs(coalescing, nowMs) - COALESCE_MS));
  coalescing.growsUntilMs ??= nowMs + coalesceDelayMs;
  return Math.max(0, coalescing.growsUntilMs - nowMs);
}

/** Adds the interval of a write. Removals extend the intervals to at most two, which delay no removal. */
function count(change: Change, coalescing: Coalescing, nowMs: number): void {
  const ahead = aheadMs(coalescing, nowMs);
  const most = change === 'removal' ? Math.max(ahead, 2 * COALESCE_MS) : Infinity;
  coalescing.untilMs = nowMs + Math.min(ahead + COALESCE_MS, most);
  coalescing.isBurst = coalescing.untilMs - nowMs > COALESCE_MS;
}

/** Returns the milliseconds to wait before a change of only backends. Counts the write if no wait is needed. */
export function gatherMs(desired: WantedResources, { coalescing, knowledge }: CoalescingState, nowMs: number): number {
  const frame = digestOf({ ...desired, groups: [], isChanged: false }, ...desired.groups.map(groupReference));
  const backends = hash(desired.groups);
  const isChanged = coalescing.backends !== backends;
  coalescing.isOfBackends = coalescing.frame === frame && !knowledge.invalidated.has('groups');
  // Invalidated parts other than the backends of groups need a sync at once, unless the backends have changed as well.
  const isGathered =
    coalescing.isOfBackends && (isChanged || [...knowledge.invalidated].every((part) => part.startsWith('group:')));
  coalescing.frame = frame;
  coalescing.isBurst = false;
  const found = changeOf(desired, knowledge.observed);
  // A retry of added backends does not wait for further added backends again.
  const change = found === 'growth' && !isChanged ? 'other' : found;
  const toWaitMs = isGathered ? waitMs(change, coalescing, nowMs) : 0;
  if (toWaitMs > 0) return toWaitMs;
  endGrowth(coalescing);
  coalescing.backends = backends;
  if (isGathered) count(change, coalescing, nowMs);
  return 0;
}

/** Returns whether a further write of the burst is expected, so that the result of this write is not recorded. */
export const isSuperseded = ({ coalescing }: CoalescingState, changes: number): boolean =>
  coalescing.isBurst && changes > 0;
