import { CloudError } from '../error.ts';
import { byFields, type FieldFilter } from '../filter.ts';
import { pageByNumber } from '../page.ts';
import type { OperationResult, OperationContext } from '../operation.ts';
import { choice, required, text, type Arguments } from '../parameter.ts';
import type { LoadBalancerRow } from './table-rows.ts';
import {
  LOAD_BALANCER_ID,
  noLoadBalancer,
  PAGE_NUMBER,
  pageSize,
  read,
  REGION_ID,
  RESOURCE_GROUP_ID,
  TAG,
  theLoadBalancer,
} from './common-parameters.ts';
import { attributeView, listItem } from './load-balancer-view.ts';
import { carries, tagFilter, tagsOfText } from './tag-parameters.ts';

type Filter = (balancer: LoadBalancerRow) => boolean;

/** The parameters that filter the list by one field of the load balancers. */
const FIELDS: readonly FieldFilter<LoadBalancerRow>[] = [
  ['Address', ({ address }) => address],
  ['AddressIPVersion', ({ ipVersion }) => ipVersion],
  ['AddressType', ({ addressType }) => addressType],
  ['InternetChargeType', ({ internetChargeType }) => internetChargeType],
  ['LoadBalancerStatus', ({ status }) => status],
  ['MasterZoneId', ({ masterZoneId }) => masterZoneId],
  ['NetworkType', ({ networkType }) => networkType],
  ['PayType', ({ payType }) => payType],
  ['ResourceGroupId', ({ resourceGroupId }) => resourceGroupId],
  ['SlaveZoneId', ({ slaveZoneId }) => slaveZoneId],
  ['VSwitchId', ({ vSwitchId }) => vSwitchId],
  ['VpcId', ({ vpcId }) => vpcId],
];

/** Parses a parameter with up to ten comma-separated values. Returns undefined if the parameter is missing. */
function several(args: Arguments, name: string): readonly string[] | undefined {
  const raw = args.optional(name);
  if (raw === undefined || raw === '') return undefined;
  const values = raw.split(',').map((value) => value.trim());
  if (values.length <= 10) return values;
  throw new CloudError('InvalidParameter', `${name} has ${values.length} values; at most 10 are allowed.`);
}

/** Returns a filter for the tags in the parameters of the call. Returns undefined without tags. */
function byTags(args: Arguments, { world, settings, listInstant }: OperationContext): Filter | undefined {
  const text = args.optional('Tags') ?? '';
  const wanted = text === '' ? tagFilter(args) : tagsOfText(text, 10);
  if (wanted.length === 0) return undefined;
  return ({ id }) => {
    const tags = world.tags.asOf('instance', id, listInstant);
    return settings.tagMatch === 'or'
      ? wanted.some((tag) => carries(tags, tag))
      : wanted.every((tag) => carries(tags, tag));
  };
}

function filters(args: Arguments, context: OperationContext): readonly Filter[] {
  const [ids, names] = [several(args, 'LoadBalancerId'), several(args, 'LoadBalancerName')];
  const server = args.optional('ServerId') ?? '';
  const keeps: Filter[] = [byFields(args, FIELDS)];
  if (ids !== undefined) keeps.push(({ id }) => ids.includes(id));
  if (names !== undefined) keeps.push(({ name }) => names.includes(name));
  if (server !== '') keeps.push((balancer) => serversOf(balancer, context).has(server));
  const tags = byTags(args, context);
  return tags === undefined ? keeps : [...keeps, tags];
}

const serversOf = (balancer: LoadBalancerRow, { world }: OperationContext): ReadonlySet<string> =>
  new Set(
    [balancer, ...world.serverGroups.rows().filter(({ loadBalancerId }) => loadBalancerId === balancer.id)].flatMap(
      ({ backends }) => backends.map(({ serverId }) => serverId),
    ),
  );

function describeLoadBalancers(args: Arguments, context: OperationContext): OperationResult {
  const [number, size] = [args.integer('PageNumber'), args.integer('PageSize') ?? 50];
  if (args.has('PageSize') && number === undefined) {
    throw new CloudError('MissingParameter', 'PageSize requires PageNumber.');
  }
  const keeps = filters(args, context);
  const { world, listInstant } = context;
  const found = world.loadBalancers.asOf(listInstant).filter((balancer) => keeps.every((keep) => keep(balancer)));
  const page = pageByNumber(found, number ?? 1, size);
  return {
    PageNumber: number ?? 1,
    PageSize: size,
    TotalCount: found.length,
    LoadBalancers: {
      LoadBalancer: page.map((balancer) => listItem(balancer, world.tags.asOf('instance', balancer.id, listInstant))),
    },
  };
}

function describeAttribute(args: Arguments, context: OperationContext): OperationResult {
  const { world, settings, now } = context;
  const balancer = theLoadBalancer(args, context);
  const known = world.loadBalancers.asOf(now - settings.readLagMs).includes(balancer);
  if (!known) throw noLoadBalancer();
  return attributeView(balancer, context);
}

/** The operations that list load balancers and describe a single load balancer. */
export const DESCRIBE_LOAD_BALANCERS = [
  read({
    action: 'DescribeLoadBalancers',
    parameters: [
      text('Address'),
      choice('AddressIPVersion', ['ipv4', 'ipv6'], { anyCase: true }),
      choice('AddressType', ['internet', 'intranet'], { anyCase: true }),
      choice('InternetChargeType', ['paybytraffic', 'paybybandwidth'], { anyCase: true }),
      text('LoadBalancerId'),
      text('LoadBalancerName'),
      choice('LoadBalancerStatus', ['active', 'inactive', 'locked']),
      text('MasterZoneId'),
      text('NetworkType'),
      PAGE_NUMBER,
      pageSize(100),
      choice('PayType', ['PayOnDemand', 'PrePay']),
      required(REGION_ID),
      RESOURCE_GROUP_ID,
      text('ServerId'),
      text('SlaveZoneId'),
      TAG,
      text('Tags'),
      text('VSwitchId'),
      text('VpcId'),
    ],
    handle: describeLoadBalancers,
  }),
  read({
    action: 'DescribeLoadBalancerAttribute',
    parameters: [LOAD_BALANCER_ID, REGION_ID],
    handle: describeAttribute,
  }),
];
