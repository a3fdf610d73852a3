import { z } from 'zod';
import type { VServerGroupId } from '../../clb/model/ids.ts';
import { BACKEND_PORT, type ListenerKey, type ObservedListener } from '../../clb/model/listener.ts';
import type { ClbApi } from '../../clb/model/clb-api.ts';
import type { CallContext } from '../../plan/call-context.ts';
import { PortcullisError } from '../../base/errors.ts';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import { expectAbout } from '../response-validation.ts';
import { defined } from '../without-undefined.ts';
import type { ApiParameters, ApiValue } from '../wire-names.ts';
import { optionalText, readAnswer, wholeNumber } from './field-schemas.ts';
import { operationOf, type SlbClient, type SlbMethod } from './client.ts';
import { FIELDS, HEALTH_CHECK_SWITCH, REQUIRED_AT_CREATION, scheduler } from './listener-schemas.ts';
import { unlessGone } from './load-balancers.ts';

const PROTOCOLS = ['tcp', 'udp', 'http', 'https'] as const satisfies readonly ListenerProtocol[];
export const CREATE = {
  tcp: 'createLoadBalancerTCPListener',
  udp: 'createLoadBalancerUDPListener',
  http: 'createLoadBalancerHTTPListener',
  https: 'createLoadBalancerHTTPSListener',
} as const satisfies Record<ListenerProtocol, SlbMethod>;
const SET = {
  tcp: 'setLoadBalancerTCPListenerAttribute',
  udp: 'setLoadBalancerUDPListenerAttribute',
  http: 'setLoadBalancerHTTPListenerAttribute',
  https: 'setLoadBalancerHTTPSListenerAttribute',
} as const satisfies Record<ListenerProtocol, SlbMethod>;
/** The property of a list item that contains the attributes of the protocol. */
const CONFIG = {
  tcp: 'TCPListenerConfig',
  udp: 'UDPListenerConfig',
  http: 'HTTPListenerConfig',
  https: 'HTTPSListenerConfig',
} as const satisfies Record<ListenerProtocol, string>;

const STATES = ['starting', 'running', 'configuring', 'stopping', 'stopped'] as const;
const ITEM = z.looseObject({
  loadBalancerId: z.string(),
  listenerPort: wholeNumber,
  listenerProtocol: z.string().transform((protocol) => protocol.toLowerCase()),
  description: z.string().default(''),
  // An unknown status becomes `configuring`, the status of a listener during a change.
  status: z.enum(STATES).catch('configuring'),
  scheduler,
  VServerGroupId: optionalText,
  aclId: optionalText,
  aclIds: z.array(z.string()).optional(),
});
/** A list item with a known protocol. */
type Item = z.output<typeof ITEM> & { readonly listenerProtocol: ListenerProtocol };
/** A page of listeners. A missing list counts as empty, because the response omits an empty list. */
const PAGE = z.object({ listeners: z.array(ITEM).default([]), nextToken: optionalText });
const MOST_PER_PAGE = 100;

const isKnown = (item: z.output<typeof ITEM>): item is Item =>
  (PROTOCOLS as readonly string[]).includes(item.listenerProtocol);

/** Returns the listeners of at most ten load balancers, from all pages. Skips listeners with an unknown protocol. */
export async function listListeners(
  client: SlbClient,
  ids: readonly string[],
  context: CallContext,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  const seen = new Set<string>();
  for (let nextToken: string | undefined; ;) {
    const request = { loadBalancerId: ids, maxResults: MOST_PER_PAGE, nextToken };
    const answer = await client.call('describeLoadBalancerListeners', request, context);
    const page = readAnswer('describeLoadBalancerListeners', PAGE, answer);
    for (const { loadBalancerId } of page.listeners)
      expectAbout(operationOf('describeLoadBalancerListeners'), ids, loadBalancerId);
    found.push(...page.listeners.filter(isKnown));
    nextToken = page.nextToken;
    if (nextToken === undefined) return found;
    if (seen.has(nextToken))
      throw new PortcullisError(
        'Unavailable',
        'DescribeLoadBalancerListeners: the list has no end, because the next page is an earlier page; if the error lasts, report it to Alibaba Cloud',
      );
    seen.add(nextToken);
  }
}

/** Converts a listener in a response to the type that the rest of this project uses. */
function observed(item: Item): ObservedListener {
  const protocol = item.listenerProtocol;
  const config = (item[CONFIG[protocol]] ?? {}) as Readonly<Record<string, unknown>>;
  const aclId = item.aclIds === undefined || item.aclIds.length === 0 ? item.aclId : item.aclIds.join(',');
  const raw = { ...item, ...config, aclId, [HEALTH_CHECK_SWITCH[protocol]]: config['healthCheck'] };
  const attributes = defined(FIELDS[protocol].parse(raw));
  return {
    ...attributes,
    protocol,
    port: item.listenerPort,
    description: item.description,
    status: item.status,
    ...(item.VServerGroupId === undefined ? {} : { groupId: item.VServerGroupId as VServerGroupId }),
  };
}

/** Returns attributes as request parameters. Throws `Bug` for an attribute that the protocol does not have. */
function attributes(protocol: ListenerProtocol, requested: Readonly<Record<string, unknown>>): ApiParameters {
  const known = FIELDS[protocol].shape;
  const unknownNames = Object.keys(requested).filter((name) => name !== 'description' && !Object.hasOwn(known, name));
  if (unknownNames.length > 0)
    throw new PortcullisError('Bug', `a ${protocol} listener has no ${unknownNames.join(', ')}`);
  return defined(requested as Readonly<Record<string, ApiValue | undefined>>);
}

const withGroup = (group: VServerGroupId | undefined): ApiParameters =>
  group === undefined ? {} : { VServerGroupId: group };
const address = ({ port, protocol }: ListenerKey) => ({ listenerPort: port, listenerProtocol: protocol });

type ListenerApi = Pick<
  ClbApi,
  'listListeners' | 'createListener' | 'startListener' | 'updateListener' | 'deleteListener'
>;

/** Returns the SLB calls for listeners. */
export const listenerApi = (client: SlbClient): ListenerApi => ({
  listListeners: async (id, context) => (await listListeners(client, [id], context)).map(observed),
  createListener: async (loadBalancerId, { port, protocol, ...requested }, group, context) => {
    const { healthCheckConnectPort, ...rest } = attributes(protocol, requested);
    const request = {
      loadBalancerId,
      listenerPort: port,
      ...REQUIRED_AT_CREATION[protocol],
      ...rest,
      ...(healthCheckConnectPort === BACKEND_PORT ? {} : { healthCheckConnectPort }),
      ...withGroup(group),
    };
    await client.call(CREATE[protocol], request, context, loadBalancerId);
  },
  startListener: async (loadBalancerId, key, context) => {
    await client.call('startLoadBalancerListener', { loadBalancerId, ...address(key) }, context, loadBalancerId);
  },
  updateListener: async (loadBalancerId, { port, protocol }, set, group, context) => {
    const request = {
      loadBalancerId,
      listenerPort: port,
      ...attributes(protocol, set),
      ...(group === undefined ? {} : { VServerGroup: 'on', ...withGroup(group) }),
    };
    await client.call(SET[protocol], request, context, loadBalancerId);
  },
  deleteListener: async (loadBalancerId, key, successor, context) => {
    // The waits come before the deletion, because the port is unserved until the successor starts.
    if (successor !== undefined)
      for (const method of ['deleteLoadBalancerListener', CREATE[successor], 'startLoadBalancerListener'] as const)
        await client.untilOpen(method, context);
    const request = { loadBalancerId, ...address(key) };
    await unlessGone(undefined, () => client.call('deleteLoadBalancerListener', request, context, loadBalancerId));
  },
});
