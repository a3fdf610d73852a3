import { z } from 'zod';
import type { NetworkApi } from '../../clb/network.ts';
import { readBody } from '../body.ts';
import type { Operation } from '../call.ts';
import type { Door } from '../door.ts';
import { toModel, toParameters } from '../wire.ts';

const OPERATION: Operation = { product: 'Vpc', version: '2016-04-28', action: 'DescribeVpcAttribute' };

const VPC = z.object({
  cidrBlock: z.string().default(''),
  ipv6CidrBlock: z.string().default(''),
  secondaryCidrBlocks: z.object({ secondaryCidrBlock: z.array(z.string()).default([]) }).optional(),
  ipv6CidrBlocks: z.object({ ipv6CidrBlock: z.array(z.object({ ipv6CidrBlock: z.string() })).default([]) }).optional(),
});

/** The ranges of a VPC. */
export const rangesApi = (door: Door, regionId: string): Pick<NetworkApi, 'listRanges'> => ({
  listRanges: async (vpcId, context) => {
    const answer = await door.call(OPERATION, toParameters({ regionId, vpcId }), context);
    const vpc = readBody(OPERATION, VPC, toModel(answer));
    const ranges = [
      vpc.cidrBlock,
      ...(vpc.secondaryCidrBlocks?.secondaryCidrBlock ?? []),
      vpc.ipv6CidrBlock,
      ...(vpc.ipv6CidrBlocks?.ipv6CidrBlock ?? []).map(({ ipv6CidrBlock }) => ipv6CidrBlock),
    ];
    return [...new Set(ranges.filter((range) => range !== ''))];
  },
});
