import type { Protocol } from '../../annotation/value-type.ts';
import type { Parsed } from '../../annotation/parse.ts';
import type { OptionName } from '../../annotation/catalogue.ts';
import type { ListenerKey } from '../../clb/model/listener.ts';
import { listenerProtocols } from '../../clb/desired/protocols.ts';
import type { Service } from '../../base/objects.ts';

/** What is looked at of a subject. */
interface Of {
  readonly object: Service;
  readonly parsed: Parsed;
}

/** The listener that a port of a Service ends as. */
export interface PortListener {
  /** Place among the ports. */
  readonly index: number;
  readonly port: number;
  /** Absent for one that no listener can have. */
  readonly protocol: Protocol | undefined;
}

/** Whether the annotation stands there with a value that could not be read: nothing that follows from it is known then. One that is passed over is absent. */
export const isUnreadable = ({ issues, options }: Parsed, option: OptionName): boolean =>
  issues.length > 0 &&
  options[option] === undefined &&
  issues.some((issue) => issue.option === option && issue.isPassedOver !== true);

/** One listener a port, as the controller will make it. Absent when that cannot be known. */
export function listenersOf({ object, parsed }: Of): readonly PortListener[] | undefined {
  if (isUnreadable(parsed, 'protocolPort')) return undefined;
  const ports = object.spec?.ports ?? [];
  const protocolOf = listenerProtocols(ports, parsed.options);
  return ports.map((port, index) => ({ index, port: port.port, protocol: protocolOf(port) }));
}

/** The listeners that a Service asks for, as far as that is known. */
export const askedBy = (service: Of): readonly ListenerKey[] =>
  (listenersOf(service) ?? []).flatMap(({ port, protocol }) => (protocol === undefined ? [] : [{ port, protocol }]));

/** More than these are not told one by one: no load balancer has so many. */
const MOST_TOLD = 50;

/** The numbers of ports, as a sentence tells them. */
export function numbersOf(ports: readonly { readonly port: number }[]): string {
  const numbers = new Set(ports.slice(0, MOST_TOLD).map(({ port }) => port));
  return `${[...numbers].join(', ') || 'it has none'}${ports.length > MOST_TOLD ? ', …' : ''}`;
}

/** Whether the Service has a say in its listeners: not on a load balancer that it reuses without overriding. */
export const managesListeners = ({ parsed }: Of): boolean =>
  parsed.options.id === undefined || parsed.options.forceOverrideListeners === true;

/** UDP has its port numbers for itself; all others share theirs. */
export const transportOf = (protocol: Protocol): 'tcp' | 'udp' => (protocol === 'udp' ? 'udp' : 'tcp');
