import type { Plan } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import type { Backend } from '../model/server-group.ts';

/** How another Service wants a backend of ours in a group that people have made; absent where none does. */
export type BackendClaims = (group: string, backend: Backend) => Pick<Backend, 'weight' | 'description'> | undefined;

type Removal = Extract<Action, { readonly kind: 'remove-backends' }>;

function transferOf({ group, backends }: Removal, heirs: BackendClaims): readonly Action[] {
  const given = backends.flatMap((backend) => {
    const heir = heirs(group, backend);
    return heir === undefined ? [] : [{ backend, to: { ...backend, ...heir } }];
  });
  const gone = backends.filter((backend) => !given.some((each) => each.backend === backend));
  return [
    ...(given.length === 0 ? [] : [{ kind: 'update-backends' as const, group, backends: given.map(({ to }) => to) }]),
    ...(gone.length === 0 ? [] : [{ kind: 'remove-backends' as const, group, backends: gone }]),
  ];
}

/** The plan in which what another Service wants as well becomes its own instead of going: it would lack it until it looks again. */
export const transferClaimed = ({ actions, blocked }: Plan<Action>, heirs: BackendClaims): Plan<Action> => ({
  actions: actions.flatMap((action) => (action.kind === 'remove-backends' ? transferOf(action, heirs) : [action])),
  blocked,
});
