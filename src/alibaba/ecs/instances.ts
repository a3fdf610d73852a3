import { z } from 'zod';
import type { Instance } from '../../node/instance.ts';
import { IDS_PER_CALL, type InstanceApi } from '../../node/instance-api.ts';
import type { CallContext } from '../../plan/call-context.ts';
import { readBody, wrapped, wrappedIfAny } from '../response-validation.ts';
import type { CloudOperation } from '../cloud-call-types.ts';
import type { CloudExecutor } from '../executor.ts';
import { allByToken } from '../pagination.ts';
import { toModel, toParameters, type ApiParameters } from '../wire-names.ts';

const operation = (action: string): CloudOperation => ({ product: 'Ecs', version: '2014-05-26', action });
const DESCRIBE = operation('DescribeInstances');
const DESCRIBE_INTERFACES = operation('DescribeNetworkInterfaces');
const MODIFY_INTERFACE = operation('ModifyNetworkInterfaceAttribute');

const text = z.string().default('');
const addresses = z.object({ ipAddress: z.array(z.string()).default([]) }).default({ ipAddress: [] });
const withoutEmpty = (values: readonly string[]): readonly string[] => values.filter((value) => value !== '');

const INSTANCE = z
  .object({
    instanceId: z.string().min(1),
    regionId: text,
    zoneId: text,
    instanceType: text,
    instanceName: text,
    hostName: text,
    serialNumber: text,
    status: text,
    instanceChargeType: text,
    spotStrategy: text,
    vpcAttributes: z.object({ vpcId: text, privateIpAddress: addresses }).optional(),
    publicIpAddress: addresses,
    innerIpAddress: addresses,
    eipAddress: z.object({ ipAddress: text }).optional(),
    networkInterfaces: wrappedIfAny(
      'networkInterface',
      z.object({
        networkInterfaceId: text,
        type: text,
        ipv6Sets: wrappedIfAny('ipv6Set', z.object({ ipv6Address: text })),
      }),
    ),
    tags: wrappedIfAny('tag', z.object({ tagKey: z.string(), tagValue: text })),
  })
  .transform((raw): Instance => {
    const primary = raw.networkInterfaces.find(({ type }) => type === 'Primary');
    return {
      id: raw.instanceId,
      regionId: raw.regionId,
      zoneId: raw.zoneId,
      instanceType: raw.instanceType,
      name: raw.instanceName,
      hostName: raw.hostName,
      serialNumber: raw.serialNumber,
      vpcId: raw.vpcAttributes?.vpcId ?? '',
      status: raw.status,
      chargeType: raw.instanceChargeType,
      spotStrategy: raw.spotStrategy,
      tags: Object.fromEntries(raw.tags.map(({ tagKey, tagValue }) => [tagKey, tagValue])),
      addresses: {
        public: withoutEmpty(raw.publicIpAddress.ipAddress),
        elastic: withoutEmpty([raw.eipAddress?.ipAddress ?? '']),
        classic: withoutEmpty(raw.innerIpAddress.ipAddress),
        private: withoutEmpty(raw.vpcAttributes?.privateIpAddress.ipAddress ?? []),
        ipv6: withoutEmpty((primary?.ipv6Sets ?? []).map(({ ipv6Address }) => ipv6Address)),
      },
      ...(primary === undefined || primary.networkInterfaceId === ''
        ? {}
        : { primaryInterfaceId: primary.networkInterfaceId }),
    };
  });
const INSTANCES = z.object({ instances: wrapped('instance', INSTANCE), nextToken: text });
const INTERFACES = z.object({
  networkInterfaceSets: wrapped(
    'networkInterfaceSet',
    z.object({ networkInterfaceId: z.string().min(1), sourceDestCheck: z.boolean().default(false) }),
  ),
  nextToken: text,
});

/** Returns the ECS calls with which the node controller finds the instances of Nodes, and lets their interfaces forward packets of pods. */
export function instanceApi(executor: CloudExecutor, regionId: string): InstanceApi {
  const instances = (request: ApiParameters, context: CallContext) =>
    allByToken(DESCRIBE, async (nextToken) => {
      // Without `NETWORK_PRIMARY_ENI_IP`, the response lacks the IPv6 addresses of the primary interface.
      const pageParameters = { maxResults: IDS_PER_CALL, additionalAttributes: ['NETWORK_PRIMARY_ENI_IP'], nextToken };
      const parameters = toParameters({ regionId, ...request, ...pageParameters });
      const page = readBody(DESCRIBE, INSTANCES, toModel(await executor.call(DESCRIBE, parameters, context)));
      return { items: page.instances, nextToken: page.nextToken };
    });
  return {
    describe: async (ids, context) =>
      ids.length === 0 ? [] : instances({ instanceIds: JSON.stringify(ids) }, context),
    listOfVpc: (vpcId, context) => instances({ vpcId, instanceNetworkType: 'vpc' }, context),
    describeInterfaces: async (ids, context) => {
      if (ids.length === 0) return [];
      return allByToken(DESCRIBE_INTERFACES, async (nextToken) => {
        const parameters = toParameters({ regionId, networkInterfaceId: ids, maxResults: IDS_PER_CALL, nextToken });
        const answer = await executor.call(DESCRIBE_INTERFACES, parameters, context);
        const page = readBody(DESCRIBE_INTERFACES, INTERFACES, toModel(answer));
        const items = page.networkInterfaceSets.map(({ networkInterfaceId, sourceDestCheck }) => ({
          id: networkInterfaceId,
          sourceDestCheck,
        }));
        return { items, nextToken: page.nextToken };
      });
    },
    disableSourceDestCheck: async (interfaceId, context) => {
      const parameters = toParameters({ regionId, networkInterfaceId: interfaceId, sourceDestCheck: false });
      await executor.call(MODIFY_INTERFACE, parameters, context, interfaceId);
    },
  };
}
