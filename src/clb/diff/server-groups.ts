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

/** What groups need before listeners are looked at, and what can go once no listener uses it. */
interface Steps {
  readonly before: readonly Action[];
  readonly after: readonly Action[];
}

/** The steps of all groups. `first`: backends of groups that are there, which wait for no creation. */
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

/** How many backends may still be added to the load balancer; counts down while a plan is made. */
interface GroupCapacity {
  left: number;
}

/** Our backends in a group that is to go. */
interface ObsoleteBackends {
  readonly group: string;
  readonly backends: Backend[];
}

/** A group that stays. */
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

/** What is to be exchanged in one group. */
interface Exchange {
  readonly group: string;
  /** How many backends it has to begin with. */
  readonly size: number;
  readonly add: readonly Backend[];
  readonly remove: readonly Backend[];
}

/** The smallest removal, from groups that are to go, so that something fits into one that has nothing. */
function evacuation(wanted: number, going: readonly ObsoleteBackends[], room: GroupCapacity): readonly Action[] {
  const first = going.find(({ backends }) => backends.length > 0);
  if (first === undefined) return [];
  const backends = first.backends.splice(0, wanted);
  room.left += backends.length;
  return [{ kind: 'remove-backends', group: first.group, backends }];
}

/**
 * Adds before it removes. Where there is no room for what is added, the smallest removal that makes it goes before. What waits for
 * whole groups to go comes after they are gone. Where nothing makes room, it is tried all the same: there may be more by now.
 */
function exchange(
  { group, size, add, remove }: Exchange,
  going: readonly ObsoleteBackends[],
  room: GroupCapacity,
): Steps {
  const before: Action[] = [];
  let [added, gone] = [0, 0];
  while (added < add.length) {
    const wanted = Math.min(BACKENDS_PER_CALL, add.length - added);
    const lacking = Math.min(Math.max(0, wanted - room.left), remove.length - gone);
    before.push(...batches('remove-backends', group, remove.slice(gone, gone + lacking)));
    gone += lacking;
    room.left += lacking;
    if (room.left === 0 && size + added - gone > 0 && going.length > 0) break;
    if (room.left === 0) before.push(...evacuation(wanted, going, room));
    const count = room.left > 0 ? Math.min(wanted, room.left) : wanted;
    before.push({ kind: 'add-backends', group, backends: add.slice(added, added + count) });
    added += count;
    room.left = Math.max(0, room.left - count);
  }
  return {
    before: [...before, ...batches('remove-backends', group, remove.slice(gone))],
    after: batches('add-backends', group, add.slice(added)),
  };
}

/** A group that is not there is created with the first backends that it gets. */
function creation({ name, backends }: DesiredGroup, going: readonly ObsoleteBackends[], room: GroupCapacity): Steps {
  const { before, after } = exchange({ group: name, size: 0, add: backends, remove: [] }, going, room);
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
 * What people have put into the group stays as it is, and counts where it is what we want too. While it is not known of any
 * backend to have where it is, those that are there stay.
 */
function backendChanges(
  present: Present,
  { desired, observed }: RetainedGroup,
  going: readonly ObsoleteBackends[],
  room: GroupCapacity,
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
    room,
  );
  const updates = batches(
    'update-backends',
    group,
    update.map((pair) => (present.ignoreWeights ? { ...pair.desired, weight: pair.observed.weight } : pair.desired)),
  );
  return { before: [...before, ...updates], after };
}

/** Returns the backends of the Service in a group. */
const ownBackends = (owner: Owner, { backends }: VServerGroupWithBackends): readonly Backend[] =>
  backends.filter(({ description }) => isOwnName(owner, description));

/** Takes our backends out of a group that people use as well; deletes one that is all ours. */
function removal(owner: Owner, group: VServerGroupWithBackends, reference: string): readonly Action[] {
  const ours = ownBackends(owner, group);
  const isAllOurs = isOwnName(owner, group.name) && ours.length === group.backends.length;
  return isAllOurs ? [{ kind: 'delete-server-group', group: reference }] : batches('remove-backends', reference, ours);
}

/** By how many backends a group grows. */
const growth = ({ desired, observed }: RetainedGroup): number => desired.backends.length - observed.backends.length;

/** Those first that leave room for the others, where room is short. */
const largestCapacityFirst = (kept: readonly RetainedGroup[], { left }: GroupCapacity): readonly RetainedGroup[] =>
  left === Infinity ? kept : kept.toSorted((one, other) => growth(one) - growth(other));

/** The groups of a Service. Those that are given up and go on serving are kept up with the others. */
export function diffGroups(desired: Present, observed: Observed, serving: readonly RetainedGroups[]): GroupActions {
  const named = new Set<string>(desired.groups.flatMap(({ id }) => id ?? []));
  const stays = new Set(serving.map((each) => each.observed));
  const others = usedFirst(observed).filter((group) => !stays.has(group));
  const { create, keep, remove } = matchBy(desired.groups, others, {
    desired: groupReference,
    observed: ({ id, name }) => (named.has(id) ? id : name),
  });
  const room = capacityIn(observed);
  const going = remove.flatMap((group) => {
    const backends = [...ownBackends(desired.owner, group)];
    return backends.length === 0 ? [] : [{ group: referenceTo(observed, group), backends }];
  });
  const { fitting = [], growing = [] } = Object.groupBy(largestCapacityFirst([...keep, ...serving], room), (pair) =>
    room.left === Infinity || growth(pair) <= 0 ? 'fitting' : 'growing',
  );
  const change = (pair: RetainedGroup): Steps => backendChanges(desired, pair, going, room);
  const first = fitting.map(change);
  const changes = [...create.map((group) => creation(group, going, room)), ...growing.map(change)];
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

/** Removes all that is ours in the observed groups. */
export const removeGroups = (owner: Owner, observed: Observed): readonly Action[] =>
  observed.groups.flatMap((group) => removal(owner, group, referenceTo(observed, group)));
