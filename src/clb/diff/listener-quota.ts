import type { BlockedAction } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import { shareAPort, type DesiredListener, type ObservedListener } from '../model/listener.ts';
import type { Present } from '../model/state.ts';

/** The cloud's quota of listeners of one Classic Load Balancer, unless the account has been given a higher one. */
export const LISTENER_QUOTA = 50;

/** More ports than these are not named one by one. */
const MOST_NAMED = 5;

const namePorts = (listeners: readonly DesiredListener[]): string => {
  const ports = listeners.slice(0, MOST_NAMED).map(({ port }) => String(port));
  const more = listeners.length - ports.length;
  return `${ports.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
};

/** New listeners for which there is room, and why the others are not asked of the cloud: it would refuse each of them, every time. */
export interface Fitting {
  readonly create: readonly DesiredListener[];
  readonly blocked: readonly BlockedAction<Action>[];
  /** How many of those that go have to go before. */
  readonly lacking: number;
}

/**
 * The first of the new listeners, as many as there is room for beside those that are there and do not go. One that takes the place of another
 * needs none. Where there are more than the quota, the account has been given a higher one, and the cloud alone knows it.
 */
export function fitting(
  create: readonly DesiredListener[],
  { hasUsualQuota = false }: Pick<Present, 'hasUsualQuota'>,
  there: readonly ObservedListener[],
  going: readonly ObservedListener[],
): Fitting {
  if (!hasUsualQuota || there.length > LISTENER_QUOTA || there.length + create.length <= LISTENER_QUOTA)
    return { create, blocked: [], lacking: 0 };
  const isInPlace = (wanted: DesiredListener): boolean => going.some((listener) => shareAPort(listener, wanted));
  const added = create.filter((wanted) => !isInPlace(wanted));
  const room = Math.max(0, LISTENER_QUOTA - (there.length - going.length + create.length - added.length));
  const beyond = new Set(added.slice(room));
  const lacking = Math.max(0, there.length + added.length - beyond.size - LISTENER_QUOTA);
  if (beyond.size === 0) return { create, blocked: [], lacking };
  const reason = `a load balancer has at most ${String(LISTENER_QUOTA)} listeners, and there is no room for ports ${namePorts([...beyond])}; move them to another Service, or have the quota of the account raised and the rule listener-quota warn`;
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
