import { CloudError } from '../error.ts';
import type { OperationContext } from '../operation.ts';
import type { BackendRow, LoadBalancerRow } from './table-rows.ts';

/** An item of the parameter `BackendServers`, which the operations on server groups have. */
export interface BackendInput {
  readonly serverId: string;
  readonly serverIp: string | undefined;
  readonly port: number | undefined;
  readonly type: BackendRow['type'];
  readonly weight: number | undefined;
  readonly description: string | undefined;
}

const malformed = (why: string): CloudError =>
  new CloudError('BackendServersMalformed', `BackendServers cannot be read: ${why}.`);

function parse(text: string): readonly ReadonlyMap<string, unknown>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('it is not JSON text');
  }
  if (!Array.isArray(value)) throw malformed('it is not a list');
  return value.map((item: unknown) => {
    if (typeof item !== 'object' || item === null) throw malformed('an item is not an object');
    // Clients write the keys in different case, and some clients send unknown keys.
    return new Map(Object.entries(item).map(([key, member]) => [key.toLowerCase(), member as unknown]));
  });
}

/** Returns a property as text, because the cloud accepts both numbers and texts. */
function member(item: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const value = item.get(name);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function whole(
  item: ReadonlyMap<string, unknown>,
  name: string,
  [min, max]: readonly [number, number],
  code: string,
): number | undefined {
  const raw = member(item, name);
  if (raw === undefined) return undefined;
  const value = /^\d{1,6}$/.test(raw) ? Number(raw) : NaN;
  if (value >= min && value <= max) return value;
  throw new CloudError(code, `The ${name} of a backend is "${raw.slice(0, 20)}"; ${min} to ${max} is allowed.`);
}

function typeOf(item: ReadonlyMap<string, unknown>): BackendRow['type'] {
  const type = member(item, 'type')?.toLowerCase() ?? 'ecs';
  if (type === 'ecs' || type === 'eni' || type === 'eci') return type;
  throw new CloudError(
    'BackendServer.InvalidType',
    `The type of a backend is "${type.slice(0, 20)}"; allowed are ecs, eni, eci.`,
  );
}

function readBackend(item: ReadonlyMap<string, unknown>): BackendInput {
  const serverId = member(item, 'serverid');
  if (serverId === undefined) throw malformed('an item has no ServerId');
  const description = member(item, 'description');
  if (description !== undefined && description.length > 80) {
    throw new CloudError('InvalidParameter', 'The description of a backend has at most 80 characters.');
  }
  return {
    serverId,
    serverIp: member(item, 'serverip'),
    port: whole(item, 'port', [1, 65_535], 'InvalidParameter'),
    type: typeOf(item),
    weight: whole(item, 'weight', [0, 100], 'InvalidWeight.Malformed'),
    description,
  };
}

/** Parses the parameter `BackendServers`. Returns an empty list for a missing or empty text. */
export function readBackends(text: string | undefined, { settings }: OperationContext): readonly BackendInput[] {
  const items = text === undefined || text === '' ? [] : parse(text).map(readBackend);
  if (items.length > settings.backendsPerCall) {
    throw new CloudError(
      'TooManyBackendServers',
      `The call names ${items.length} backends; at most ${settings.backendsPerCall} are allowed.`,
    );
  }
  if (items.some(({ port }) => port === undefined)) throw malformed('an item has no Port');
  return items;
}

/** The properties of the instance or network interface that an item names. */
interface Server {
  readonly vpcId: string;
  readonly address: string | undefined;
}

function instanceServer({ serverId }: BackendInput, { world }: OperationContext): Server {
  const instance = world.instances.get(serverId);
  if (instance === undefined)
    throw new CloudError('InvalidServerId.NotExist', `The server ${serverId} does not exist.`);
  if (instance.status !== 'Running') {
    throw new CloudError('ObtainIpFail', `The server ${serverId} is ${instance.status}, not Running.`);
  }
  return { vpcId: instance.vpcId, address: instance.privateAddresses[0] };
}

function interfaceServer({ serverId, serverIp }: BackendInput, { world }: OperationContext): Server {
  const found = world.networkInterfaces.get(serverId);
  if (found === undefined)
    throw new CloudError('ResourceNotFound.vServers', `The interface ${serverId} does not exist.`);
  if (serverIp !== undefined && ![...found.privateAddresses, ...found.ipv6Addresses].includes(serverIp)) {
    throw new CloudError('InvalidParameter', `The interface ${serverId} has no address ${serverIp}.`);
  }
  return { vpcId: found.vpcId, address: serverIp ?? found.privateAddresses[0] };
}

/** Returns the VPC in which all backends must be: for a public load balancer, the VPC of the first backend. */
function networkOf(balancer: LoadBalancerRow, { world }: OperationContext): string | undefined {
  if (balancer.vpcId !== undefined) return balancer.vpcId;
  const groups = world.serverGroups.rows().filter(({ loadBalancerId }) => loadBalancerId === balancer.id);
  const first = [balancer, ...groups].flatMap(({ backends }) => backends)[0];
  return first && (world.instances.get(first.serverId) ?? world.networkInterfaces.get(first.serverId))?.vpcId;
}

/** Returns the new backend for an item. Throws if the server is missing, stopped or in another VPC. */
export function newBackend(input: BackendInput, balancer: LoadBalancerRow, context: OperationContext): BackendRow {
  const server = input.type === 'ecs' ? instanceServer(input, context) : interfaceServer(input, context);
  const network = networkOf(balancer, context);
  if (network !== undefined && network !== server.vpcId) {
    throw new CloudError(
      'NetworkConflict',
      `The server ${input.serverId} is in the VPC ${server.vpcId}, not in ${network}.`,
    );
  }
  return {
    serverId: input.serverId,
    serverIp: server.address,
    port: input.port,
    type: input.type,
    weight: input.weight ?? 100,
    description: input.description,
  };
}

/** Returns whether an item names this backend. For a network interface, an address in the item must also be equal. */
export const matchesBackend = (input: BackendInput, backend: BackendRow): boolean =>
  input.serverId === backend.serverId &&
  input.port === backend.port &&
  (input.serverIp === undefined || backend.type === 'ecs' || input.serverIp === backend.serverIp);

export const backendView = (backend: BackendRow): object => ({
  ServerId: backend.serverId,
  ServerIp: backend.serverIp,
  Port: backend.port,
  Type: backend.type,
  Weight: backend.weight,
  Description: backend.description,
});
