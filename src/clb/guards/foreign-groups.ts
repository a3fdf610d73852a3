import type { Plan } from '../../plan/plan.ts';
import { applyGuards, blockWhere, type PlanGuard } from '../../plan/guard.ts';
import { GROUP_OWNER } from '../../inventory/custom-resources.ts';
import type { Action } from '../model/action.ts';
import { blockPorts } from '../diff/blocked-ports.ts';
import { isBackendSync } from './deferred-deletions.ts';
import { parseName, type Owner } from '../model/naming.ts';
import type { VServerGroupWithBackends } from '../model/server-group.ts';
import { findGroup, type Desired, type Observed } from '../model/desired-and-observed-state.ts';

/** A reference of a Service in this cluster to a user-managed server group, by its annotation `vgroup-port`. */
export interface GroupClaim {
  readonly namespace: string;
  readonly name: string;
  /** The Service's `creationTimestamp`. */
  readonly since: string;
  readonly uid: string;
  /** Whether the condition of the Service reports that the group belongs to another namespace. */
  readonly isBlocked: boolean;
}

/** Returns the claims on a server group, given its id. */
export type GroupClaims = (group: string) => readonly GroupClaim[];

/** Returns whether a claim precedes another claim. */
function isBefore(one: GroupClaim, other: GroupClaim): boolean {
  // Blocked claims come last, so that an empty group stays with its permitted namespace.
  if (one.isBlocked !== other.isBlocked) return other.isBlocked;
  return one.since === other.since ? one.uid < other.uid : one.since < other.since;
}

/** Returns the oldest claim that is not blocked, or the oldest claim if all claims are blocked. */
export const oldestClaim = (claims: readonly GroupClaim[]): GroupClaim | undefined =>
  claims.reduce<GroupClaim | undefined>(
    (oldest, claim) => (oldest === undefined || isBefore(claim, oldest) ? claim : oldest),
    undefined,
  );

const oldestNamespace = (claims: readonly GroupClaim[]): string | undefined => oldestClaim(claims)?.namespace;

/** Returns the namespaces of this cluster that have backends in a group. Backends of other clusters do not count. */
function namespacesIn({ backends }: VServerGroupWithBackends, { clusterId }: Owner): ReadonlySet<string> {
  const names = backends.map(({ description }) => parseName(description));
  return new Set(names.flatMap((name) => (name?.clusterId === clusterId ? [name.namespace] : [])));
}

/** Returns whether a namespace may add backends to a group. The existing backends decide first, then the oldest claim. */
function mayAdd(owner: Owner, group: VServerGroupWithBackends, claims: readonly GroupClaim[]): boolean {
  const present = namespacesIn(group, owner);
  if (present.size === 0) return (oldestNamespace(claims) ?? owner.namespace) === owner.namespace;
  if (!present.has(owner.namespace)) return false;
  return (
    present.size === 1 || oldestNamespace(claims.filter(({ namespace }) => present.has(namespace))) === owner.namespace
  );
}

/** Returns the name or id of the group that an action adds backends to, updates, or attaches to a listener. */
function groupOf(action: Action): string | undefined {
  switch (action.kind) {
    case 'add-backends':
    case 'update-backends':
    case 'update-listener':
      return action.group;
    case 'create-listener':
      return action.listener.group;
    default:
      return undefined;
  }
}

/** Returns the group of an action if the group is user-managed. The name decides, because groups that a controller created have structured names. */
function userManagedGroup(action: Action, { kind, use }: Desired, observed: Observed) {
  const reference = kind === 'present' && use.kind === 'reused' ? groupOf(action) : undefined;
  const group = reference === undefined ? undefined : findGroup(observed, reference);
  return group === undefined || parseName(group.name) !== undefined ? undefined : group;
}

/** Returns the ids of the user-managed groups in a plan. A sync locks these groups before the change. */
export const groupsInPlan = (
  { actions }: Pick<Plan<Action>, 'actions'>,
  desired: Desired,
  observed: Observed,
): readonly string[] => [
  ...new Set(actions.flatMap((action) => userManagedGroup(action, desired, observed)?.id ?? [])),
];

/** Returns the groups of actions that `withoutForeignGroups` blocked. The controller reads these groups again before the next attempt. */
export const blockedGroups = (blocked: Plan<Action>['blocked']): readonly string[] =>
  blocked.flatMap(({ rule, action }) => (rule === GROUP_OWNER && action !== undefined ? (groupOf(action) ?? []) : []));

/** Blocks uses of server groups of other namespaces, so that no Service receives traffic of another namespace. */
export const withoutForeignGroups =
  (desired: Desired, observed: Observed, claims: GroupClaims): PlanGuard<Action> =>
  (plan) => {
    const why = (action: Action): string | undefined => {
      const group = userManagedGroup(action, desired, observed);
      return group === undefined || mayAdd(desired.owner, group, claims(group.id))
        ? undefined
        : `server group ${group.id} belongs to Services of another namespace, so no backends are added and existing backends stay; name another server group in the annotation vgroup-port`;
    };
    const blocked = plan.actions.flatMap((action) => why(action) ?? []);
    if (blocked.length === 0) return plan;
    const removesBackends = ({ kind }: Action): boolean => kind === 'remove-backends' || kind === 'delete-server-group';
    return applyGuards(plan, [
      blockPorts(GROUP_OWNER, why, observed),
      // The previous groups and backends stay, because their replacement is blocked.
      blockWhere(GROUP_OWNER, (action) =>
        removesBackends(action) && !isBackendSync(action, desired, observed) ? blocked[0] : undefined,
      ),
    ]);
  };
