import { blockWhere, type PlanGuard } from '../../plan/guard.ts';
import type { Action } from '../model/action.ts';
import { isDefaultName } from '../model/naming.ts';
import type { Desired } from '../model/state.ts';

/** No load balancer of people is given a name by which it may be taken for the own one of a Service. */
export const withoutReservedNames = ({ use }: Desired): PlanGuard<Action> =>
  blockWhere('ReservedName', (action) =>
    use.kind === 'reused' && action.kind === 'rename' && isDefaultName(action.name)
      ? `the name ${action.name} is kept for load balancers that are made for Services; give it another`
      : undefined,
  );
