import type { Plan } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import type { Backend } from '../model/server-group.ts';

/**
 * Returns the weight and description that another Service wants for a backend in a user-managed group. Undefined if no other Service wants the
 * backend.
 */
export type BackendClaims = (group: string, backend: Backend) => Pick<Backend, 'weight' | 'description'> | undefined;

type Removal = Extract<Action, { readonly kind: 'remove-backends' }>;

function transferOf({ group, backends }: Removal, backendClaims: BackendClaims): readonly Action[] {
  const transferred = backends.flatMap((backend) => {
    const claim = backendClaims(group, backend);
    return claim === undefined ? [] : [{ backend, to: { ...backend, ...claim } }];
  });
  const removed = backends.filter((backend) => !transferred.some((each) => each.backend === backend));
  return [
    ...(transferred.length === 0
      ? []
      : [{ kind: 'update-backends' as const, group, backends: transferred.map(({ to }) => to) }]),
    ...(removed.length === 0 ? [] : [{ kind: 'remove-backends' as const, group, backends: removed }]),
  ];
}

/** Replaces the removal of a claimed backend with an update, because the removal would take the backend from the other Service. */
export const transferClaimed = ({ actions, blocked }: Plan<Action>, backendClaims: BackendClaims): Plan<Action> => ({
  actions: actions.flatMap((action) =>
    action.kind === 'remove-backends' ? transferOf(action, backendClaims) : [action],
  ),
  blocked,
});
