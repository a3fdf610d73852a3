import type { BlockedAction } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import { shareAPort, type DesiredListener, type ObservedListener } from '../model/listener.ts';
import type { Present } from '../model/desired-and-observed-state.ts';

/** The usual quota of listeners of a Classic Load Balancer. An account may have a higher quota. */
export const LISTENER_QUOTA = 50;

/** The maximum number of ports that a message names. */
const MOST_NAMED = 5;

const namePorts = (listeners: readonly DesiredListener[]): string => {
  const ports = listeners.slice(0, MOST_NAMED).map(({ port }) => String(port));
  const more = listeners.length - ports.length;
  return `${ports.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
};

/** The new listeners within the quota, and the blocked listeners beyond the quota. The cloud would reject the blocked listeners on every attempt. */
export interface Fitting {
  readonly create: readonly DesiredListener[];
  readonly blocked: readonly BlockedAction<Action>[];
  /** The number of deletions that must precede the creations, because the quota is full. */
  readonly lacking: number;
}

/** Returns the new listeners that fit into the usual quota. */
export function fitting(
  create: readonly DesiredListener[],
  { hasUsualQuota = false }: Pick<Present, 'hasUsualQuota'>,
  existing: readonly ObservedListener[],
  removed: readonly ObservedListener[],
): Fitting {
  // More existing listeners than the quota prove a higher quota of the account.
  if (!hasUsualQuota || existing.length > LISTENER_QUOTA || existing.length + create.length <= LISTENER_QUOTA)
    return { create, blocked: [], lacking: 0 };
  // A replacement on a port needs no quota.
  const isInPlace = (wanted: DesiredListener): boolean => removed.some((listener) => shareAPort(listener, wanted));
  const added = create.filter((wanted) => !isInPlace(wanted));
  const capacity = Math.max(0, LISTENER_QUOTA - (existing.length - removed.length + create.length - added.length));
  const beyond = new Set(added.slice(capacity));
  const lacking = Math.max(0, existing.length + added.length - beyond.size - LISTENER_QUOTA);
  if (beyond.size === 0) return { create, blocked: [], lacking };
  const reason = `a load balancer has at most ${String(LISTENER_QUOTA)} listeners, so ports ${namePorts([...beyond])} get no listener; move the ports to another Service, or raise the quota of the account and let the rule listener-quota warn`;
  return {
    create: create.filter((wanted) => !beyond.has(wanted)),
    blocked: [...beyond].map((listener) => ({
      action: { kind: 'create-listener', listener },
      rule: 'QuotaExceeded',
      reason,
    })),
    lacking,
  };
}
