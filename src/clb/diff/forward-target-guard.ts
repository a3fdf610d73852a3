import type { Plan } from '../../plan/plan.ts';
import type { PlanGuard } from '../../plan/guard.ts';
import { isReplaced, type Action } from '../model/action.ts';
import { blockPorts, type BlockReason } from './blocked-ports.ts';
import { forwardPortOf, forwardsTo, type ListenerKey } from '../model/listener.ts';
import { invalidPort, listenerKey, type Observed, type Present } from '../model/desired-and-observed-state.ts';

/** The states and the plan that decide whether forward targets exist. */
interface Known {
  readonly desired: Present;
  readonly observed: Observed;
  readonly plan: Plan<Action>;
}

const isDeleted = (listener: ListenerKey, { actions }: Plan<Action>): boolean =>
  actions.some((action) => action.kind === 'delete-listener' && listenerKey(action.listener) === listenerKey(listener));

/** Returns whether a listener still exists after the plan. */
const stays = (listener: ListenerKey, { desired, plan }: Known): boolean =>
  !isDeleted(listener, plan) ||
  // If a port is invalid, a guard blocks deletions without replacement.
  (desired.problems.length > 0 && !isReplaced({ kind: 'delete-listener', listener }, plan.actions));

function hasTarget(target: ListenerKey, known: Known): boolean {
  const key = listenerKey(target);
  const isCreated = known.plan.actions.some(
    (action) => action.kind === 'create-listener' && listenerKey(action.listener) === key,
  );
  return (
    isCreated || (known.observed.listeners.some((listener) => listenerKey(listener) === key) && stays(target, known))
  );
}

/** Returns the message about an invalid or blocked forward target; undefined if the target has no problem. */
function problemOfTarget(port: number, { desired, plan }: Known): string | undefined {
  const waiting = plan.blocked.find(
    ({ action }) =>
      action?.kind === 'create-listener' && action.listener.port === port && action.listener.protocol !== 'udp',
  );
  const problem = desired.problems.find((each) => each.port === port);
  return waiting?.reason ?? (problem === undefined ? undefined : invalidPort(problem));
}

const why =
  (known: Known): BlockReason =>
  (action) => {
    if (action.kind === 'create-listener') {
      const port = forwardPortOf(action.listener);
      if (port === undefined || hasTarget({ port, protocol: 'https' }, known)) return undefined;
      const missing = `port ${action.listener.port} cannot forward to port ${port}, because port ${port} has no HTTPS listener; add an HTTPS listener, or correct the annotation forward-port`;
      return problemOfTarget(port, known) ?? missing;
    }
    if (action.kind !== 'delete-listener') return undefined;
    const { listener: target } = action;
    const forwarder = known.observed.listeners.find((each) => forwardsTo(each, target) && !isDeleted(each, known.plan));
    return forwarder === undefined
      ? undefined
      : `port ${forwarder.port} forwards to port ${target.port}, so the listener on port ${target.port} cannot be deleted; change the forwarding of port ${forwarder.port} first`;
  };

/** Blocks listeners whose forward target is missing, and deletions of forward targets in use, because the cloud would reject both. */
export const withTargets =
  (desired: Present, observed: Observed): PlanGuard<Action> =>
  (plan) =>
    blockPorts('RedirectTargetMissing', why({ desired, observed, plan }), observed)(plan);
