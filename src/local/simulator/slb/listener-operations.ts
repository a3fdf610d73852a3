import { CloudError } from '../error.ts';
import type { OperationResult, OperationContext, SimulatedOperation } from '../operation.ts';
import { choice, type Arguments } from '../parameter.ts';
import { goTo, stateAt } from '../transition.ts';
import type { ListenerRow, LoadBalancerRow, ProtocolValue } from './table-rows.ts';
import {
  LISTENER_PORT,
  listenersOf,
  LOAD_BALANCER_ID,
  loadBalancerSubject,
  PROTOCOLS,
  REGION_ID,
  theChangeable,
  write,
} from './common-parameters.ts';
import { checkListener, checkScheduler, settleAttributes } from './listener-check.ts';
import { changeParameters, creationParameters, FIELDS } from './listener-attribute-table.ts';
import { listenerResource } from './listener-view.ts';
import { addedTags, tagsOf } from './tag-parameters.ts';

const NAME = { tcp: 'TCP', udp: 'UDP', http: 'HTTP', https: 'HTTPS' } as const;
const PORT_PROTOCOL = choice('ListenerProtocol', PROTOCOLS);

/** Returns the listener port of a call. The value 0 never occurs, because all operations on listeners require the port. */
export const portOf = (args: Arguments): number => args.integer('ListenerPort') ?? 0;

/** Returns the listener that a call names by port and protocol. Throws the error code `missing` if no listener matches. */
export function theListener(
  balancer: LoadBalancerRow,
  args: Arguments,
  { now }: OperationContext,
  {
    protocol = args.optional('ListenerProtocol'),
    missing = 'ListenerNotFound',
  }: { protocol?: string | undefined; missing?: string } = {},
): ListenerRow {
  const port = portOf(args);
  const found = listenersOf(balancer, now).filter(
    (listener) => listener.port === port && (protocol === undefined || listener.protocol === protocol),
  );
  const [first, second] = found;
  if (first === undefined) throw new CloudError(missing, `There is no ${protocol ?? ''} listener on port ${port}.`);
  if (second !== undefined) {
    throw new CloudError('TooManyListeners', `Port ${port} has several listeners; set ListenerProtocol.`);
  }
  return first;
}

const isUdp = (protocol: ProtocolValue): boolean => protocol === 'udp';

/** Throws if another listener uses the port, or if the load balancer has too many listeners. UDP may share a port with one other protocol. */
function checkFree(
  balancer: LoadBalancerRow,
  protocol: ProtocolValue,
  port: number,
  { now, settings }: OperationContext,
): void {
  const present = listenersOf(balancer, now);
  const rival = present.find((other) => other.port === port && isUdp(other.protocol) === isUdp(protocol));
  if (rival?.protocol === protocol) {
    throw new CloudError('ListenerAlreadyExists', `A ${protocol} listener on port ${port} already exists.`);
  }
  if (rival !== undefined) {
    throw new CloudError('ListenerPortConflict', `Port ${port} has a ${rival.protocol} listener.`);
  }
  if (present.length >= settings.listenersPerLoadBalancer) {
    throw new CloudError(
      'ListenerNumberOverLimit',
      `A load balancer has at most ${settings.listenersPerLoadBalancer} listeners.`,
    );
  }
}

/** Returns the parameters of a call that are listener attributes. */
function listenerAttributes(args: Arguments, protocol: ProtocolValue): Record<string, string | number | boolean> {
  const scalars = args.scalars();
  const names = FIELDS[protocol].map(({ parameter }) => parameter.name).filter((name) => scalars[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, scalars[name] ?? '']));
}

/** Returns the attributes of a new listener: the parameters of the call, and the defaults of the other attributes. */
function initialAttributes(
  args: Arguments,
  protocol: ProtocolValue,
  port: number,
): Record<string, string | number | boolean> {
  const own = listenerAttributes(args, protocol);
  const description = own['Description'] ?? `${protocol}_${port}`;
  if (own['ListenerForward'] === 'on') {
    // The cloud ignores all other attributes of a redirecting listener.
    const { ListenerForward, ForwardPort } = own;
    return { ListenerForward, ...(ForwardPort === undefined ? {} : { ForwardPort }), Description: description };
  }
  const initial = FIELDS[protocol].flatMap(({ parameter, initial }): [string, string | number | boolean][] =>
    initial === undefined ? [] : [[parameter.name, initial]],
  );
  return { ...Object.fromEntries(initial), Description: description, ...own };
}

const create =
  (protocol: ProtocolValue) =>
  (args: Arguments, context: OperationContext): OperationResult => {
    const [balancer, port] = [theChangeable(args, context), portOf(args)];
    const attributes = settleAttributes(initialAttributes(args, protocol, port));
    const resource = listenerResource(balancer, { protocol, port });
    const tags = addedTags('listener', resource, tagsOf(args), context);
    checkFree(balancer, protocol, port, context);
    checkListener({ balancer, protocol, port, attributes }, context);
    balancer.listeners.set(`${protocol}/${port}`, { port, protocol, status: { state: 'stopped' }, attributes });
    if (Object.keys(tags).length > 0) context.world.tags.set('listener', resource, tags, context.now);
    return {};
  };

/** The errors for a change of a listener in transition, by state. */
const BUSY: Readonly<Partial<Record<string, CloudError>>> = {
  starting: new CloudError('OperationFailed.ListenerStatusNotSupport', 'The listener is starting; try again.'),
  configuring: new CloudError(
    'OperationFailed.ListenerStatusNotSupport',
    'The listener is being configured; try again.',
  ),
  stopping: new CloudError('ServiceIsStopping', 'The listener is stopping; try again.'),
  deleting: new CloudError('ListenerProcessing', 'The listener is being deleted; try again.'),
};

/** Returns the state of a listener. Throws the error of the cloud if the listener is in transition. */
function settledState(listener: ListenerRow, { now }: OperationContext): 'running' | 'stopped' {
  const state = stateAt(listener.status, now);
  const busy = BUSY[state];
  if (busy !== undefined) throw busy;
  return state === 'running' ? 'running' : 'stopped';
}

/** Applies the parameter `VServerGroup`: `on` attaches the named server group, and `off` restores the default group. */
function changedGroup(args: Arguments, own: Record<string, string | number | boolean>): void {
  const mode = args.optional('VServerGroup');
  if (mode !== 'on') delete own['VServerGroupId'];
  if (mode === 'off') own['VServerGroupId'] = '';
}

const set =
  (protocol: ProtocolValue) =>
  (args: Arguments, context: OperationContext): OperationResult => {
    const balancer = theChangeable(args, context);
    const listener = theListener(balancer, args, context, { protocol });
    const state = settledState(listener, context);
    if (listener.attributes['ListenerForward'] === 'on') {
      throw new CloudError(
        'InvalidParameter',
        'A listener that forwards cannot be changed; delete the listener and create it again.',
      );
    }
    const own = listenerAttributes(args, protocol);
    changedGroup(args, own);
    const attributes = settleAttributes({ ...listener.attributes, ...own });
    if (attributes['VServerGroupId'] === '') delete attributes['VServerGroupId'];
    checkScheduler(listener.attributes, attributes);
    checkListener({ balancer, protocol, port: listener.port, attributes }, context);
    if (args.boolean('DryRun') === true) return {};
    listener.attributes = attributes;
    if (state === 'running') {
      goTo(listener.status, 'configuring', 'running', { now: context.now, ms: context.settings.listenerTransitionMs });
    }
    return {};
  };

function start(args: Arguments, context: OperationContext): OperationResult {
  const { now, settings } = context;
  const balancer = theChangeable(args, context);
  const listener = theListener(balancer, args, context);
  if (stateAt(listener.status, now) === 'configuring') {
    throw new CloudError('Operation.Deny', 'The listener is being configured; try again.');
  }
  const state = settledState(listener, context);
  if (state === 'running' && settings.startRunning === 'reject') {
    throw new CloudError('Operation.NotAllowed', 'The listener is running already.');
  }
  if (balancer.status === 'inactive') balancer.status = 'active';
  if (state === 'stopped') goTo(listener.status, 'starting', 'running', { now, ms: settings.listenerTransitionMs });
  return {};
}

function stop(args: Arguments, context: OperationContext): OperationResult {
  const listener = theListener(theChangeable(args, context), args, context);
  if (settledState(listener, context) === 'running') {
    goTo(listener.status, 'stopping', 'stopped', { now: context.now, ms: context.settings.listenerTransitionMs });
  }
  return {};
}

function remove(args: Arguments, context: OperationContext): OperationResult {
  const { now, settings, world } = context;
  const balancer = theChangeable(args, context);
  const listener = theListener(balancer, args, context, { missing: 'ResourceNotFound.Listener' });
  settledState(listener, context);
  const isTarget = listenersOf(balancer, now).some(
    ({ attributes }) => attributes['ListenerForward'] === 'on' && attributes['ForwardPort'] === listener.port,
  );
  if (listener.protocol === 'https' && isTarget) {
    throw new CloudError(
      'ListenerForwardExist',
      'Another listener forwards to this listener; delete the other listener first.',
    );
  }
  goTo(listener.status, 'deleting', 'gone', { now, ms: settings.listenerDeletionMs });
  world.tags.drop('listener', listenerResource(balancer, listener), now);
  for (const { id, loadBalancerId, port } of world.domainExtensions.rows()) {
    if (loadBalancerId === balancer.id && port === listener.port) world.domainExtensions.remove(id, now);
  }
  const left = listenersOf(balancer, now).filter(({ status }) => status.state !== 'deleting');
  if (left.length === 0) balancer.status = 'inactive';
  return {};
}

const onPort = (action: string, handle: SimulatedOperation['handle']): SimulatedOperation =>
  write({
    action,
    parameters: [LOAD_BALANCER_ID, LISTENER_PORT, PORT_PROTOCOL, REGION_ID],
    subject: loadBalancerSubject,
    busyCode: 'ServiceIsConfiguring',
    handle,
  });

/** The operations that create, change, start, stop and delete listeners. */
export const LISTENER_WRITES: readonly SimulatedOperation[] = [
  ...PROTOCOLS.flatMap((protocol) => [
    write({
      action: `CreateLoadBalancer${NAME[protocol]}Listener`,
      parameters: creationParameters(protocol),
      subject: loadBalancerSubject,
      busyCode: 'ServiceIsConfiguring',
      handle: create(protocol),
    }),
    write({
      action: `SetLoadBalancer${NAME[protocol]}ListenerAttribute`,
      parameters: changeParameters(protocol),
      subject: loadBalancerSubject,
      busyCode: 'ServiceIsConfiguring',
      handle: set(protocol),
    }),
  ]),
  onPort('StartLoadBalancerListener', start),
  onPort('StopLoadBalancerListener', stop),
  onPort('DeleteLoadBalancerListener', remove),
];
