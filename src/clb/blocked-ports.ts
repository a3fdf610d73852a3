import type { Plan } from '../plan/plan.ts';
import type { Action } from './action.ts';
import type { ListenerAttributes, ListenerKey } from './listener.ts';
import type { Observed } from './state.ts';

/** A port of a load balancer: UDP has numbers of its own, all other protocols share theirs. */
export type Port = `${'tcp' | 'udp'}/${number}`;

export const portOf = ({ port, protocol }: ListenerKey): Port => `${protocol === 'udp' ? 'udp' : 'tcp'}/${port}`;

type Creation = Extract<Action, { readonly kind: 'create-listener' }>;

/** Why a listener must not be made; absent where nothing stands against it. */
export type Obstacle<Reason> = (creation: Creation) => Reason | undefined;

/** Where a listener forwards to; only those of HTTP do. */
const targetOf = (listener: ListenerAttributes): Port | undefined =>
  listener.protocol === 'http' && listener.listenerForward === 'on' ? `tcp/${listener.forwardPort ?? 0}` : undefined;

/** Why nothing is done on the port of an action, given on which ports nothing is done. */
function blockedBy<Reason>(
  action: Action,
  blocked: ReadonlyMap<Port | undefined, Reason>,
  obstacle: Obstacle<Reason>,
  observed: Observed,
): Reason | undefined {
  if (action.kind === 'create-listener') return obstacle(action) ?? blocked.get(targetOf(action.listener));
  if (action.kind !== 'delete-listener') return undefined;
  // What another listener still forwards to cannot go.
  const forwarder = observed.listeners.find(
    (listener) => targetOf(listener) === portOf(action.listener) && blocked.has(portOf(listener)),
  );
  return forwarder === undefined ? undefined : blocked.get(portOf(forwarder));
}

/**
 * The ports on which nothing is done, because a new listener must not be made there, or would forward to one that must not. A listener
 * that is there stays for as long as another cannot take its place.
 */
export function blockedPorts<Reason>(
  { actions }: Plan<Action>,
  obstacle: Obstacle<Reason>,
  observed: Observed,
): ReadonlyMap<Port, Reason> {
  const blocked = new Map<Port, Reason>();
  for (let before = -1; before < blocked.size;) {
    before = blocked.size;
    for (const action of actions) {
      if (!('listener' in action) || blocked.has(portOf(action.listener))) continue;
      const reason = blockedBy(action, blocked, obstacle, observed);
      if (reason !== undefined) blocked.set(portOf(action.listener), reason);
    }
  }
  return blocked;
}
