import type { PlanPolicy } from '../plan/policy.ts';
import { withholdWhere } from '../plan/policy.ts';
import type { Plan } from '../plan/plan.ts';
import type { Action } from './action.ts';
import { blockedPorts, reasonFor } from './blocked-ports.ts';
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

/**
 * Takes out what would put an unusable certificate into use, with all that hangs on it. A listener that is there keeps what it has
 * for as long as another cannot take its place.
 */
export const withoutUnusable =
  (unusable: Unusable, observed: Observed): PlanPolicy<Action> =>
  (plan) => {
    const why = (action: Action): string | undefined =>
      certificatesOf(action).flatMap((certificate) => unusable.get(certificate) ?? [])[0];
    const blocked = blockedPorts(plan, why, observed);
    const [first] = blocked.values();
    return withholdWhere<Action>('Certificate', (action) =>
      action.kind === 'delete-server-group' ? first : (reasonFor(action, blocked) ?? why(action)),
    )(plan);
  };
