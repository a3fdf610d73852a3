import type { Invariant, JournalEntry } from '../moment.ts';
import { CLUSTER_TAG, isOurs, OWNER_TAG, serviceNamed, tagIn } from '../ownership.ts';

/** Returns the identifying tag or name that a creation lacks. Undefined if nothing is missing. */
function missingIn(call: JournalEntry): string | undefined {
  const { action, parameters } = call;
  if (action === 'CreateLoadBalancer') return [OWNER_TAG, CLUSTER_TAG].find((tag) => tagIn(call, tag) === undefined);
  if (action === 'CreateVServerGroup')
    return serviceNamed(parameters['VServerGroupName'] ?? '') === undefined ? 'a name of ours' : undefined;
  if (/^CreateLoadBalancer[A-Z]+Listener$/.test(action))
    return serviceNamed(parameters['Description'] ?? '') === undefined ? 'a description of ours' : undefined;
  return undefined;
}

/** If a process is killed after a creation, only tags of the creating call prove the owner of the resource. */
export const tagsAtCreation: Invariant = {
  name: 'TagsAtCreation',
  statement: 'every resource is created with its tags, name or description in the same call',
  check: (history, { evaluated }) =>
    history.flatMap((moment, at) => {
      if (moment.kind !== 'sent' || !isOurs(moment.call)) return [];
      if (!moment.call.action.startsWith('Create')) return [];
      evaluated();
      const missing = missingIn(moment.call);
      return missing === undefined ? [] : [{ at, found: `${moment.call.action} was sent without ${missing}` }];
    }),
};
