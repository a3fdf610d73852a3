import type { Requests } from '../../../src/kubernetes/transport.ts';
import type { Traffic } from './traffic.ts';

/** The label of everything that belongs to a scenario, by its mark. */
export const SCENARIO = 'scenario';
/** On Nodes that all scenarios share which have none of their own. */
export const ANYBODY = 'anybody';

const COLLECTION = /^\/(api\/v1|apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[a-z]+$/;

/** The requests of a scenario's controller: it is shown what is the scenario's, and its changes wait for the traffic to be let go. */
export function viewOf(transport: Requests, traffic: Traffic, shown: readonly string[]): Requests {
  const query = { labelSelector: `${SCENARIO} in (${shown.join(',')})` };
  return {
    json: async (call, signal) => {
      if (call.method !== 'GET') await traffic.pass();
      const narrowed =
        call.method === 'GET' && COLLECTION.test(call.path) ? { ...call, query: { ...call.query, ...query } } : call;
      return traffic.count(() => transport.json(narrowed, signal));
    },
    stream: (call, signal) => transport.stream({ ...call, query: { ...call.query, ...query } }, signal),
  };
}
