import type { Plan } from '../../plan/plan.ts';
import { blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { forwardPortOf, type ListenerAttributes, type ListenerKey } from '../model/listener.ts';
import type { Observed } from '../model/state.ts';

/** A port of a load balancer: UDP has numbers of its own, all other protocols share theirs. */
export type Port = `${'tcp' | 'udp'}/${number}`;

export const portOf = ({ port, protocol }: ListenerKey): Port => `${protocol === 'udp' ? 'udp' : 'tcp'}/${port}`;

/** Ports of listeners on which nothing is done, each with the reason. */
export type BlockedPorts<Reason = string> = ReadonlyMap<Port | undefined, Reason>;

/** Why an action cannot be carried out; absent when it can. */
export type BlockReason<Reason = string> = (action: Action) => Reason | undefined;

export const reasonFor = <Reason>(action: Action, blocked: BlockedPorts<Reason>): Reason | undefined =>
  'listener' in action ? blocked.get(portOf(action.listener)) : undefined;

/** Where a listener forwards to; only those of HTTP do. */
function targetOf(listener: ListenerAttributes): Port | undefined {
  const port = forwardPortOf(listener);
  return port === undefined ? undefined : `tcp/${port}`;
}

/** A new listener cannot forward to one that is not made, and what another listener still forwards to cannot go. */
function hangsOn<Reason>(action: Action, blocked: BlockedPorts<Reason>, observed: Observed): Reason | undefined {
  if (action.kind === 'create-listener') return blocked.get(targetOf(action.listener));
  if (action.kind !== 'delete-listener') return undefined;
  const forwarder = observed.listeners.find(
    (listener) => targetOf(listener) === portOf(action.listener) && blocked.has(portOf(listener)),
  );
  return forwarder === undefined ? undefined : blocked.get(portOf(forwarder));
}

/**
 * The ports on which nothing is done, because a listener of theirs cannot be made or must not go, or another hangs on one that cannot:
 * a listener that is there keeps what it has for as long as another cannot take its place.
 */
export function blockedPorts<Reason>(
  { actions }: Plan<Action>,
  why: BlockReason<Reason>,
  observed: Observed,
): BlockedPorts<Reason> {
  const blocked = new Map<Port, Reason>();
  for (let before = -1; before < blocked.size;) {
    before = blocked.size;
    for (const action of actions) {
      if (action.kind !== 'create-listener' && action.kind !== 'delete-listener') continue;
      const port = portOf(action.listener);
      const reason = blocked.has(port) ? undefined : (why(action) ?? hangsOn(action, blocked, observed));
      if (reason !== undefined) blocked.set(port, reason);
    }
  }
  return blocked;
}

/** The policy that takes out every action for which `why` gives a reason, with all that hangs on listeners among them. */
export const blockPorts =
  (rule: string, why: BlockReason, observed: Observed): PlanGuard<Action> =>
  (plan) => {
    const blocked = blockedPorts(plan, why, observed);
    return blockWhere<Action>(rule, (action) => why(action) ?? reasonFor(action, blocked))(plan);
  };
