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
} from '../model/state.ts';
import type { RetainedGroups } from './retained-groups.ts';

/** The actions before and after the changes of listeners. Groups are removed after, when no listener uses them. */
interface Steps {
  readonly before: readonly Action[];
  readonly after: readonly Action[];
}

/** The actions of all groups. `first` contains changes of existing groups, which wait for no creation. */
export interface GroupActions extends Steps {
  readonly first: readonly Action[];
}

type BackendActionKind = 'add-backends' | 'remove-backends' | 'update-backends';

export const batches = (kind: BackendActionKind, group: string, backends: readonly Backend[]): readonly Action[] =>
  Array.from({ length: Math.ceil(backends.length / BACKENDS_PER_CALL) }, (_, index) => ({
    kind,
    group,
    backends: backends.slice(index * BACKENDS_PER_CALL, (index + 1) * BACKENDS_PER_CALL),
  }));

/** The number of backends that the load balancer can still get. Decreases during planning. */
interface GroupCapacity {
  left: number;
}

/** The Service's backends in an obsolete group. */
interface ObsoleteBackends {
  readonly group: string;
  readonly backends: Backend[];
}

/** A desired group that exists, with its observed state. */
interface RetainedGroup {
  readonly desired: DesiredGroup;
  readonly observed: VServerGroupWithBackends;
}

const capacityIn = ({ groups, backendLimit }: Observed): GroupCapacity => ({
  left:
    backendLimit === undefined
      ? Infinity
      : Math.max(0, backendLimit - groups.reduce((sum, { backends }) => sum + backends.length, 0)),
});

/** The backends to add to and to remove from a group. */
interface Exchange {
  readonly group: string;
  /** The number of backends before the exchange. */
  readonly size: number;
  readonly add: readonly Backend[];
  readonly remove: readonly Backend[];
}

/** Returns the smallest removal from obsolete groups that makes room for backends in an empty group. */
function evacuation(wanted: number, going: readonly ObsoleteBackends[], capacity: GroupCapacity): readonly Action[] {
  const first = going.find(({ backends }) => backends.length > 0);
  if (first === undefined) return [];
  const backends = first.backends.splice(0, wanted);
  capacity.left += backends.length;
  return [{ kind: 'remove-backends', group: first.group, backends }];
}

/**
 * Returns additions before removals. Without room, the smallest sufficient removal comes first, and backends that need the room of obsolete groups
 * come last. If nothing makes room, the additions stay in the plan: the cloud may have more room by now.
 */
function exchange(
  { group, size, add, remove }: Exchange,
  going: readonly ObsoleteBackends[],
  capacity: GroupCapacity,
): Steps {
  const before: Action[] = [];
  let [added, gone] = [0, 0];
  while (added < add.length) {
    const wanted = Math.min(BACKENDS_PER_CALL, add.length - added);
    const lacking = Math.min(Math.max(0, wanted - capacity.left), remove.length - gone);
    before.push(...batches('remove-backends', group, remove.slice(gone, gone + lacking)));
    gone += lacking;
    capacity.left += lacking;
    if (capacity.left === 0 && size + added - gone > 0 && going.length > 0) break;
    if (capacity.left === 0) before.push(...evacuation(wanted, going, capacity));
    const count = capacity.left > 0 ? Math.min(wanted, capacity.left) : wanted;
    before.push({ kind: 'add-backends', group, backends: add.slice(added, added + count) });
    added += count;
    capacity.left = Math.max(0, capacity.left - count);
  }
  return {
    before: [...before, ...batches('remove-backends', group, remove.slice(gone))],
    after: batches('add-backends', group, add.slice(added)),
  };
}

/** Returns the creation of a missing group, with the first batch of its backends. */
function creation(
  { name, backends }: DesiredGroup,
  going: readonly ObsoleteBackends[],
  capacity: GroupCapacity,
): Steps {
  const { before, after } = exchange({ group: name, size: 0, add: backends, remove: [] }, going, capacity);
  const at = before.findIndex(({ kind }) => kind === 'add-backends');
  const first = before[at];
  const create: Action = {
    kind: 'create-server-group',
    group: name,
    backends: first?.kind === 'add-backends' ? first.backends : [],
  };
  return { before: [...before.slice(0, Math.max(0, at)), create, ...before.slice(at + 1)], after };
}

/**
 * Returns the changes of backends in an existing group. Backends that users added stay, and count if they are also desired.
 * If the instance or interface of every desired backend is unknown, the existing backends stay.
 */
function backendChanges(
  present: Present,
  { desired, observed }: RetainedGroup,
  going: readonly ObsoleteBackends[],
  capacity: GroupCapacity,
): Steps {
  const group = groupReference(desired);
  const isOurs = (backend: Backend): boolean => isOwnName(present.owner, backend.description);
  const { create, keep, remove } = matchBy(desired.backends, observed.backends, {
    desired: backendKey,
    observed: backendKey,
  });
  const { missing = [] } = desired;
  const mayGo = (backend: Backend): boolean =>
    isOurs(backend) && !(backend.type === 'eni' && missing.includes(backend.serverIp));
  const differs = (wanted: Backend, has: Backend): boolean =>
    (wanted.weight !== has.weight && !present.ignoreWeights) || wanted.description !== has.description;
  const update = keep.filter((pair) => isOurs(pair.observed) && differs(pair.desired, pair.observed));
  const size = observed.backends.length;
  const { before, after } = exchange(
    { group, size, add: create, remove: backendsUnknown(desired) ? [] : remove.filter(mayGo) },
    going,
    capacity,
  );
  const updates = batches(
    'update-backends',
    group,
    update.map((pair) => (present.ignoreWeights ? { ...pair.desired, weight: pair.observed.weight } : pair.desired)),
  );
  return { before: [...before, ...updates], after };
}

const ownBackends = (owner: Owner, { backends }: VServerGroupWithBackends): readonly Backend[] =>
  backends.filter(({ description }) => isOwnName(owner, description));

/** Returns the removal of a group, or only of the Service's backends if the group contains other backends or is user-managed. */
function removal(owner: Owner, group: VServerGroupWithBackends, reference: string): readonly Action[] {
  const ours = ownBackends(owner, group);
  const isAllOurs = isOwnName(owner, group.name) && ours.length === group.backends.length;
  return isAllOurs ? [{ kind: 'delete-server-group', group: reference }] : batches('remove-backends', reference, ours);
}

const growth = ({ desired, observed }: RetainedGroup): number => desired.backends.length - observed.backends.length;

/** Returns the groups by growth if the capacity is limited: groups that free capacity come first. */
const largestCapacityFirst = (kept: readonly RetainedGroup[], { left }: GroupCapacity): readonly RetainedGroup[] =>
  left === Infinity ? kept : kept.toSorted((one, other) => growth(one) - growth(other));

/** Returns the actions for the groups of a Service. Retained groups are synced with the desired groups. */
export function diffGroups(desired: Present, observed: Observed, serving: readonly RetainedGroups[]): GroupActions {
  const named = new Set<string>(desired.groups.flatMap(({ id }) => id ?? []));
  const stays = new Set(serving.map((each) => each.observed));
  const others = usedFirst(observed).filter((group) => !stays.has(group));
  const { create, keep, remove } = matchBy(desired.groups, others, {
    desired: groupReference,
    observed: ({ id, name }) => (named.has(id) ? id : name),
  });
  const capacity = capacityIn(observed);
  const going = remove.flatMap((group) => {
    const backends = [...ownBackends(desired.owner, group)];
    return backends.length === 0 ? [] : [{ group: referenceTo(observed, group), backends }];
  });
  const { fitting = [], growing = [] } = Object.groupBy(
    largestCapacityFirst([...keep, ...serving], capacity),
    (pair) => (capacity.left === Infinity || growth(pair) <= 0 ? 'fitting' : 'growing'),
  );
  const change = (pair: RetainedGroup): Steps => backendChanges(desired, pair, going, capacity);
  const first = fitting.map(change);
  const changes = [...create.map((group) => creation(group, going, capacity)), ...growing.map(change)];
  return {
    first: first.flatMap(({ before }) => before),
    before: changes.flatMap(({ before }) => before),
    after: [
      ...remove.flatMap((group) => removal(desired.owner, group, referenceTo(observed, group))),
      ...[...first, ...changes].flatMap(({ after }) => after),
    ],
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
