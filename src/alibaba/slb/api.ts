import type { ClbApi } from '../../clb/port.ts';
import { accessControlListApi } from './access-control-lists.ts';
import { certificateApi } from './certificates.ts';
import type { SlbClient } from './client.ts';
import { listenerApi } from './listeners.ts';
import { loadBalancerApi } from './load-balancers.ts';
import { serverGroupApi } from './server-groups.ts';

/** The CLB slice's port on SLB. Changes of one load balancer are sent one after the other. */
export const clbApi = (client: SlbClient): ClbApi => ({
  ...loadBalancerApi(client),
  ...listenerApi(client),
  ...serverGroupApi(client),
  ...certificateApi(client),
  ...accessControlListApi(client),
});
