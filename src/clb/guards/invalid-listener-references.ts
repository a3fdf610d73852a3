import type { Plan } from '../../plan/plan.ts';
import { blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { blockedPorts, reasonFor } from '../diff/blocked-ports.ts';
import type { Observed } from '../model/desired-and-observed-state.ts';

/** The kinds of resources in the region that listeners reference by id. */
export const RESOURCE_KINDS = ['Certificate', 'AccessControlList'] as const;

export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** Returns the name of the rule that blocks references to unusable resources of a kind, such as `InvalidCertificateRef`. */
export const invalidReference = (kind: ResourceKind): string => `Invalid${kind}Ref`;

/** Ids that listeners cannot reference, each with the reason. The controller looks up every id that a plan references. */
export type Unusable = Readonly<Record<ResourceKind, ReadonlyMap<string, string>>>;

export const NOTHING_UNUSABLE: Unusable = { Certificate: new Map(), AccessControlList: new Map() };

type Attributes = Readonly<Record<string, unknown>>;

const nonEmpty = (id: unknown): readonly string[] => (typeof id === 'string' && id !== '' ? [id] : []);

const attributesOf = (action: Action): Attributes => {
  if (action.kind === 'create-listener') return action.listener as unknown as Attributes;
  return action.kind === 'update-listener' ? action.set : {};
};

function certificatesOf(action: Action): readonly string[] {
  if (action.kind === 'create-domain-extension' || action.kind === 'set-domain-extension')
    return [action.certificateId];
  return nonEmpty(attributesOf(action)['serverCertificateId']);
}

/** Returns the ids of the access control lists that an action sets on a listener; none if access control is off. */
function accessListsOf(action: Action): readonly string[] {
  const { aclStatus, aclId } = attributesOf(action);
  return aclStatus === 'on' ? nonEmpty(aclId).flatMap((ids) => ids.split(',')) : [];
}

const IDS_OF: Readonly<Record<ResourceKind, (action: Action) => readonly string[]>> = {
  Certificate: certificatesOf,
  AccessControlList: accessListsOf,
};

/** Returns the ids of resources of one kind that a plan sets on listeners. */
export const idsIn = (kind: ResourceKind, { actions }: Plan<Action>): ReadonlySet<string> =>
  new Set(actions.flatMap(IDS_OF[kind]));

/** Blocks actions that set an unusable resource on a listener, because each sync would repeat the rejected call. */
export const withoutUnusable =
  (kind: ResourceKind, unusable: Unusable, observed: Observed): PlanGuard<Action> =>
  (plan) => {
    const why = (action: Action): string | undefined =>
      IDS_OF[kind](action).flatMap((id) => unusable[kind].get(id) ?? [])[0];
    const blocked = blockedPorts(plan, why, observed);
    const [first] = blocked.values();
    return blockWhere<Action>(invalidReference(kind), (action) =>
      // The listener of a blocked action stays unchanged, and may use the group.
      action.kind === 'delete-server-group' ? first : (reasonFor(action, blocked) ?? why(action)),
    )(plan);
  };
