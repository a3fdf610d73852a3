import { z } from 'zod';
import type { BackendPicture, GroupPicture, JournalEntry, ListenerPicture, LoadBalancerPicture } from './moment.ts';

/** Returns the server group of a call. Undefined if the call names no group, or a group that does not exist. */
export const groupIn = (
  { parameters }: JournalEntry,
  target: LoadBalancerPicture | undefined,
): GroupPicture | undefined => target?.groups.find(({ id }) => id === parameters['VServerGroupId']);

const ON_LISTENER = /^(?:Create|Set|Delete|Start|Stop)LoadBalancer(TCP|UDP|HTTPS?)?Listener/;

/** The port of a listener. TCP, HTTP and HTTPS share port numbers, and UDP has its own. */
export interface ListenerPort {
  readonly port: number;
  readonly isUdp: boolean;
}

/** Returns the listener port of a call. Undefined if the call concerns no listener. */
export function listenerPortIn({ action, parameters }: JournalEntry): ListenerPort | undefined {
  const [match, protocol = parameters['ListenerProtocol'] ?? ''] = ON_LISTENER.exec(action) ?? [];
  if (match === undefined) return undefined;
  return { port: Number(parameters['ListenerPort']), isUdp: protocol.toLowerCase() === 'udp' };
}

/** Returns the listeners on the port of a call. */
export function listenersIn(call: JournalEntry, target: LoadBalancerPicture | undefined): readonly ListenerPicture[] {
  const place = listenerPortIn(call);
  if (place === undefined) return [];
  return (target?.listeners ?? []).filter(
    ({ port, protocol }) => port === place.port && (protocol === 'udp') === place.isUdp,
  );
}

const Members = z.array(
  z.object({
    ServerId: z.string(),
    ServerIp: z.string().optional(),
    Port: z.coerce.number(),
    Description: z.string().default(''),
  }),
);

/** Returns the group members in the parameters of a call. */
export function membersIn({ parameters }: JournalEntry): readonly BackendPicture[] {
  const text = parameters['BackendServers'] ?? '';
  const members = text === '' ? [] : Members.parse(JSON.parse(text));
  return members.map(({ ServerId, ServerIp, Port, Description }) => ({
    serverId: ServerId,
    serverIp: ServerIp,
    port: Port,
    description: Description,
  }));
}

/** Returns the members in the parameters of a call that are already in the group. */
export function presentIn(call: JournalEntry, target: LoadBalancerPicture | undefined): readonly BackendPicture[] {
  const members = membersIn(call);
  return (groupIn(call, target)?.backends ?? []).filter((has) =>
    members.some(
      ({ serverId, serverIp, port }) =>
        serverId === has.serverId && port === has.port && (serverIp === undefined || serverIp === has.serverIp),
    ),
  );
}
