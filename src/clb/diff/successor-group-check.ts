import type { Action } from '../model/action.ts';
import { findGroup, type Observed } from '../model/desired-and-observed-state.ts';

/** An action that adds backends and that the cloud rejected. */
type RejectedAddition = Extract<Action, { readonly kind: 'add-backends' | 'create-server-group' }>;

/** Returns whether a removal takes backends from a group although the cloud rejected the backends of the replacing group. */
export const isSuccessorNotServing = (
  { group, backends }: Extract<Action, { readonly kind: 'remove-backends' }>,
  rejectedAdditions: readonly RejectedAddition[],
  now: Observed,
): boolean => {
  // Equal descriptions of backends identify the replacing group.
  const removedDescriptions = new Set(backends.map(({ description }) => description));
  return rejectedAdditions.some((addition) => {
    const present = new Set(findGroup(now, addition.group)?.backends.map(({ description }) => description));
    return (
      addition.group !== group &&
      addition.backends.some(({ description }) => removedDescriptions.has(description) && !present.has(description))
    );
  });
};
