import { LOAD_BALANCER_BINDINGS } from '../../../src/inventory/binding.ts';
import type { Requests } from '../../../src/kubernetes/transport.ts';
import type { Traffic } from './pending-work.ts';

/** The label of all objects of a scenario. */
export const SCENARIO = 'scenario';
/** The label value of the Nodes that all scenarios without their own Nodes share. */
export const SHARED_NODES = 'shared';

const COLLECTION = /^\/(api\/v1|apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+)?\/[a-z]+$/;

type Call = Parameters<Requests['json']>[0];

/** Adds the label of the scenario to a binding that its controller creates. */
function labelled(call: Call, mark: string): Call {
  if (call.method !== 'POST' || !call.path.endsWith(`/${LOAD_BALANCER_BINDINGS.plural}`)) return call;
  const { metadata, ...binding } = call.body as { readonly metadata: { readonly labels?: object } };
  return { ...call, body: { ...binding, metadata: { ...metadata, labels: { ...metadata.labels, [SCENARIO]: mark } } } };
}

/** Limits the requests of a scenario's controller to objects with a label in `shown`, because scenarios share an API server. */
export function viewOf(transport: Requests, traffic: Traffic, shown: readonly string[]): Requests {
  const query = { labelSelector: `${SCENARIO} in (${shown.join(',')})` };
  return {
    json: async (call, signal) => {
      if (call.method !== 'GET') await traffic.pass();
      const narrowed =
        call.method === 'GET' && COLLECTION.test(call.path) ? { ...call, query: { ...call.query, ...query } } : call;
      return traffic.count(() => transport.json(labelled(narrowed, shown[0] ?? ''), signal));
    },
    stream: (call, signal) => transport.stream({ ...call, query: { ...call.query, ...query } }, signal),
  };
}
