import type { Options } from '../../annotation/catalogue.ts';
import type { ListenerProtocol } from '../../inventory/custom-resources.ts';
import type { ServicePort } from '../../base/kubernetes-objects.ts';

/** A function that returns whether no other port of the Service has the number. */
type IsAlone = (number: number) => boolean;

/** The number of ports up to which a search of the list is faster than sets of numbers. */
const FEW = 16;

const searched =
  (ports: readonly ServicePort[]): IsAlone =>
  (number) =>
    ports.filter(({ port }) => port === number).length === 1;

/** Reads the list of ports once, because a user may write a Service with thousands of ports. */
function counted(ports: readonly ServicePort[]): IsAlone {
  const [once, again] = [new Set<number>(), new Set<number>()];
  for (const { port } of ports) (once.has(port) ? again : once).add(port);
  return (number) => !again.has(number);
}

function ownProtocol({ protocol = 'TCP' }: ServicePort): ListenerProtocol | undefined {
  if (protocol === 'UDP') return 'udp';
  return protocol === 'TCP' ? 'tcp' : undefined;
}

/** Returns a function that maps a port to its listener protocol. */
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
      // If two ports share a number, an entry applies only to its own transport protocol.
      if (entry.port === number && ((entry.protocol === 'udp') === isUdp || isAlone(number))) return entry.protocol;
    }
    return ownProtocol(port);
  };
}
