import type { Protocol } from '../../annotation/value-type.ts';
import type { ParsedAnnotations } from '../../annotation/parse.ts';
import type { OptionName } from '../../annotation/catalogue.ts';
import type { ListenerKey } from '../../clb/model/listener.ts';
import { listenerProtocols } from '../../clb/desired/protocols.ts';
import type { Service } from '../../base/kubernetes-objects.ts';

/** The parts of a Service that rules about ports and listeners pass to this file. */
interface ServiceParts {
  readonly object: Service;
  readonly parsed: ParsedAnnotations;
}

/** The listener of a Service port. */
export interface PortListener {
  /** The index in `spec.ports`. */
  readonly index: number;
  readonly port: number;
  /** Undefined for a port that no listener can serve. */
  readonly protocol: Protocol | undefined;
}

/** Returns whether an annotation has an invalid value, which rules cannot use. A value that counts as unset is not invalid. */
export const isUnreadable = ({ issues, options }: ParsedAnnotations, option: OptionName): boolean =>
  issues.length > 0 &&
  options[option] === undefined &&
  issues.some((issue) => issue.option === option && issue.isIgnored !== true);

/** Returns the listener that the controller creates for each port. Returns undefined if `protocol-port` is invalid. */
export function listenersOf({ object, parsed }: ServiceParts): readonly PortListener[] | undefined {
  if (isUnreadable(parsed, 'protocolPort')) return undefined;
  const ports = object.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, parsed.options);
  return ports.map((port, index) => ({ index, port: port.port, protocol: protocolOf(port) }));
}

/** Returns the listeners that a Service requests. Returns an empty list if `protocol-port` is invalid. */
export const requestedListeners = (service: ServiceParts): readonly ListenerKey[] =>
  (listenersOf(service) ?? []).flatMap(({ port, protocol }) => (protocol === undefined ? [] : [{ port, protocol }]));

/** The maximum number of ports that a message lists. */
const MOST_LISTED = 50;

/** Returns port numbers as a list for messages. */
export function numbersOf(ports: readonly { readonly port: number }[]): string {
  const numbers = new Set(ports.slice(0, MOST_LISTED).map(({ port }) => port));
  return `${[...numbers].join(', ') || 'the Service has none'}${ports.length > MOST_LISTED ? ', …' : ''}`;
}

/** Returns whether the controller manages the listeners: on a reused load balancer, only with `force-override-listeners`. */
export const managesListeners = ({ parsed }: ServiceParts): boolean =>
  parsed.options.id === undefined || parsed.options.forceOverrideListeners === true;

/** Returns the transport protocol: UDP has port numbers of its own, and all other protocols share the TCP port numbers. */
export const transportOf = (protocol: Protocol): 'tcp' | 'udp' => (protocol === 'udp' ? 'udp' : 'tcp');
