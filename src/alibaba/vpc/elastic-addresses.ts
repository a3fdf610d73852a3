import { z } from 'zod';
import type { NetworkApi } from '../../clb/model/network-api.ts';
import { expectAbout, readBody, wrapped } from '../response-validation.ts';
import type { CloudOperation } from '../cloud-call-types.ts';
import type { CloudExecutor } from '../executor.ts';
import { toModel, toParameters } from '../wire-names.ts';

const OPERATION: CloudOperation = { product: 'Vpc', version: '2016-04-28', action: 'DescribeEipAddresses' };
/** The largest page size. A load balancer has only a few addresses, so one page is enough. */
const PAGE_SIZE = 100;
const ADDRESS = z.object({ ipAddress: z.string().min(1), instanceId: z.string().optional() });
const ANSWER = z.object({ eipAddresses: wrapped('eipAddress', ADDRESS) });

/** Returns the VPC call that lists the elastic IP addresses of a load balancer. */
export const elasticAddressApi = (
  executor: CloudExecutor,
  regionId: string,
): Pick<NetworkApi, 'listElasticAddresses'> => ({
  listElasticAddresses: async (associatedInstanceId, context) => {
    const request = { regionId, associatedInstanceType: 'SlbInstance', associatedInstanceId, pageSize: PAGE_SIZE };
    const answer = await executor.call(OPERATION, toParameters(request), context);
    const { eipAddresses } = readBody(OPERATION, ANSWER, toModel(answer));
    for (const { instanceId = associatedInstanceId } of eipAddresses)
      expectAbout(OPERATION, associatedInstanceId, instanceId);
    return eipAddresses.map(({ ipAddress }) => ipAddress).sort();
  },
});
