import type { LoadBalancerId } from './ids.ts';
import {
  shareAPort,
  type DesiredListener,
  type DomainCertificate,
  type DomainExtension,
  type ListenerKey,
} from './listener.ts';
import type {
  InternetChargeType,
  LoadBalancerAttributes,
  ModificationProtection,
  Switch,
  Tags,
} from './load-balancer.ts';
import type { CallLane } from '../../plan/call-context.ts';
import type { Backend } from './server-group.ts';

/** A planned call of the cloud API. `group` is a name, or the id if the group is user-managed or the name identifies another group. */
export type Action =
  | { readonly kind: 'create-load-balancer'; readonly attributes: LoadBalancerAttributes; readonly tags: Tags }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'set-delete-protection'; readonly state: Switch }
  | { readonly kind: 'set-modification-protection'; readonly state: ModificationProtection; readonly reason?: string }
  | { readonly kind: 'set-spec'; readonly spec: string }
  | { readonly kind: 'set-instance-charge-type'; readonly type: 'PayByCLCU' }
  | {
      readonly kind: 'set-internet-spec';
      readonly change: { readonly chargeType?: InternetChargeType; readonly bandwidth?: number };
    }
  | { readonly kind: 'tag'; readonly tags: Tags }
  | { readonly kind: 'untag'; readonly keys: readonly string[] }
  | { readonly kind: 'create-server-group'; readonly group: string; readonly backends: readonly Backend[] }
  | { readonly kind: 'add-backends'; readonly group: string; readonly backends: readonly Backend[] }
  | { readonly kind: 'remove-backends'; readonly group: string; readonly backends: readonly Backend[] }
  | { readonly kind: 'update-backends'; readonly group: string; readonly backends: readonly Backend[] }
  | { readonly kind: 'delete-server-group'; readonly group: string }
  | { readonly kind: 'create-listener'; readonly listener: DesiredListener }
  | { readonly kind: 'start-listener'; readonly listener: ListenerKey }
  | {
      readonly kind: 'update-listener';
      readonly listener: ListenerKey;
      readonly set: Readonly<Record<string, unknown>>;
      /** The group to forward to from now on; undefined keeps the current group. */
      readonly group?: string;
    }
  | { readonly kind: 'delete-listener'; readonly listener: ListenerKey }
  | ({ readonly kind: 'create-domain-extension'; readonly listener: ListenerKey } & DomainCertificate)
  | ({ readonly kind: 'set-domain-extension'; readonly listener: ListenerKey } & DomainExtension)
  | ({ readonly kind: 'delete-domain-extension'; readonly listener: ListenerKey } & Pick<
      DomainExtension,
      'id' | 'domain'
    >)
  | { readonly kind: 'delete-load-balancer'; readonly id: LoadBalancerId };

export type ActionKind = Action['kind'];

/** Returns whether an action adds, removes or updates backends of an existing server group. */
export const isBackendAction = ({ kind }: Action): boolean =>
  kind === 'add-backends' || kind === 'remove-backends' || kind === 'update-backends';

/** Returns whether an action removes backends, tags or a whole resource. */
export const isRemoval = ({ kind }: Action): boolean =>
  kind === 'remove-backends' || kind.startsWith('delete-') || kind === 'untag';

/** Returns the new listener that the actions create on the port of a listener; undefined if the actions create none. */
export const successorOf = (listener: ListenerKey, actions: readonly Action[]): DesiredListener | undefined =>
  actions
    .flatMap((action) => (action.kind === 'create-listener' ? [action.listener] : []))
    .find((other) => shareAPort(other, listener));

/** Returns whether an action deletes a listener only to free its port for a new listener of the same plan. */
export const isReplaced = (action: Action, actions: readonly Action[]): boolean =>
  action.kind === 'delete-listener' && successorOf(action.listener, actions) !== undefined;

/** Returns whether a port may have no running listener until the action succeeds. */
export const mayLeavePortClosed = (action: Action, rest: readonly Action[]): boolean =>
  action.kind === 'create-listener' || action.kind === 'start-listener' || isReplaced(action, rest);

/** Returns one subject for all TCP, HTTP and HTTPS listeners of a port, so that a failed deletion skips the creation of the new listener. */
const listenerSubject = ({ port, protocol }: ListenerKey): string =>
  `listener ${String(port)}${protocol === 'udp' ? '/udp' : ''}`;

/** Returns the subjects of an action: its server groups and its listener. `apply` skips an action after a failure on one of its subjects. */
export function subjectsOf(action: Action): readonly string[] {
  const group = 'group' in action ? [`group ${action.group}`] : [];
  if (!('listener' in action)) return group;
  const { listener } = action;
  const target = 'group' in listener && listener.group !== '' ? [`group ${listener.group}`] : [];
  return [...group, ...target, listenerSubject(listener)];
}

/** Returns the subjects whose later actions `apply` skips after this action fails. */
export function failedWith(action: Action): readonly string[] {
  // The listener or group works without this action, so `apply` does not skip later actions.
  if ('domain' in action || action.kind === 'update-backends') return [];
  return 'listener' in action ? [listenerSubject(action.listener)] : subjectsOf(action);
}

/** The lanes of backend changes, which replace the lane `change`. */
const LANES: Readonly<Partial<Record<ActionKind, CallLane>>> = {
  'remove-backends': 'remove-backends',
  'add-backends': 'add-backends',
  'update-backends': 'add-backends',
};

/** Returns the lane of an action, which is the priority of its call under the rate limit. */
export const laneOf = (action: Action, lane: CallLane): CallLane =>
  lane === 'change' ? (LANES[action.kind] ?? lane) : lane;

const pairs = (fields: object): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key}=${String(value)}`)
    .sort()
    .join(', ');

const keyText = ({ port, protocol }: ListenerKey): string => `${protocol} listener ${String(port)}`;

/** Returns a backend as text: `server:port`, or `interface(pod address):port`. */
export const backendAddress = (backend: Backend): string => {
  const server = backend.type === 'eni' ? `${backend.serverId}(${backend.serverIp})` : backend.serverId;
  return `${server}:${String(backend.port)}`;
};

const backendText = (backend: Backend): string => `${backendAddress(backend)} weight ${String(backend.weight)}`;

const backendTexts = (backends: readonly Backend[]): string =>
  backends.length === 0 ? 'no backends' : backends.map(backendText).join(', ');

const listenerText = ({ port: _port, protocol: _protocol, group, ...attributes }: DesiredListener): string =>
  `${group === '' ? '' : `to ${group} `}(${pairs(attributes)})`;

type Describe = { readonly [Kind in ActionKind]: (action: Extract<Action, { readonly kind: Kind }>) => string };

const DESCRIBE: Describe = {
  'create-load-balancer': ({ attributes, tags }) =>
    `create load balancer (${pairs(attributes)}) tagged (${pairs(tags)})`,
  rename: ({ name }) => `rename the load balancer to ${name}`,
  'set-delete-protection': ({ state }) => `set delete protection to ${state}`,
  'set-modification-protection': ({ state }) => `set modification protection to ${state}`,
  'set-spec': ({ spec }) => `change the specification to ${spec}`,
  'set-instance-charge-type': ({ type }) => `change the instance charge type to ${type}`,
  'set-internet-spec': ({ change }) => `change the internet specification: ${pairs(change)}`,
  tag: ({ tags }) => `tag the load balancer: ${pairs(tags)}`,
  untag: ({ keys }) => `remove tags from the load balancer: ${keys.join(', ')}`,
  'create-server-group': ({ group, backends }) => `create server group ${group}: ${backendTexts(backends)}`,
  'add-backends': ({ group, backends }) => `add to server group ${group}: ${backendTexts(backends)}`,
  'remove-backends': ({ group, backends }) => `remove from server group ${group}: ${backendTexts(backends)}`,
  'update-backends': ({ group, backends }) => `update in server group ${group}: ${backendTexts(backends)}`,
  'delete-server-group': ({ group }) => `delete server group ${group}`,
  'create-listener': ({ listener }) => `create ${keyText(listener)} ${listenerText(listener)}`,
  'start-listener': ({ listener }) => `start ${keyText(listener)}`,
  'update-listener': ({ listener, set, group }) =>
    `change ${keyText(listener)}: ${pairs({ ...set, ...(group === undefined ? {} : { group }) })}`,
  'delete-listener': ({ listener }) => `delete ${keyText(listener)}`,
  'create-domain-extension': ({ listener, domain, certificateId }) =>
    `create domain ${domain} of ${keyText(listener)}: certificate=${certificateId}`,
  'set-domain-extension': ({ listener, domain, certificateId }) =>
    `change domain ${domain} of ${keyText(listener)}: certificate=${certificateId}`,
  'delete-domain-extension': ({ listener, domain }) => `delete domain ${domain} of ${keyText(listener)}`,
  'delete-load-balancer': ({ id }) => `delete load balancer ${id}`,
};

/** Returns an action as a line in the imperative, for messages to users and for logs. */
export const describeAction = (action: Action): string => (DESCRIBE[action.kind] as (action: Action) => string)(action);
