import type { PlanPolicy } from '../plan/policy.ts';
import { withholdWhere } from '../plan/policy.ts';
import type { Plan } from '../plan/plan.ts';
import type { Action } from './action.ts';
import type { ListenerAttributes } from './listener.ts';
import type { Observed } from './state.ts';

/** Certificates that must not be put into use, each with the reason. */
export type Unusable = ReadonlyMap<string, string>;

/** The certificates that a plan would put into use. */
export const certificatesIn = ({ actions }: Plan<Action>): readonly string[] => [
  ...new Set(actions.flatMap(certificatesOf)),
];

function certificatesOf(action: Action): readonly string[] {
  if (action.kind === 'create-domain-extension' || action.kind === 'set-domain-extension')
    return [action.certificateId];
  const certificate =
    action.kind === 'create-listener' && action.listener.protocol === 'https'
      ? action.listener.serverCertificateId
      : action.kind === 'update-listener'
        ? action.set['serverCertificateId']
        : undefined;
  return typeof certificate === 'string' ? [certificate] : [];
}

const forwardPort = (listener: ListenerAttributes): number | undefined =>
  listener.protocol === 'http' && listener.listenerForward === 'on' ? listener.forwardPort : undefined;

/** The port that an action of a listener is about; UDP has ports of its own, and no certificates. */
const portOf = (action: Action): number | undefined =>
  'listener' in action && action.listener.protocol !== 'udp' ? action.listener.port : undefined;

/** Why nothing is done on the port of an action, given on which ports nothing is done. */
function blockedBy(
  action: Action,
  blocked: ReadonlyMap<number, string>,
  unusable: Unusable,
  observed: Observed,
): string | undefined {
  if (action.kind === 'create-listener') {
    const [certificate = ''] = certificatesOf(action);
    return unusable.get(certificate) ?? blocked.get(forwardPort(action.listener) ?? 0);
  }
  if (action.kind !== 'delete-listener') return undefined;
  // What another listener still forwards to cannot go.
  const forwarder = observed.listeners.find(
    (listener) => forwardPort(listener) === action.listener.port && blocked.has(listener.port),
  );
  return forwarder === undefined ? undefined : blocked.get(forwarder.port);
}

/** The ports on which nothing is done, because a new listener cannot have its certificate, or would forward to one that cannot. */
function blockedPorts({ actions }: Plan<Action>, unusable: Unusable, observed: Observed): ReadonlyMap<number, string> {
  const blocked = new Map<number, string>();
  for (let before = -1; before < blocked.size;) {
    before = blocked.size;
    for (const action of actions) {
      const port = portOf(action);
      const reason = port === undefined ? undefined : blockedBy(action, blocked, unusable, observed);
      if (port !== undefined && reason !== undefined && !blocked.has(port)) blocked.set(port, reason);
    }
  }
  return blocked;
}

/**
 * Takes out what would put an unusable certificate into use, with all that hangs on it. A listener that is there keeps what it has
 * for as long as another cannot take its place.
 */
export const withoutUnusable =
  (unusable: Unusable, observed: Observed): PlanPolicy<Action> =>
  (plan) => {
    const blocked = blockedPorts(plan, unusable, observed);
    const [first] = blocked.values();
    return withholdWhere<Action>('Certificate', (action) => {
      if (action.kind === 'delete-server-group') return first;
      const [certificate] = certificatesOf(action).filter((id) => unusable.has(id));
      return blocked.get(portOf(action) ?? 0) ?? unusable.get(certificate ?? '');
    })(plan);
  };
