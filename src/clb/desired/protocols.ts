import type { Options } from '../../annotation/catalogue.ts';
import type { ListenerProtocol } from '../../inventory/resource.ts';
import type { ServicePort } from '../../base/objects.ts';

/** Whether one port alone has a number. */
type IsAlone = (number: number) => boolean;

/** So many ports are searched: counting them takes longer than it saves. */
const FEW = 16;

const searched =
  (ports: readonly ServicePort[]): IsAlone =>
  (number) =>
    ports.filter(({ port }) => port === number).length === 1;

/** Anybody may write a Service with thousands of ports: each is looked at once. */
function counted(ports: readonly ServicePort[]): IsAlone {
  const [once, again] = [new Set<number>(), new Set<number>()];
  for (const { port } of ports) (once.has(port) ? again : once).add(port);
  return (number) => !again.has(number);
}

function ownProtocol({ protocol = 'TCP' }: ServicePort): ListenerProtocol | undefined {
  if (protocol === 'UDP') return 'udp';
  return protocol === 'TCP' ? 'tcp' : undefined;
}

/**
 * Tells of each of a Service's ports the protocol of its listener: that of the first entry of `protocol-port` for its number, else its own.
 * Where two ports have one number, an entry is for the one that its protocol can serve.
 */
export function listenerProtocols(
  ports: readonly ServicePort[],
  { protocolPort }: Options,
): (port: ServicePort) => ListenerProtocol | undefined {
  if (protocolPort === undefined) return ownProtocol;
  const isAlone = (ports.length <= FEW ? searched : counted)(ports);
  return (port) => {
    const { port: number } = port;
    const isUdp = port.protocol === 'UDP';
    for (const entry of protocolPort) {
      if (entry.port === number && ((entry.protocol === 'udp') === isUdp || isAlone(number))) return entry.protocol;
    }
    return ownProtocol(port);
  };
}
