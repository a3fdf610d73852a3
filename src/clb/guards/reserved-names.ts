import { blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { isDefaultName } from '../model/naming.ts';
import type { Desired } from '../model/desired-and-observed-state.ts';

/** Blocks renames of user-managed load balancers to default names, which are evidence of an owned load balancer. */
export const withoutReservedNames = ({ use }: Desired): PlanGuard<Action> =>
  blockWhere('ReservedName', (action) =>
    use.kind === 'reused' && action.kind === 'rename' && isDefaultName(action.name)
      ? `the name ${action.name} is reserved for owned load balancers; choose another name`
      : undefined,
  );
