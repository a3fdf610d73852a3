import type { Plan } from '../../plan/plan.ts';
import { blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { forwardPortOf, type ListenerAttributes, type ListenerKey } from '../model/listener.ts';
import type { Observed } from '../model/desired-and-observed-state.ts';

/** A port of a load balancer. UDP has its own port numbers; all other protocols share theirs. */
export type Port = `${'tcp' | 'udp'}/${number}`;

export const portOf = ({ port, protocol }: ListenerKey): Port => `${protocol === 'udp' ? 'udp' : 'tcp'}/${port}`;

/** Ports whose listeners must stay unchanged, each with the reason. */
export type BlockedPorts<Reason = string> = ReadonlyMap<Port | undefined, Reason>;

/** Returns why an action is blocked; undefined if the action is permitted. */
export type BlockReason<Reason = string> = (action: Action) => Reason | undefined;

export const reasonFor = <Reason>(action: Action, blocked: BlockedPorts<Reason>): Reason | undefined =>
  'listener' in action ? blocked.get(portOf(action.listener)) : undefined;

/** Returns the port that an HTTP listener forwards to; undefined if the listener does not forward. */
function targetOf(listener: ListenerAttributes): Port | undefined {
  const port = forwardPortOf(listener);
  return port === undefined ? undefined : `tcp/${port}`;
}

/** Returns the reason of the blocked port that an action depends on. */
function reasonOfDependency<Reason>(
  action: Action,
  blocked: BlockedPorts<Reason>,
  observed: Observed,
): Reason | undefined {
  // A listener that forwards needs its target.
  if (action.kind === 'create-listener') return blocked.get(targetOf(action.listener));
  if (action.kind !== 'delete-listener') return undefined;
  // The cloud deletes no listener to which another listener forwards.
  const forwarder = observed.listeners.find(
    (listener) => targetOf(listener) === portOf(action.listener) && blocked.has(portOf(listener)),
  );
  return forwarder === undefined ? undefined : blocked.get(portOf(forwarder));
}

/** Returns the ports on which `why` blocks the creation or deletion of a listener, and dependent ports. */
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
      const reason = blocked.has(port) ? undefined : (why(action) ?? reasonOfDependency(action, blocked, observed));
      if (reason !== undefined) blocked.set(port, reason);
    }
  }
  return blocked;
}

/** Returns a guard that blocks actions by `why`, and all actions on blocked ports. A listener stays if its replacement is blocked. */
export const blockPorts =
  (rule: string, why: BlockReason, observed: Observed): PlanGuard<Action> =>
  (plan) => {
    const blocked = blockedPorts(plan, why, observed);
    return blockWhere<Action>(rule, (action) => why(action) ?? reasonFor(action, blocked))(plan);
  };
