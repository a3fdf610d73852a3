import type { Action } from './action.ts';
import { effectOf, type Answer } from './effect.ts';
import type { LoadBalancerId, VServerGroupId } from './ids.ts';
import type { Observed } from './state.ts';

/** What the cloud may answer. Nobody knows the ids that it is going to give; names do in their place. */
function answerTo(action: Action): Answer {
  if (action.kind === 'create-load-balancer') return { id: 'lb-new' as LoadBalancerId, address: '' };
  return action.kind === 'create-server-group' ? (action.group as VServerGroupId) : undefined;
}

/** What the cloud is going to have if all of this succeeds. */
export const foreseen = (observed: Observed, actions: readonly Action[]): Observed =>
  actions.reduce((now, action) => effectOf(now, action, answerTo(action)), observed);
