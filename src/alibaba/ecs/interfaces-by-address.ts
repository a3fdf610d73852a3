import { isIPv6 } from 'node:net';
import { z } from 'zod';
import type { ServerId } from '../../clb/model/ids.ts';
import { ADDRESSES_PER_LOOKUP, type NetworkApi } from '../../clb/model/network-api.ts';
import { readBody, wrapped, wrappedIfAny } from '../response-validation.ts';
import type { CloudOperation } from '../cloud-call-types.ts';
import type { CloudExecutor } from '../executor.ts';
import { allByToken } from '../pagination.ts';
import { toModel, toParameters } from '../wire-names.ts';

const OPERATION: CloudOperation = { product: 'Ecs', version: '2014-05-26', action: 'DescribeNetworkInterfaces' };

const INTERFACE = z.object({
  networkInterfaceId: z
    .string()
    .min(1)
    .transform((raw) => raw as ServerId),
  privateIpAddress: z.string().optional(),
  privateIpSets: wrappedIfAny('privateIpSet', z.object({ privateIpAddress: z.string() })),
  ipv6Sets: wrappedIfAny('ipv6Set', z.object({ ipv6Address: z.string() })),
});
const PAGE = z.object({
  networkInterfaceSets: wrapped('networkInterfaceSet', INTERFACE),
  nextToken: z.string().default(''),
});

const addressesOf = ({ privateIpAddress, privateIpSets, ipv6Sets }: z.output<typeof INTERFACE>): readonly string[] => [
  ...(privateIpAddress === undefined ? [] : [privateIpAddress]),
  ...privateIpSets.map((set) => set.privateIpAddress),
  ...ipv6Sets.map((set) => set.ipv6Address),
];

/** Returns the ECS call that finds network interfaces by the addresses of pods. */
export const interfacesApi = (executor: CloudExecutor, regionId: string): Pick<NetworkApi, 'findInterfaces'> => ({
  findInterfaces: async (vpcId, addresses, context) => {
    const wanted = new Set(addresses);
    const found = new Map<string, ServerId>();
    const [first] = addresses;
    if (first === undefined) return found;
    const named = isIPv6(first) ? { ipv6Address: addresses } : { privateIpAddress: addresses };
    // Addresses are unique only within a VPC.
    const request = { regionId, vpcId, status: 'InUse', maxResults: ADDRESSES_PER_LOOKUP, ...named };
    const interfaces = await allByToken(OPERATION, async (nextToken) => {
      const parameters = toParameters({ ...request, nextToken });
      const page = readBody(OPERATION, PAGE, toModel(await executor.call(OPERATION, parameters, context)));
      return { items: page.networkInterfaceSets, nextToken: page.nextToken };
    });
    for (const each of interfaces)
      for (const address of addressesOf(each)) if (wanted.has(address)) found.set(address, each.networkInterfaceId);
    return found;
  },
});
