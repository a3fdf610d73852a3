import { z } from 'zod';
import type { LoadBalancerId } from '../../clb/model/ids.ts';
import type { LoadBalancer, LoadBalancerAttributes, Tags } from '../../clb/model/load-balancer.ts';
import type { ClbApi } from '../../clb/model/clb-api.ts';
import type { CallContext } from '../../plan/call-context.ts';
import { PortcullisError, hasReason } from '../../base/errors.ts';
import { expectAbout, wrapped, wrappedIfAny } from '../response-validation.ts';
import { defined } from '../without-undefined.ts';
import { optionalText, oneOf, readAnswer, wholeNumber } from './field-schemas.ts';
import { operationOf, type SlbClient, type SlbMethod, type TagPair } from './client.ts';

export const PAGE_SIZE = 100;

const id = z
  .string()
  .min(1)
  .transform((raw) => raw as LoadBalancerId);
const tags = wrappedIfAny('tag', z.object({ tagKey: z.string(), tagValue: z.string().default('') })).transform(
  (list): Tags => Object.fromEntries(list.map(({ tagKey, tagValue }) => [tagKey, tagValue])),
);

/** The charge types by the numbers that some list responses contain instead of the words. */
const CHARGE_TYPES = { '3': 'paybybandwidth', '4': 'paybytraffic' } as const;
const chargeType = z.preprocess(
  (value) => (value === '3' || value === '4' ? CHARGE_TYPES[value] : value),
  oneOf(['paybytraffic', 'paybybandwidth']),
);

const LOAD_BALANCER = z
  .object({
    loadBalancerId: id,
    loadBalancerName: z.string().default(''),
    address: z.string().default(''),
    addressType: z.enum(['internet', 'intranet']),
    addressIPVersion: oneOf(['ipv4', 'ipv6']),
    // An unknown status counts as active.
    loadBalancerStatus: z.enum(['active', 'inactive', 'locked']).catch('active'),
    networkType: oneOf(['classic', 'vpc']),
    vpcId: optionalText,
    vSwitchId: optionalText,
    resourceGroupId: optionalText,
    loadBalancerSpec: optionalText,
    instanceChargeType: oneOf(['PayBySpec', 'PayByCLCU']),
    internetChargeType: chargeType,
    bandwidth: wholeNumber.optional(),
    masterZoneId: optionalText,
    slaveZoneId: optionalText,
    deleteProtection: oneOf(['on', 'off']),
    modificationProtectionStatus: oneOf(['ConsoleProtection', 'NonProtection']),
    modificationProtectionReason: optionalText,
    tags,
  })
  .transform(
    ({
      loadBalancerId,
      loadBalancerName,
      addressIPVersion,
      loadBalancerStatus,
      loadBalancerSpec,
      ...rest
    }): LoadBalancer => {
      const { address, addressType, modificationProtectionStatus, tags: carried, ...optional } = rest;
      return {
        id: loadBalancerId,
        name: loadBalancerName,
        address,
        addressType,
        status: loadBalancerStatus,
        tags: carried,
        ...defined({
          ...optional,
          ipVersion: addressIPVersion,
          spec: loadBalancerSpec,
          modificationProtection: modificationProtectionStatus,
        }),
      };
    },
  );

const LIST = z.object({ loadBalancers: wrapped('loadBalancer', LOAD_BALANCER), totalCount: wholeNumber.optional() });
const CREATED = z.object({ loadBalancerId: id, address: z.string().default('') });

/** A page of a list of load balancers, with the number of load balancers on all pages. */
export interface LoadBalancerPage {
  readonly loadBalancers: readonly LoadBalancer[];
  readonly total: number;
}

/** Reads one page of the load balancers that match `filter`. */
export async function listPage(
  client: SlbClient,
  filter: Readonly<Record<string, string>>,
  pageNumber: number,
  context: CallContext,
): Promise<LoadBalancerPage> {
  const request = { ...filter, pageNumber, pageSize: PAGE_SIZE };
  const answer = await client.call('describeLoadBalancers', request, context);
  const { loadBalancers, totalCount } = readAnswer('describeLoadBalancers', LIST, answer);
  return { loadBalancers, total: totalCount ?? loadBalancers.length };
}

/** Returns the load balancer. Throws if the response lacks its address, because a Service must not publish an empty address. */
function withAddress(method: SlbMethod, found: LoadBalancer): LoadBalancer {
  if (found.address !== '') return found;
  const { action } = operationOf(method);
  throw new PortcullisError('Unavailable', `${action}: the response contains no address of ${found.id}`);
}

type LoadBalancerApi = Pick<
  ClbApi,
  | 'findByTag'
  | 'findByName'
  | 'findByAddress'
  | 'read'
  | 'create'
  | 'delete'
  | 'rename'
  | 'setDeleteProtection'
  | 'setModificationProtection'
  | 'setSpec'
  | 'setInstanceChargeType'
  | 'setInternetSpec'
  | 'tag'
  | 'untag'
>;

/** Returns the SLB calls for load balancers and their tags. */
export const loadBalancerApi = (client: SlbClient): LoadBalancerApi => ({
  findByTag: async (key, value, context) => {
    // The filter has only one tag, because the API reference does not document the combination of several tags.
    const filter = { tags: JSON.stringify([{ TagKey: key, TagValue: value }]) };
    const { loadBalancers } = await listPage(client, filter, 1, context);
    const tagged = loadBalancers.filter((found) => found.tags[key] === value);
    return tagged.map((found) => withAddress('describeLoadBalancers', found));
  },
  findByName: async (name, context) => {
    const { loadBalancers } = await listPage(client, { loadBalancerName: name }, 1, context);
    const named = loadBalancers.filter((found) => found.name === name);
    return named.map((found) => withAddress('describeLoadBalancers', found));
  },
  findByAddress: async (address, context) => {
    const { loadBalancers } = await listPage(client, { address }, 1, context);
    return loadBalancers.filter((found) => found.address === address);
  },
  read: (loadBalancerId, context) =>
    unlessGone(undefined, async () => {
      const answer = await client.call('describeLoadBalancerAttribute', { loadBalancerId }, context);
      const found = readAnswer('describeLoadBalancerAttribute', LOAD_BALANCER, answer);
      expectAbout(operationOf('describeLoadBalancerAttribute'), loadBalancerId, found.id);
      return withAddress('describeLoadBalancerAttribute', found);
    }),
  create: async (attributes, tags, clientToken, context) => {
    const request = { ...creation(attributes), tag: pairs(tags), clientToken };
    // Calls with the same key run one after the other, because two creations with one client token must not overlap.
    const answer = await client.call('createLoadBalancer', request, context, clientToken);
    const { loadBalancerId, address } = readAnswer('createLoadBalancer', CREATED, answer);
    return { id: loadBalancerId, address };
  },
  delete: (loadBalancerId, context) =>
    unlessGone(undefined, async () => {
      await client.call('deleteLoadBalancer', { loadBalancerId }, context, loadBalancerId);
    }),
  tag: async (resource, tags, context) => {
    const request = { resourceType: 'instance', resourceId: [resource], tag: pairs(tags) } as const;
    await client.call('tagResources', request, context, resource);
  },
  untag: async (resource, tagKey, context) => {
    // The cloud may remove all tags if the list is empty.
    if (tagKey.length === 0) throw new PortcullisError('Bug', 'untag was called without a key');
    const request = { resourceType: 'instance', resourceId: [resource], tagKey } as const;
    await client.call('untagResources', request, context, resource);
  },
  ...attributeApi(client),
});

const attributeApi = (
  client: SlbClient,
): Omit<
  LoadBalancerApi,
  'findByTag' | 'findByName' | 'findByAddress' | 'read' | 'create' | 'delete' | 'tag' | 'untag'
> => ({
  rename: async (loadBalancerId, loadBalancerName, context) => {
    await client.call('setLoadBalancerName', { loadBalancerId, loadBalancerName }, context, loadBalancerId);
  },
  setDeleteProtection: async (loadBalancerId, deleteProtection, context) => {
    const request = { loadBalancerId, deleteProtection };
    await client.call('setLoadBalancerDeleteProtection', request, context, loadBalancerId);
  },
  setModificationProtection: async (loadBalancerId, modificationProtectionStatus, reason, context) => {
    const request = { loadBalancerId, modificationProtectionStatus, modificationProtectionReason: reason };
    await client.call('setLoadBalancerModificationProtection', request, context, loadBalancerId);
  },
  setSpec: async (loadBalancerId, loadBalancerSpec, context) => {
    await client.call('modifyLoadBalancerInstanceSpec', { loadBalancerId, loadBalancerSpec }, context, loadBalancerId);
  },
  setInstanceChargeType: async (loadBalancerId, instanceChargeType, context) => {
    const request = { loadBalancerId, instanceChargeType };
    await client.call('modifyLoadBalancerInstanceChargeType', request, context, loadBalancerId);
  },
  setInternetSpec: async (loadBalancerId, { chargeType: internetChargeType, bandwidth }, context) => {
    const request = { loadBalancerId, internetChargeType, bandwidth };
    await client.call('modifyLoadBalancerInternetSpec', request, context, loadBalancerId);
  },
});

/** Returns the attributes by their names in a creation request. */
function creation({ name, ipVersion, spec, modificationProtection, ...same }: LoadBalancerAttributes) {
  return {
    ...same,
    loadBalancerName: name,
    addressIPVersion: ipVersion,
    loadBalancerSpec: spec,
    modificationProtectionStatus: modificationProtection,
  };
}

const pairs = (tags: Tags): readonly (TagPair & Record<string, string>)[] =>
  Object.entries(tags).map(([key, value]) => ({ key, value }));

/** Returns the result of `act`, or `gone` if the cloud reports that the resource does not exist. */
export async function unlessGone<Answer, Gone>(gone: Gone, act: () => Promise<Answer>): Promise<Answer | Gone> {
  try {
    return await act();
  } catch (error) {
    if (hasReason(error, 'NotFound')) return gone;
    throw error;
  }
}
