import { z } from 'zod';
import type { BackendPicture, GroupPicture, JournalEntry, ListenerPicture, LoadBalancerPicture } from './moment.ts';

/** The group that a call is about; absent if it is about none, or about one that is not there. */
export const groupIn = (
  { parameters }: JournalEntry,
  target: LoadBalancerPicture | undefined,
): GroupPicture | undefined => target?.groups.find(({ id }) => id === parameters['VServerGroupId']);

const ON_LISTENER = /^(?:Create|Set|Delete|Start|Stop)LoadBalancer(TCP|UDP|HTTPS?)?Listener/;

/** Where a listener is: TCP, HTTP and HTTPS share the port numbers, UDP has its own. */
export interface Place {
  readonly port: number;
  readonly isUdp: boolean;
}

/** The place that a call is about; absent if it is about none. */
export function placeIn({ action, parameters }: JournalEntry): Place | undefined {
  const [match, protocol = parameters['ListenerProtocol'] ?? ''] = ON_LISTENER.exec(action) ?? [];
  if (match === undefined) return undefined;
  return { port: Number(parameters['ListenerPort']), isUdp: protocol.toLowerCase() === 'udp' };
}

/** The listeners that are where a call is about one. */
export function listenersIn(call: JournalEntry, target: LoadBalancerPicture | undefined): readonly ListenerPicture[] {
  const place = placeIn(call);
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

/** The members of a group that a call says. */
export function membersIn({ parameters }: JournalEntry): readonly BackendPicture[] {
  const text = parameters['BackendServers'] ?? '';
  const said = text === '' ? [] : Members.parse(JSON.parse(text));
  return said.map(({ ServerId, ServerIp, Port, Description }) => ({
    serverId: ServerId,
    serverIp: ServerIp,
    port: Port,
    description: Description,
  }));
}

/** Those that are in the group already of the members that a call says. */
export function presentIn(call: JournalEntry, target: LoadBalancerPicture | undefined): readonly BackendPicture[] {
  const said = membersIn(call);
  return (groupIn(call, target)?.backends ?? []).filter((has) =>
    said.some(
      ({ serverId, serverIp, port }) =>
        serverId === has.serverId && port === has.port && (serverIp === undefined || serverIp === has.serverIp),
    ),
  );
}
