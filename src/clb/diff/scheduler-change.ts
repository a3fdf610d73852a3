import type { BlockedAction } from '../../plan/plan.ts';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import type { Action } from '../model/action.ts';
import type { ListenerAttributes } from '../model/listener.ts';

/** Hash schedulers, which keep a client on one backend. The cloud sets a hash scheduler only when it creates a listener. */
const HASHES: ReadonlySet<string> = new Set(['sch', 'tch', 'qch']);

export const isHash = (scheduler: string | undefined): scheduler is string => HASHES.has(scheduler ?? '');

/** Returns whether listeners of a protocol can have a hash scheduler. */
export const mayHaveHash = (protocol: ListenerProtocol): boolean => protocol === 'tcp' || protocol === 'udp';

const isBlocked = (wanted: ListenerAttributes, has: ListenerAttributes): boolean =>
  wanted.scheduler !== has.scheduler && isHash(wanted.scheduler);

/** Returns the changed attributes of an existing listener, without a hash scheduler that the cloud cannot set. */
export const withoutBlockedScheduler = (
  changed: Readonly<Record<string, unknown>>,
  wanted: ListenerAttributes,
  has: ListenerAttributes,
): Readonly<Record<string, unknown>> =>
  isBlocked(wanted, has)
    ? Object.fromEntries(Object.entries(changed).filter(([field]) => field !== 'scheduler'))
    : changed;

/** Returns a blocked entry for a change to a hash scheduler. Returns an empty list for any other change. */
export function blockedScheduler(
  wanted: ListenerAttributes,
  has: ListenerAttributes,
): readonly BlockedAction<Action>[] {
  if (!isBlocked(wanted, has)) return [];
  const [from, to] = [has.scheduler ?? 'another scheduler', wanted.scheduler ?? ''];
  const reason = `scheduler is ${to}, but the listener on port ${has.port} has ${from}, which the cloud cannot change to ${to}; restore the previous value, or remove the port and add the port again`;
  return [{ rule: 'UnsupportedChange', reason }];
}
