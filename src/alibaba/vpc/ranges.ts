import { z } from 'zod';
import type { NetworkApi } from '../../clb/model/network-api.ts';
import { expectAbout, readBody } from '../response-validation.ts';
import type { CloudOperation } from '../cloud-call-types.ts';
import type { CloudExecutor } from '../executor.ts';
import { toModel, toParameters } from '../wire-names.ts';

const OPERATION: CloudOperation = { product: 'Vpc', version: '2016-04-28', action: 'DescribeVpcAttribute' };

const NONE = z.literal('');
const IPV4 = z.cidrv4().or(NONE);
const IPV6 = z.cidrv6().or(NONE);
const VPC = z.object({
  vpcId: z.string().optional(),
  cidrBlock: IPV4.default(''),
  ipv6CidrBlock: IPV6.default(''),
  secondaryCidrBlocks: z.object({ secondaryCidrBlock: z.array(IPV4).default([]) }).optional(),
  ipv6CidrBlocks: z.object({ ipv6CidrBlock: z.array(z.object({ ipv6CidrBlock: IPV6 })).default([]) }).optional(),
});

/** Returns the VPC call that reads the address ranges of a VPC, because only pods in these ranges can be backends. */
export const rangesApi = (executor: CloudExecutor, regionId: string): Pick<NetworkApi, 'listRanges'> => ({
  listRanges: async (vpcId, context) => {
    const answer = await executor.call(OPERATION, toParameters({ regionId, vpcId }), context);
    const vpc = readBody(OPERATION, VPC, toModel(answer));
    expectAbout(OPERATION, vpcId, vpc.vpcId ?? vpcId);
    const ranges = [
      vpc.cidrBlock,
      ...(vpc.secondaryCidrBlocks?.secondaryCidrBlock ?? []),
      vpc.ipv6CidrBlock,
      ...(vpc.ipv6CidrBlocks?.ipv6CidrBlock ?? []).map(({ ipv6CidrBlock }) => ipv6CidrBlock),
    ];
    return [...new Set(ranges.filter((range) => range !== ''))];
  },
});
