import { concatPlans, NOTHING, type Plan } from '../plan/plan.ts';
import type { Action } from './action.ts';
import { diffGroups, removeGroups } from './diff-groups.ts';
import { diffListeners, removeListeners } from './diff-listeners.ts';
import { diffLoadBalancer } from './diff-load-balancer.ts';
import type { LoadBalancer } from './load-balancer.ts';
import { CLUSTER_TAG, OWNER_TAG, ownerTags, REUSED_TAG } from './naming.ts';
import type { Absent, Desired, Observed, Present } from './state.ts';

const only = (actions: readonly Action[]): Plan<Action> => ({ actions, withheld: [] });

/** Creates before it switches, and switches before it deletes. */
function diffPresent(desired: Present, observed: Observed): Plan<Action> {
  const groups = diffGroups(desired, observed);
  return concatPlans([
    diffLoadBalancer(desired, observed.loadBalancer),
    only(groups.before),
    diffListeners(desired, observed),
    only(groups.after),
  ]);
}

/** A preserved load balancer keeps its listeners and groups, and becomes nobody's. */
function release(
  { owner }: Absent,
  { tags, deleteProtection, modificationProtection }: LoadBalancer,
): readonly Action[] {
  const mine = ownerTags(owner);
  const keys = [OWNER_TAG, CLUSTER_TAG].filter((key) => tags[key] !== undefined && tags[key] === mine[key]);
  return [
    ...(deleteProtection === 'on' ? [{ kind: 'set-delete-protection', state: 'off' } as const] : []),
    ...(modificationProtection === 'ConsoleProtection'
      ? [{ kind: 'set-modification-protection', state: 'NonProtection' } as const]
      : []),
    ...(keys.length === 0 ? [] : [{ kind: 'untag', keys } as const]),
  ];
}

const demolish = ({ id, deleteProtection }: LoadBalancer): readonly Action[] => [
  ...(deleteProtection === 'off' ? [] : [{ kind: 'set-delete-protection', state: 'off' } as const]),
  { kind: 'delete-load-balancer', id },
];

/** A reused load balancer stays; only what this Service has put into it goes. */
const vacate = ({ owner, use, shared }: Absent, observed: Observed, tags: LoadBalancer['tags']): readonly Action[] => [
  ...removeListeners(owner, use, observed),
  ...removeGroups(owner, observed),
  ...(tags[REUSED_TAG] !== undefined && !shared ? [{ kind: 'untag', keys: [REUSED_TAG] } as const] : []),
];

function diffAbsent(desired: Absent, observed: Observed): Plan<Action> {
  const { loadBalancer } = observed;
  if (loadBalancer === undefined) return NOTHING;
  if (desired.use.kind === 'reused') return only(vacate(desired, observed, loadBalancer.tags));
  return only(desired.preserve ? release(desired, loadBalancer) : demolish(loadBalancer));
}

/** What has to be done so that the cloud has what is desired. Pure; plans in names; an empty plan means that it has. */
export const diff = (desired: Desired, observed: Observed): Plan<Action> =>
  desired.kind === 'present' ? diffPresent(desired, observed) : diffAbsent(desired, observed);
