import { matchBy } from '../plan/match.ts';
import type { Action } from './action.ts';
import { isOwnName, type Owner } from './naming.ts';
import { BACKENDS_PER_CALL, type Backend, type VServerGroupWithBackends } from './server-group.ts';
import { backendKey, findGroup, usedFirst, type DesiredGroup, type Observed, type Present } from './state.ts';

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

const creation = ({ name, backends }: DesiredGroup): readonly Action[] => [
  { kind: 'create-server-group', group: name, backends: backends.slice(0, BACKENDS_PER_CALL) },
  ...batches('add-backends', name, backends.slice(BACKENDS_PER_CALL)),
];

/** Adds before it removes. What people have put into the group stays as it is, and counts where it is what we want too. */
function backendChanges(
  present: Present,
  desired: DesiredGroup,
  observed: VServerGroupWithBackends,
  group: string,
): readonly Action[] {
  const isOurs = (backend: Backend): boolean => isOwnName(present.owner, backend.description);
  const { create, keep, remove } = matchBy(desired.backends, observed.backends, {
    desired: backendKey,
    observed: backendKey,
  });
  const differs = (wanted: Backend, has: Backend): boolean =>
    (wanted.weight !== has.weight && !present.ignoreWeights) || wanted.description !== has.description;
  const update = keep.filter((pair) => isOurs(pair.observed) && differs(pair.desired, pair.observed));
  return [
    ...batches('add-backends', group, create),
    ...batches('remove-backends', group, remove.filter(isOurs)),
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

/** A group by its name, or by its id where another has the same name. */
const referenceTo = (observed: Observed, group: VServerGroupWithBackends): string =>
  findGroup(observed, group.name) === group ? group.name : group.id;

/** The groups of a Service. */
export function diffGroups(desired: Present, observed: Observed): GroupActions {
  const { create, keep, remove } = matchBy(desired.groups, usedFirst(observed), {
    desired: ({ name }) => name,
    observed: ({ name }) => name,
  });
  return {
    before: [
      ...create.flatMap(creation),
      ...keep.flatMap((pair) =>
        backendChanges(desired, pair.desired, pair.observed, referenceTo(observed, pair.observed)),
      ),
    ],
    after: remove.flatMap((group) => removal(desired.owner, group, referenceTo(observed, group))),
  };
}

/** Removes all that is ours in the observed groups. */
export const removeGroups = (owner: Owner, observed: Observed): readonly Action[] =>
  observed.groups.flatMap((group) => removal(owner, group, referenceTo(observed, group)));
