import { hasReason } from '../../base/errors.ts';
import type { Action } from '../model/action.ts';
import type { Backend } from '../model/server-group.ts';
import { findGroup, type Observed } from '../model/desired-and-observed-state.ts';

type Addition = Extract<Action, { readonly kind: 'add-backends' }>;
type Removal = Extract<Action, { readonly kind: 'remove-backends' | 'delete-server-group' }>;

/** A removal that makes room for an addition, and the remaining actions in their order. */
interface Room {
  readonly removal: Action;
  readonly addition: Action;
  readonly rest: readonly Action[];
}

const backendsIn = (group: string, now: Observed): readonly Backend[] => findGroup(now, group)?.backends ?? [];

/** Returns the backends that an action removes. */
const removedBy = (action: Removal, now: Observed): readonly Backend[] =>
  action.kind === 'remove-backends' ? action.backends : backendsIn(action.group, now);

const removalsIn = (rest: readonly Action[], now: Observed): readonly Removal[] =>
  rest.flatMap((other) =>
    (other.kind === 'remove-backends' || other.kind === 'delete-server-group') && removedBy(other, now).length > 0
      ? [other]
      : [],
  );

/** Returns a removal that makes room for an addition, from the same group if possible. */
function removalFor({ group }: Addition, rest: readonly Action[], now: Observed): Removal | undefined {
  const removals = removalsIn(rest, now);
  const grows = (other: string): boolean => rest.some((each) => each.kind === 'add-backends' && each.group === other);
  return (
    removals.find((other) => other.kind === 'remove-backends' && other.group === group) ??
    // An empty group can take room from another group that does not grow.
    (backendsIn(group, now).length === 0 ? removals.find((other) => !grows(other.group)) : undefined)
  );
}

const some = (action: Addition | Removal, group: string, backends: readonly Backend[]): readonly Action[] =>
  backends.length === 0 || action.kind === 'delete-server-group' ? [] : [{ kind: action.kind, group, backends }];

/** Returns a removal and an addition of equally many backends. A group with several backends keeps at least one backend. */
function roomForBackends(action: Addition, rest: readonly Action[], now: Observed): Room | undefined {
  const removal = removalFor(action, rest, now);
  if (removal === undefined) return undefined;
  const { group, backends } = action;
  const removed = removedBy(removal, now);
  const most = Math.max(1, backendsIn(removal.group, now).length - 1);
  const count = Math.min(backends.length, removed.length, most);
  const left = removal.kind === 'delete-server-group' ? [removal] : some(removal, removal.group, removed.slice(count));
  return {
    removal: { kind: 'remove-backends', group: removal.group, backends: removed.slice(0, count) },
    addition: { ...action, backends: backends.slice(0, count) },
    rest: [
      ...some(action, group, backends.slice(count)),
      ...rest.flatMap((other) => (other === removal ? left : [other])),
    ],
  };
}

/** Returns whether a removal frees the quota of tags or domains that an addition needs. */
function freesQuotaFor(added: Action, removal: Action): boolean {
  if (added.kind === 'tag') return removal.kind === 'untag';
  return (
    added.kind === 'create-domain-extension' &&
    removal.kind === 'delete-domain-extension' &&
    removal.listener.port === added.listener.port
  );
}

function roomFor(addition: Action, rest: readonly Action[], now: Observed): Room | undefined {
  if (addition.kind === 'add-backends') return roomForBackends(addition, rest, now);
  const removal = rest.find((other) => freesQuotaFor(addition, other));
  return removal && { removal, addition, rest: rest.filter((other) => other !== removal) };
}

/** Returns whether an addition can wait for later removals from other groups, because its group already has backends. */
const isLater = (action: Action, rest: readonly Action[], now: Observed): boolean =>
  action.kind === 'add-backends' && backendsIn(action.group, now).length > 0 && removalsIn(rest, now).length > 0;

/** The reordering of actions after a rejected addition. A plan cannot foresee the rejection, because the free quota is unknown. */
export class RoomMaker {
  readonly #retried = new Set<Action>();

  /** Moves a permitted removal before the addition, or moves the addition to the end. Returns whether the addition will be tried again. */
  makeRoom(
    action: Action,
    error: unknown,
    queue: Action[],
    now: Observed,
    isPermitted: (removal: Action) => boolean,
  ): boolean {
    if (!hasReason(error, 'QuotaExceeded') || this.#retried.has(action)) return false;
    const room = roomFor(action, queue, now);
    if (room !== undefined && isPermitted(room.removal)) {
      this.#retried.add(room.addition);
      queue.splice(0, queue.length, room.removal, room.addition, ...room.rest);
      return true;
    }
    if (!isLater(action, queue, now)) return false;
    queue.push(action);
    return true;
  }
}

/** Returns half of an addition that exceeds a quota, because half may still fit. Returns an empty list for any other error. */
export const halfOf = (action: Action, error: unknown): readonly Action[] =>
  action.kind === 'add-backends' && hasReason(error, 'QuotaExceeded')
    ? some(action, action.group, action.backends.slice(0, Math.floor(action.backends.length / 2)))
    : [];
