import type { Plan } from '../../plan/plan.ts';
import type { PlanGuard } from '../../plan/guard.ts';
import { isReplaced, type Action } from '../model/action.ts';
import { blockPorts, type BlockReason } from './blocked-ports.ts';
import { forwardPortOf, forwardsTo, type ListenerKey } from '../model/listener.ts';
import { invalidPort, listenerKey, type Observed, type Present } from '../model/state.ts';

/** What is known of a Service when it is asked what its listeners forward to. */
interface Known {
  readonly desired: Present;
  readonly observed: Observed;
  readonly plan: Plan<Action>;
}

const isDeleted = (listener: ListenerKey, { actions }: Plan<Action>): boolean =>
  actions.some((action) => action.kind === 'delete-listener' && listenerKey(action.listener) === listenerKey(listener));

/** Whether a listener is there in the end; where a port cannot be carried out, none goes but for another in its place. */
const stays = (listener: ListenerKey, { desired, plan }: Known): boolean =>
  !isDeleted(listener, plan) ||
  (desired.problems.length > 0 && !isReplaced({ kind: 'delete-listener', listener }, plan.actions));

function hasTarget(target: ListenerKey, known: Known): boolean {
  const key = listenerKey(target);
  const isMade = known.plan.actions.some(
    (action) => action.kind === 'create-listener' && listenerKey(action.listener) === key,
  );
  return isMade || (known.observed.listeners.some((listener) => listenerKey(listener) === key) && stays(target, known));
}

/** What is wrong with a port that is forwarded to, in the same words in which it is told of the port itself. */
function wrongWith(port: number, { desired, plan }: Known): string | undefined {
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
      const missing = `port ${action.listener.port} is to forward to port ${port}, where no HTTPS listener is; it does once one is there, or correct the annotation forward-port`;
      return wrongWith(port, known) ?? missing;
    }
    if (action.kind !== 'delete-listener') return undefined;
    const { listener: target } = action;
    const forwarder = known.observed.listeners.find((each) => forwardsTo(each, target) && !isDeleted(each, known.plan));
    return forwarder === undefined
      ? undefined
      : `port ${forwarder.port} forwards to port ${target.port}, whose listener cannot go before; have it forward elsewhere first`;
  };

/** Takes out listeners that have nothing to forward to: what is on their port stays. So does what another still forwards to. */
export const withTargets =
  (desired: Present, observed: Observed): PlanGuard<Action> =>
  (plan) =>
    blockPorts('RedirectTargetMissing', why({ desired, observed, plan }), observed)(plan);
