import { CloudError } from '../error.ts';
import { pageByToken } from '../page.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { choice, integer, list, text, type Arguments } from '../parameter.ts';
import type { ProtocolValue } from './table-rows.ts';
import {
  LISTENER_PORT,
  listenersOf,
  LOAD_BALANCER_ID,
  PROTOCOLS,
  read,
  REGION_ID,
  TAG,
  theLoadBalancer,
} from './common-parameters.ts';
import { theListener } from './listener-operations.ts';
import { describedListener, listedListener, listenerResource } from './listener-view.ts';
import { carries, tagFilter } from './tag-parameters.ts';

const NAME = { tcp: 'TCP', udp: 'UDP', http: 'HTTP', https: 'HTTPS' } as const;

/** Returns a filter for the port, the protocol and the description in the parameters of the call. */
function passes(
  args: Arguments,
): (listener: { port: number; protocol: ProtocolValue; attributes: Record<string, unknown> }) => boolean {
  const [port, protocol, description] = [
    args.integer('ListenerPort'),
    args.optional('ListenerProtocol'),
    args.optional('Description'),
  ];
  return (listener) =>
    (port === undefined || listener.port === port) &&
    (protocol === undefined || listener.protocol === protocol) &&
    (description === undefined || listener.attributes['Description'] === description);
}

function describeListeners(args: Arguments, context: OperationContext): OperationResult {
  const { world, now, listInstant } = context;
  const [ids, size, wanted, keep] = [
    args.list('LoadBalancerId'),
    args.integer('MaxResults') ?? 20,
    tagFilter(args),
    passes(args),
  ];
  const balancers = world.loadBalancers.asOf(listInstant).filter(({ id }) => ids.length === 0 || ids.includes(id));
  const found = balancers.flatMap((balancer) =>
    listenersOf(balancer, now)
      .filter(keep)
      .filter((listener) => {
        const tags = world.tags.of('listener', listenerResource(balancer, listener));
        return wanted.every((tag) => carries(tags, tag));
      })
      .map((listener) => [balancer, listener] as const),
  );
  const { items, next } = pageByToken(found, args.optional('NextToken'), size);
  return {
    MaxResults: size,
    NextToken: next,
    TotalCount: found.length,
    Listeners: items.length === 0 ? undefined : items.map((item) => listedListener(item[0], item[1], context)),
  };
}

/** Returns the health of the backends of a load balancer, by listener. */
function healthOf(args: Arguments, context: OperationContext): OperationResult {
  const balancer = theLoadBalancer(args, context);
  const { world, now } = context;
  const listeners = listenersOf(balancer, now).filter(passes(args));
  if (args.has('ListenerPort') && listeners.length === 0) {
    throw new CloudError('CheckedListenerNotFound', 'There is no health-checked listener on that port.');
  }
  const servers = listeners.flatMap((listener) => {
    const { attributes, port, protocol } = listener;
    const group = world.serverGroups.get(String(attributes['VServerGroupId']));
    const checked = (attributes['HealthCheckSwitch'] ?? attributes['HealthCheck']) !== 'off';
    const isLive = listener.status.state === 'running' && checked;
    return (group?.backends ?? balancer.backends).map((backend) => {
      const instance =
        backend.type === 'ecs' ? backend.serverId : world.networkInterfaces.get(backend.serverId)?.instanceId;
      const isWell = world.instances.get(instance ?? '')?.status === 'Running';
      return {
        ListenerPort: port,
        Protocol: protocol,
        ServerId: backend.serverId,
        ServerIp: backend.serverIp,
        Port: backend.port ?? attributes['BackendServerPort'],
        ServerHealthStatus: isLive ? (isWell ? 'normal' : 'abnormal') : 'unavailable',
      };
    });
  });
  return { BackendServers: { BackendServer: servers } };
}

/** The operations that list and describe listeners and the health of their backends. */
export const LISTENER_READS: readonly SimulatedOperation[] = [
  read({
    action: 'DescribeLoadBalancerListeners',
    parameters: [
      text('Description'),
      integer('ListenerPort', [1, 65_535]),
      choice('ListenerProtocol', PROTOCOLS),
      list('LoadBalancerId', 10),
      integer('MaxResults', [1, 100]),
      text('NextToken'),
      REGION_ID,
      TAG,
    ],
    handle: describeListeners,
  }),
  ...PROTOCOLS.map((protocol) =>
    read({
      action: `DescribeLoadBalancer${NAME[protocol]}ListenerAttribute`,
      parameters: [LOAD_BALANCER_ID, LISTENER_PORT, REGION_ID],
      handle: (args, context) => {
        const balancer = theLoadBalancer(args, context);
        return describedListener(balancer, theListener(balancer, args, context, { protocol }), context);
      },
    }),
  ),
  read({
    action: 'DescribeHealthStatus',
    parameters: [
      integer('ListenerPort', [1, 65_535]),
      choice('ListenerProtocol', PROTOCOLS),
      LOAD_BALANCER_ID,
      REGION_ID,
    ],
    handle: healthOf,
  }),
];
