import { hasReason } from '../../base/errors.ts';
import type { Action } from '../model/action.ts';

/** Whether one action takes away what counts towards the same limit as what the other adds. */
function makesRoomFor(added: Action, removal: Action): boolean {
  if (added.kind === 'tag') return removal.kind === 'untag';
  return (
    added.kind === 'create-domain-extension' &&
    removal.kind === 'delete-domain-extension' &&
    removal.listener.port === added.listener.port
  );
}

/**
 * The first removal of the rest of a plan that makes room for what the cloud has no room for, as far as it is one thing for another.
 * Where there is room, what is added comes first, and nobody here knows how much there is.
 */
export const quotaSwap = (action: Action, error: unknown, rest: readonly Action[]): Action | undefined =>
  hasReason(error, 'QuotaExceeded') ? rest.find((other) => makesRoomFor(action, other)) : undefined;
