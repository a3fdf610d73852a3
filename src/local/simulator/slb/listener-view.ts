import type { OperationContext } from '../operation.ts';
import type { ListenerRow, LoadBalancerRow } from './table-rows.ts';
import { stateAt } from '../transition.ts';
import { tagList } from './common-parameters.ts';
import { FIELDS } from './listener-attribute-table.ts';

/** The attributes that the list of listeners shows at the top level. The other attributes are in an object such as `TCPListenerConfig`. */
const OUTER = new Set([
  'Description',
  'Bandwidth',
  'Scheduler',
  'VServerGroupId',
  'BackendServerPort',
  'AclStatus',
  'AclType',
  'AclId',
]);
const CONFIG = { tcp: 'TCP', udp: 'UDP', http: 'HTTP', https: 'HTTPS' } as const;

/** Returns the id by which tag operations name a listener. */
export const listenerResource = (
  balancer: LoadBalancerRow,
  { protocol, port }: Pick<ListenerRow, 'protocol' | 'port'>,
): string => `${balancer.id}_${protocol}_${port}`;

/** Returns the state of a listener as the API shows it. The API shows a listener in deletion as `stopping`. */
export function statusOf(listener: ListenerRow, now: number): string {
  const state = stateAt(listener.status, now);
  return state === 'deleting' || state === 'gone' ? 'stopping' : state;
}

/** Returns the attributes of a listener by their names in responses: either the attributes in `OUTER` or all others. */
const shown = (listener: ListenerRow, isOuter: boolean): Record<string, unknown> =>
  Object.fromEntries(
    FIELDS[listener.protocol]
      .filter(({ parameter: { name } }) => OUTER.has(name) === isOuter && listener.attributes[name] !== undefined)
      .map(({ parameter: { name }, shownAs }) => [shownAs ?? name, listener.attributes[name]]),
  );

const aclIds = ({ attributes }: ListenerRow): readonly string[] | undefined =>
  attributes['AclId'] === undefined ? undefined : String(attributes['AclId']).split(',');

/** Returns an item of `DescribeLoadBalancerListeners`. */
export function listedListener(
  balancer: LoadBalancerRow,
  listener: ListenerRow,
  { world, now }: OperationContext,
): object {
  const config = shown(listener, false);
  // The list shows this attribute as a text, but the description of a single listener shows a boolean.
  if ('ProxyProtocolV2Enabled' in config) config['ProxyProtocolV2Enabled'] = String(config['ProxyProtocolV2Enabled']);
  return {
    LoadBalancerId: balancer.id,
    ListenerPort: listener.port,
    ListenerProtocol: listener.protocol,
    Status: statusOf(listener, now),
    ...shown(listener, true),
    AclIds: aclIds(listener),
    Tags: tagList(world.tags.of('listener', listenerResource(balancer, listener))).Tag,
    [`${CONFIG[listener.protocol]}ListenerConfig`]: config,
  };
}

/** Returns the response of the operations that describe a single listener. */
export function describedListener(
  balancer: LoadBalancerRow,
  listener: ListenerRow,
  { world, now }: OperationContext,
): Record<string, unknown> {
  const ids = aclIds(listener);
  const isLayer7 = listener.protocol === 'http' || listener.protocol === 'https';
  const domains = world.domainExtensions
    .rows()
    .filter(({ loadBalancerId, port }) => loadBalancerId === balancer.id && port === listener.port)
    .map(({ id, domain, certificateId }) => ({
      DomainExtensionId: id,
      Domain: domain,
      ServerCertificateId: certificateId,
    }));
  return {
    LoadBalancerId: balancer.id,
    ListenerPort: listener.port,
    Status: statusOf(listener, now),
    ...shown(listener, true),
    ...shown(listener, false),
    AclIds: ids && { AclId: ids },
    Tags: tagList(world.tags.of('listener', listenerResource(balancer, listener))),
    ...(isLayer7 ? { SecurityStatus: 'on', Rules: { Rule: [] } } : {}),
    ...(listener.protocol === 'https' ? { DomainExtensions: { DomainExtension: domains } } : {}),
  };
}
