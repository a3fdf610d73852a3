import type { Action } from '../../../clb/model/action.ts';
import { listenerKey, type Observed, type Use } from '../../../clb/model/desired-and-observed-state.ts';
import type { Clock } from '../../../base/clock.ts';
import { boundIn, isInProgress, type BindingRecord } from './binding-record.ts';
import { OWN, refOf, type LoadBalancerRef } from '../../../clb/model/load-balancer-ref.ts';

/** Milliseconds until lists show the outcome of a call, because execution can take a minute, and lists can lag half a minute. */
export const CONSISTENCY_WINDOW_MS = 95_000;

/** The resources that calls without a response can still change, and the monotonic time after which each call is over. */
export type PendingOperations = Map<string, number>;

type Time = Pick<Clock, 'monotonic'>;
interface Pending {
  readonly pendingOperations: PendingOperations;
}

const itself = (ref: LoadBalancerRef): string => `${ref} itself`;
const group = (ref: LoadBalancerRef, name: string): string => `${ref} group ${name}`;
const listener = (ref: LoadBalancerRef, key: string): string => `${ref} listener ${key}`;

/** Returns the operations that an earlier process can have started, according to the record. */
export function pendingFrom(record: BindingRecord, nowMs: number): PendingOperations {
  if (!isInProgress(record)) return new Map();
  const id = boundIn(record);
  const isCreation = record.operation?.clientToken !== undefined;
  // The record does not show which resources of the load balancers the process changed.
  const whatever = [...(isCreation ? [itself(OWN)] : []), OWN, ...(id === undefined ? [] : [id])];
  return new Map(whatever.map((what) => [what, nowMs + CONSISTENCY_WINDOW_MS]));
}

/** Returns the resource that an action creates; undefined if a read cannot show whether the action took effect. */
function createdBy(action: Action, ref: LoadBalancerRef): string | undefined {
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

const recordPending = ({ pendingOperations }: Pending, what: string, clock: Time): void => {
  pendingOperations.set(what, clock.monotonic() + CONSISTENCY_WINDOW_MS);
};

/** Records that an action without a response may still take effect. */
export function addPending(entry: Pending, use: Use, action: Action, clock: Time): void {
  const ref = refOf(use);
  recordPending(entry, createdBy(action, ref) ?? ref, clock);
}

/** Ends the pending operations inside a load balancer that no longer exists. */
function endInside({ pendingOperations }: Pending, ref: LoadBalancerRef): void {
  for (const what of pendingOperations.keys()) {
    const isThere = what === ref || what.startsWith(`${ref} `);
    if (isThere && what !== itself(ref)) pendingOperations.delete(what);
  }
}

/** Ends the pending operations whose resources a read has shown. */
export function endShown(entry: Pending, use: Use, { loadBalancer, groups, listeners }: Observed): void {
  const { pendingOperations } = entry;
  if (pendingOperations.size === 0) return;
  const ref = refOf(use);
  if (loadBalancer === undefined) {
    // A created load balancer that is not shown yet can contain pending resources.
    if (!pendingOperations.has(itself(ref))) endInside(entry, ref);
    return;
  }
  pendingOperations.delete(itself(ref));
  for (const { name } of groups) pendingOperations.delete(group(ref, name));
  for (const key of listeners.map(listenerKey)) pendingOperations.delete(listener(ref, key));
}

/** Records a successful action, which ends the pending creation of the same resource. */
export function recordSuccess(entry: Pending, use: Use, action: Action, clock: Time): void {
  const { pendingOperations } = entry;
  if (pendingOperations.size === 0) return;
  const ref = refOf(use);
  if (action.kind === 'delete-load-balancer') endInside(entry, ref);
  const what = createdBy(action, ref);
  if (what === undefined) return;
  const wasLost = pendingOperations.delete(what);
  // An earlier lost call can still create a second listener or group.
  const mayHaveDuplicate = wasLost || pendingOperations.has(ref);
  if (what !== itself(ref) && mayHaveDuplicate) recordPending(entry, ref, clock);
}

/** Returns the monotonic time at which all pending operations are over; `-Infinity` if there are none. */
export const settledAt = ({ pendingOperations }: Pending): number => Math.max(...pendingOperations.values());

/** Returns the milliseconds until all pending operations are over; at least 1 until `invalidateDue` removes them, then 0. */
export const pendingMs = (entry: Pending, clock: Time): number =>
  entry.pendingOperations.size === 0 ? 0 : Math.max(1, settledAt(entry) - clock.monotonic());
