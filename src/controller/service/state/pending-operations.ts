import type { Action } from '../../../clb/model/action.ts';
import { listenerKey, type Observed, type Use } from '../../../clb/model/state.ts';
import type { Clock } from '../../../base/clock.ts';
import { boundIn, isInProgress, type BindingRecord } from './binding-record.ts';
import { OWN, refOf, type LoadBalancerRef } from '../../../clb/model/load-balancer-ref.ts';

/**
 * Milliseconds after which a call of unknown outcome has certainly taken effect or never will, and what it has made shows in a list:
 * the cloud may commit up to a minute late, and lists lag by up to half a minute.
 */
export const CONSISTENCY_WINDOW_MS = 95_000;

/**
 * What may yet happen: what calls were to make of which nobody has heard whether they took effect, until it is seen; of other calls anything in
 * a place. And when it is over, by the monotonic clock. Once all of it is over all is read again. Until then the Service stays dirty and is not let
 * go: by that the process that comes after this one knows that it has to wait as long.
 */
export type PendingOperations = Map<string, number>;

type Time = Pick<Clock, 'monotonic'>;
interface Pending {
  readonly unsettled: PendingOperations;
}

const itself = (ref: LoadBalancerRef): string => `${ref} itself`;
const group = (ref: LoadBalancerRef, name: string): string => `${ref} group ${name}`;
const listener = (ref: LoadBalancerRef, key: string): string => `${ref} listener ${key}`;

/** Returns what an earlier process may have started, by the record: anything on the recorded load balancer, and a creation. */
export function pendingFrom(record: BindingRecord, nowMs: number): PendingOperations {
  if (!isInProgress(record)) return new Map();
  const id = boundIn(record);
  const isCreation = record.operation?.clientToken !== undefined;
  const whatever = [...(isCreation ? [itself(OWN)] : []), OWN, ...(id === undefined ? [] : [id])];
  return new Map(whatever.map((what) => [what, nowMs + CONSISTENCY_WINDOW_MS]));
}

/** What an action makes; absent where it is not to be seen whether it was this action that made it. */
function madeBy(action: Action, ref: LoadBalancerRef): string | undefined {
  switch (action.kind) {
    case 'create-load-balancer':
      return itself(ref);
    case 'create-server-group':
      return group(ref, action.group);
    case 'create-listener':
      return listener(ref, listenerKey(action.listener));
    default:
      return undefined;
  }
}

const happensWithin = ({ unsettled }: Pending, what: string, clock: Time): void => {
  unsettled.set(what, clock.monotonic() + CONSISTENCY_WINDOW_MS);
};

/** An action may yet take effect. */
export function addPending(entry: Pending, use: Use, action: Action, clock: Time): void {
  const ref = refOf(use);
  happensWithin(entry, madeBy(action, ref) ?? ref, clock);
}

/** In a load balancer that is gone nothing can happen. */
function gone({ unsettled }: Pending, ref: LoadBalancerRef): void {
  for (const what of unsettled.keys()) {
    const isThere = what === ref || what.startsWith(`${ref} `);
    if (isThere && what !== itself(ref)) unsettled.delete(what);
  }
}

/** What has been read is over. A load balancer that may have been created, and does not show, may have something in it. */
export function seen(entry: Pending, use: Use, { loadBalancer, groups, listeners }: Observed): void {
  const { unsettled } = entry;
  if (unsettled.size === 0) return;
  const ref = refOf(use);
  if (loadBalancer === undefined) {
    if (!unsettled.has(itself(ref))) gone(entry, ref);
    return;
  }
  unsettled.delete(itself(ref));
  for (const { name } of groups) unsettled.delete(group(ref, name));
  for (const key of listeners.map(listenerKey)) unsettled.delete(listener(ref, key));
}

/**
 * An action has succeeded. A load balancer that it has made is the one that was under way, by its token; a listener or a group is made beside
 * what may yet appear, and has to show in lists too when all is read again.
 */
export function happened(entry: Pending, use: Use, action: Action, clock: Time): void {
  const { unsettled } = entry;
  if (unsettled.size === 0) return;
  const ref = refOf(use);
  if (action.kind === 'delete-load-balancer') gone(entry, ref);
  const what = madeBy(action, ref);
  if (what === undefined) return;
  const wasLost = unsettled.delete(what);
  const mayBeDoubled = wasLost || unsettled.has(ref);
  if (what !== itself(ref) && mayBeDoubled) happensWithin(entry, ref, clock);
}

/** When all is over that may yet happen, by the monotonic clock; `-Infinity` where nothing may. */
export const settledAt = ({ unsettled }: Pending): number => Math.max(...unsettled.values());

/** Milliseconds until nothing can happen any more that was begun, and all is read again; 0 if that is so. */
export const pendingMs = (entry: Pending, clock: Time): number =>
  entry.unsettled.size === 0 ? 0 : Math.max(1, settledAt(entry) - clock.monotonic());
