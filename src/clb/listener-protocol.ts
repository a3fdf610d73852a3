import type { Options } from '../annotation/catalogue.ts';
import type { ListenerProtocol } from '../inventory/resource.ts';
import type { ServicePort } from '../objects.ts';

/**
 * The protocol of a port's listener: that of the first entry of `protocol-port` for its number, else its own.
 * Where two ports have one number, an entry is for the one that its protocol can serve.
 */
export function listenerProtocol(
  port: ServicePort,
  ports: readonly ServicePort[],
  options: Options,
): ListenerProtocol | undefined {
  const isUdp = port.protocol === 'UDP';
  const isAlone = (): boolean => ports.filter((other) => other.port === port.port).length === 1;
  const entry = options.protocolPort?.find(
    (candidate) => candidate.port === port.port && ((candidate.protocol === 'udp') === isUdp || isAlone()),
  );
  if (entry !== undefined) return entry.protocol;
  if (isUdp) return 'udp';
  return (port.protocol ?? 'TCP') === 'TCP' ? 'tcp' : undefined;
}
