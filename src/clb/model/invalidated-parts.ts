import { traitsOf } from '../../base/errors.ts';
import { isBackendAction, type Action } from './action.ts';
import type { Observed } from './desired-and-observed-state.ts';

/** A part of the observed state, which the next sync reads again after an invalidation. */
export type ObservedPart = 'load-balancer' | 'groups' | 'listeners' | `group:${string}` | `domains:${number}`;

export const ALL_PARTS: readonly ObservedPart[] = ['load-balancer', 'groups', 'listeners'];

/** Returns the part of the observed state that an action may have changed. */
function changedPart(action: Action): ObservedPart {
  if ('domain' in action) return `domains:${action.listener.port}`;
  if ('listener' in action) return 'listeners';
  if (action.kind === 'create-server-group' || action.kind === 'delete-server-group') return 'groups';
  return 'group' in action ? `group:${action.group}` : 'load-balancer';
}

/** Returns the parts to read again after a successful action. */
export const invalidatedBySuccess = ({ kind }: Action, { loadBalancer }: Observed): readonly ObservedPart[] =>
  // The API reference does not say whether a started listener activates an inactive load balancer.
  kind === 'start-listener' && loadBalancer?.status === 'inactive' ? ['load-balancer'] : [];

/** Returns the parts to read again after a failed action. Returns no parts if the failed call cannot have changed them. */
export function invalidatedByFailure(action: Action, error: unknown): readonly ObservedPart[] {
  // A failed creation leaves no outdated resource in the observed state.
  const isChange = !action.kind.startsWith('create-');
  switch (traitsOf(error).invalidates) {
    case 'all':
      return ALL_PARTS;
    case 'subject':
      return [changedPart(action)];
    case 'changed':
      return isChange ? [changedPart(action)] : [];
    case 'backends':
      return isBackendAction(action) ? [changedPart(action)] : [];
    case 'nothing':
      return [];
  }
}
