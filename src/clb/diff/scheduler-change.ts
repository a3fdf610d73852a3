import type { BlockedAction } from '../../plan/plan.ts';
import type { ListenerProtocol } from '../../inventory/resource.ts';
import type { Action } from '../model/action.ts';
import type { ListenerAttributes } from '../model/listener.ts';

/** Schedulers that keep a client with its server: a listener is born with one, and none that is there becomes such, or another such. */
const HASHES: ReadonlySet<string> = new Set(['sch', 'tch', 'qch']);

export const isHash = (scheduler: string | undefined): scheduler is string => HASHES.has(scheduler ?? '');

/** Whether listeners of a protocol can have one at all. */
export const mayHaveHash = (protocol: ListenerProtocol): boolean => protocol === 'tcp' || protocol === 'udp';

const isOutOfReach = (wanted: ListenerAttributes, has: ListenerAttributes): boolean =>
  wanted.scheduler !== has.scheduler && isHash(wanted.scheduler);

/** The attributes to be changed of a listener that stays, without a scheduler that it cannot have. */
export const withinReach = (
  changed: Readonly<Record<string, unknown>>,
  wanted: ListenerAttributes,
  has: ListenerAttributes,
): Readonly<Record<string, unknown>> =>
  isOutOfReach(wanted, has)
    ? Object.fromEntries(Object.entries(changed).filter(([field]) => field !== 'scheduler'))
    : changed;

/** What is said of such a scheduler. */
export function outOfReach(wanted: ListenerAttributes, has: ListenerAttributes): readonly BlockedAction<Action>[] {
  if (!isOutOfReach(wanted, has)) return [];
  const [from, to] = [has.scheduler ?? 'another', wanted.scheduler ?? ''];
  const reason = `scheduler is ${to}, but the listener on port ${has.port} has ${from} and the cloud does not change it to that; set it back, or remove the port and add it again`;
  return [{ rule: 'UnsupportedChange', reason }];
}
