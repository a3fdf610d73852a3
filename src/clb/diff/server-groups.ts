import { matchBy } from '../../plan/match.ts';
import type { Action } from '../model/action.ts';
import { isOwnName, type Owner } from '../model/naming.ts';
import { BACKENDS_PER_CALL, type Backend, type VServerGroupWithBackends } from '../model/server-group.ts';
import {
  backendKey,
  groupReference,
  referenceTo,
  backendsUnknown,
  usedFirst,
  type DesiredGroup,
  type Observed,
  type Present,
} from '../model/desired-and-observed-state.ts';
import type { RetainedGroup } from './retained-groups.ts';

/** The actions of all groups, in three steps. */
export interface GroupActions {
  /** Changes of the backends of existing groups. */
  readonly first: readonly Action[];
  /** Creations of missing groups, before the changes of listeners. */
  readonly before: readonly Action[];
  /** Removals of obsolete groups, after the changes of listeners. */
  readonly after: readonly Action[];
}

type BackendActionKind = 'add-backends' | 'remove-backends' | 'update-backends';

export const batches = (kind: BackendActionKind, group: string, backends: readonly Backend[]): readonly Action[] =>
  Array.from({ length: Math.ceil(backends.length / BACKENDS_PER_CALL) }, (_, index) => ({
    kind,
    group,
    backends: backends.slice(index * BACKENDS_PER_CALL, (index + 1) * BACKENDS_PER_CALL),
  }));

/** A desired group that exists in the cloud, with its observed state. */
interface ExistingGroup {
  readonly desired: DesiredGroup;
  readonly observed: VServerGroupWithBackends;
}

/** Returns the creation of a missing group, with the first batch of its backends. */
function creation({ name, backends }: DesiredGroup): readonly Action[] {
  const first = backends.slice(0, BACKENDS_PER_CALL);
  return [
    { kind: 'create-server-group', group: name, backends: first },
    ...batches('add-backends', name, backends.slice(BACKENDS_PER_CALL)),
  ];
}

/** Returns the changes of backends in an existing group, additions first. Backends of users stay. */
function backendChanges(present: Present, { desired, observed }: ExistingGroup): readonly Action[] {
  const group = groupReference(desired);
  const isOurs = (backend: Backend): boolean => isOwnName(present.owner, backend.description);
  const { create, keep, remove } = matchBy(desired.backends, observed.backends, {
    desired: backendKey,
    observed: backendKey,
  });
  const { missing = [] } = desired;
  const isRemovable = (backend: Backend): boolean =>
    isOurs(backend) && !(backend.type === 'eni' && missing.includes(backend.serverIp));
  const differs = (wanted: Backend, has: Backend): boolean =>
    (wanted.weight !== has.weight && !present.ignoreWeights) || wanted.description !== has.description;
  const update = keep.filter((pair) => isOurs(pair.observed) && differs(pair.desired, pair.observed));
  const updated = update.map((pair) =>
    present.ignoreWeights ? { ...pair.desired, weight: pair.observed.weight } : pair.desired,
  );
  return [
    ...batches('add-backends', group, create),
    ...batches('remove-backends', group, backendsUnknown(desired) ? [] : remove.filter(isRemovable)),
    ...batches('update-backends', group, updated),
  ];
}

const ownBackends = (owner: Owner, { backends }: VServerGroupWithBackends): readonly Backend[] =>
  backends.filter(({ description }) => isOwnName(owner, description));

/** Returns the removal of a group, or only of the Service's backends if the group contains other backends or is user-managed. */
function removal(owner: Owner, group: VServerGroupWithBackends, reference: string): readonly Action[] {
  const ours = ownBackends(owner, group);
  const isAllOurs = isOwnName(owner, group.name) && ours.length === group.backends.length;
  return isAllOurs ? [{ kind: 'delete-server-group', group: reference }] : batches('remove-backends', reference, ours);
}

/** Returns the actions for the groups of a Service. Groups in `serving` stay, and their backends are synced. */
export function diffGroups(desired: Present, observed: Observed, serving: readonly RetainedGroup[]): GroupActions {
  const named = new Set<string>(desired.groups.flatMap(({ id }) => id ?? []));
  const stays = new Set(serving.map((each) => each.observed));
  const others = usedFirst(observed).filter((group) => !stays.has(group));
  const { create, keep, remove } = matchBy(desired.groups, others, {
    desired: groupReference,
    observed: ({ id, name }) => (named.has(id) ? id : name),
  });
  return {
    first: [...keep, ...serving].flatMap((pair) => backendChanges(desired, pair)),
    before: create.flatMap(creation),
    after: remove.flatMap((group) => removal(desired.owner, group, referenceTo(observed, group))),
  };
}

/** Returns the actions that remove the backends of a Service from every observed group, without the groups. */
export const removeBackends = (owner: Owner, observed: Observed): readonly Action[] =>
  observed.groups.flatMap((group) =>
    batches('remove-backends', referenceTo(observed, group), ownBackends(owner, group)),
  );

/** Returns the actions that remove the groups and backends of a Service from the observed groups. */
export const removeGroups = (owner: Owner, observed: Observed): readonly Action[] =>
  observed.groups.flatMap((group) => removal(owner, group, referenceTo(observed, group)));
