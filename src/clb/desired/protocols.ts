import type { Options } from '../../annotation/catalogue.ts';
import type { ListenerProtocol } from '../../inventory/resource.ts';
import type { ServicePort } from '../../base/objects.ts';

/** Returns whether only one port of the Service has a number. */
type IsAlone = (number: number) => boolean;

/** The maximum number of ports for which a search is faster than counting. */
const FEW = 16;

const searched =
  (ports: readonly ServicePort[]): IsAlone =>
  (number) =>
    ports.filter(({ port }) => port === number).length === 1;

/** Counts each port once, because a user may write a Service with thousands of ports. */
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
 * Returns a function from ports to listener protocols: the first entry of `protocol-port` for the number, otherwise the protocol of the port. If two
 * ports have the same number, an entry applies to the port that its protocol can serve.
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
