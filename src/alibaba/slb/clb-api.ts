import type { ClbApi, RatedChange } from '../../clb/model/clb-api.ts';
import { accessControlListApi } from './access-control-lists.ts';
import { certificateApi } from './certificates.ts';
import type { SlbClient, SlbMethod } from './client.ts';
import { CREATE, listenerApi } from './listeners.ts';
import { loadBalancerApi } from './load-balancers.ts';
import { serverGroupApi } from './server-groups.ts';

/** Returns the SLB method whose rate limit can delay a change. Undefined for a rare change. */
function frequentMethod({ kind, listener }: RatedChange): SlbMethod | undefined {
  switch (kind) {
    case 'create-server-group':
      return 'createVServerGroup';
    case 'add-backends':
      return 'addVServerGroupBackendServers';
    case 'create-listener':
      return listener === undefined ? undefined : CREATE[listener.protocol];
    case 'start-listener':
      return 'startLoadBalancerListener';
    case 'delete-listener':
      return 'deleteLoadBalancerListener';
    default:
      return undefined;
  }
}

/** Returns all SLB calls of the Service controller. Changes of one load balancer run one after the other. */
export const clbApi = (client: SlbClient): ClbApi => ({
  ...loadBalancerApi(client),
  ...listenerApi(client),
  ...serverGroupApi(client),
  ...certificateApi(client),
  ...accessControlListApi(client),
  untilOpen: async (change, context) => {
    const method = frequentMethod(change);
    if (method !== undefined) await client.untilOpen(method, context);
  },
});
