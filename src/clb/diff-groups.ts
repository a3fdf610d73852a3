import { matchBy } from '../plan/match.ts';
import type { Action } from './action.ts';
import { isOwnName, parseName, type Owner } from './naming.ts';
import { BACKENDS_PER_CALL, type Backend, type VServerGroupWithBackends } from './server-group.ts';
import {
  backendKey,
  findGroup,
  groupReference,
  usedFirst,
  type DesiredGroup,
  type Observed,
  type Present,
} from './state.ts';

/** What groups need before listeners are looked at, and what can go once no listener uses it. */
export interface GroupActions {
  readonly before: readonly Action[];
  readonly after: readonly Action[];
}

type BackendActionKind = 'add-backends' | 'remove-backends' | 'update-backends';

const batches = (kind: BackendActionKind, group: string, backends: readonly Backend[]): readonly Action[] =>
  Array.from({ length: Math.ceil(backends.length / BACKENDS_PER_CALL) }, (_, index) => ({
    kind,
    group,
    backends: backends.slice(index * BACKENDS_PER_CALL, (index + 1) * BACKENDS_PER_CALL),
  }));

/** How many backends may still be added to the load balancer; counts down while a plan is made. */
interface Room {
  left: number;
}

const roomIn = ({ groups, backendLimit }: Observed): Room => ({
  left:
    backendLimit === undefined
      ? Infinity
      : Math.max(0, backendLimit - groups.reduce((sum, { backends }) => sum + backends.length, 0)),
});

/** How many of `count` go into one call: what there is room for; all of them where there is none, as it may have grown since. */
function batchSize(count: number, room: Room): number {
  const batch = Math.min(BACKENDS_PER_CALL, count);
  return room.left > 0 ? Math.min(batch, room.left) : batch;
}

/** Adds before it removes. Where there is no room for what is added, the smallest removal that makes it goes before. */
function exchange(group: string, add: readonly Backend[], remove: readonly Backend[], room: Room): readonly Action[] {
  const actions: Action[] = [];
  let gone = 0;
  for (let added = 0; added < add.length;) {
    const wanted = Math.min(BACKENDS_PER_CALL, add.length - added);
    const lacking = Math.min(Math.max(0, wanted - room.left), remove.length - gone);
    actions.push(...batches('remove-backends', group, remove.slice(gone, gone + lacking)));
    gone += lacking;
    room.left += lacking;
    const size = batchSize(add.length - added, room);
    actions.push({ kind: 'add-backends', group, backends: add.slice(added, added + size) });
    added += size;
    room.left = Math.max(0, room.left - size);
  }
  return [...actions, ...batches('remove-backends', group, remove.slice(gone))];
}

function creation({ name, backends }: DesiredGroup, room: Room): readonly Action[] {
  const size = backends.length === 0 ? 0 : batchSize(backends.length, room);
  room.left = Math.max(0, room.left - size);
  return [
    { kind: 'create-server-group', group: name, backends: backends.slice(0, size) },
    ...exchange(name, backends.slice(size), [], room),
  ];
}

/**
 * What people have put into the group stays as it is, and counts where it is what we want too. While it is not known of any
 * backend to have where it is, those that are there stay.
 */
function backendChanges(
  present: Present,
  desired: DesiredGroup,
  observed: VServerGroupWithBackends,
  room: Room,
): readonly Action[] {
  const group = groupReference(desired);
  const isOurs = (backend: Backend): boolean => isOwnName(present.owner, backend.description);
  const { create, keep, remove } = matchBy(desired.backends, observed.backends, {
    desired: backendKey,
    observed: backendKey,
  });
  const { missing = [] } = desired;
  const mayGo = (backend: Backend): boolean =>
    isOurs(backend) && !(backend.type === 'eni' && missing.includes(backend.serverIp));
  const isBlind = missing.length > 0 && desired.backends.length === 0;
  const differs = (wanted: Backend, has: Backend): boolean =>
    (wanted.weight !== has.weight && !present.ignoreWeights) || wanted.description !== has.description;
  const update = keep.filter((pair) => isOurs(pair.observed) && differs(pair.desired, pair.observed));
  return [
    ...exchange(group, create, isBlind ? [] : remove.filter(mayGo), room),
    ...batches(
      'update-backends',
      group,
      update.map((pair) => (present.ignoreWeights ? { ...pair.desired, weight: pair.observed.weight } : pair.desired)),
    ),
  ];
}
/** Takes our backends out of a group that people use as well; deletes one that is all ours. */
function removal(owner: Owner, group: VServerGroupWithBackends, reference: string): readonly Action[] {
  const ours = group.backends.filter(({ description }) => isOwnName(owner, description));
  const isAllOurs = isOwnName(owner, group.name) && ours.length === group.backends.length;
  return isAllOurs ? [{ kind: 'delete-server-group', group: reference }] : batches('remove-backends', reference, ours);
}

/** A group by its name, or by its id where it is a person's or another has the same name. */
const referenceTo = (observed: Observed, group: VServerGroupWithBackends): string =>
  parseName(group.name) !== undefined && findGroup(observed, group.name) === group ? group.name : group.id;

/** The groups of a Service. */
export function diffGroups(desired: Present, observed: Observed): GroupActions {
  const named = new Set<string>(desired.groups.flatMap(({ id }) => id ?? []));
  const { create, keep, remove } = matchBy(desired.groups, usedFirst(observed), {
    desired: groupReference,
    observed: ({ id, name }) => (named.has(id) ? id : name),
  });
  const room = roomIn(observed);
  return {
    before: [
      ...create.flatMap((group) => creation(group, room)),
      ...keep.flatMap((pair) => backendChanges(desired, pair.desired, pair.observed, room)),
    ],
    after: remove.flatMap((group) => removal(desired.owner, group, referenceTo(observed, group))),
  };
}

/** Removes all that is ours in the observed groups. */
export const removeGroups = (owner: Owner, observed: Observed): readonly Action[] =>
  observed.groups.flatMap((group) => removal(owner, group, referenceTo(observed, group)));
