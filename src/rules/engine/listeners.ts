import type { Protocol } from '../../annotation/value-type.ts';
import type { ParsedAnnotations } from '../../annotation/parse.ts';
import type { OptionName } from '../../annotation/catalogue.ts';
import type { ListenerKey } from '../../clb/model/listener.ts';
import { listenerProtocols } from '../../clb/desired/protocols.ts';
import type { Service } from '../../base/objects.ts';

/** The parts of a subject that these functions read. */
interface Of {
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

/** Returns whether an annotation has an unreadable value, so that nothing follows from the value. An ignored annotation counts as unset. */
export const isUnreadable = ({ issues, options }: ParsedAnnotations, option: OptionName): boolean =>
  issues.length > 0 &&
  options[option] === undefined &&
  issues.some((issue) => issue.option === option && issue.isIgnored !== true);

/** Returns the listener of each port as the controller creates it. Returns undefined if `protocol-port` is unreadable. */
export function listenersOf({ object, parsed }: Of): readonly PortListener[] | undefined {
  if (isUnreadable(parsed, 'protocolPort')) return undefined;
  const ports = object.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, parsed.options);
  return ports.map((port, index) => ({ index, port: port.port, protocol: protocolOf(port) }));
}

/** Returns the known listeners that a Service requests. */
export const requestedListeners = (service: Of): readonly ListenerKey[] =>
  (listenersOf(service) ?? []).flatMap(({ port, protocol }) => (protocol === undefined ? [] : [{ port, protocol }]));

/** The most ports that a message lists. No load balancer has more listeners. */
const MOST_LISTED = 50;

/** Returns port numbers as a list for messages. */
export function numbersOf(ports: readonly { readonly port: number }[]): string {
  const numbers = new Set(ports.slice(0, MOST_LISTED).map(({ port }) => port));
  return `${[...numbers].join(', ') || 'the Service has none'}${ports.length > MOST_LISTED ? ', …' : ''}`;
}

/** Returns whether the controller manages the listeners. It manages none on a reused load balancer without the override. */
export const managesListeners = ({ parsed }: Of): boolean =>
  parsed.options.id === undefined || parsed.options.forceOverrideListeners === true;

/** Returns the transport. UDP has its own port numbers; all other protocols share the TCP port numbers. */
export const transportOf = (protocol: Protocol): 'tcp' | 'udp' => (protocol === 'udp' ? 'udp' : 'tcp');
