import { hasReason } from '../../base/errors.ts';
import type { Action } from '../model/action.ts';

/** Returns whether a removal frees the quota that an addition needs. */
function makesRoomFor(added: Action, removal: Action): boolean {
  if (added.kind === 'tag') return removal.kind === 'untag';
  return (
    added.kind === 'create-domain-extension' &&
    removal.kind === 'delete-domain-extension' &&
    removal.listener.port === added.listener.port
  );
}

/**
 * Returns the first remaining removal that frees the quota that an addition exceeds. Additions normally precede removals, because the free quota is
 * unknown.
 */
export const quotaSwap = (action: Action, error: unknown, rest: readonly Action[]): Action | undefined =>
  hasReason(error, 'QuotaExceeded') ? rest.find((other) => makesRoomFor(action, other)) : undefined;
