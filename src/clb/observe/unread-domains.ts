import type { ObservedPart } from '../model/invalidated-parts.ts';
import type { DomainExtension, ObservedListener } from '../model/listener.ts';
import { listenerKey, type Desired, type Observed } from '../model/desired-and-observed-state.ts';

type Domains = Extract<ObservedPart, `domains:${number}`>;

const PREFIX = 'domains:';

export const isDomains = (part: ObservedPart): part is Domains => part.startsWith(PREFIX);
export const portOf = (part: Domains): number => Number(part.slice(PREFIX.length));

/** Returns the parts of the observed state with unread additional domains, one part for each listener. */
export function unreadDomains(desired: Desired, { listeners }: Observed): readonly ObservedPart[] {
  if (desired.kind === 'absent') return [];
  return desired.listeners.flatMap((wanted): ObservedPart[] => {
    // Domains that the Service does not request stay unread, because each listener needs a call.
    if (wanted.domainExtensions === undefined) return [];
    const has = listeners.find((listener) => listenerKey(listener) === listenerKey(wanted));
    return has === undefined || has.domainExtensions !== undefined ? [] : [`domains:${wanted.port}`];
  });
}

const isOn = ({ port, protocol }: ObservedListener, ports: readonly number[]): boolean =>
  protocol === 'https' && ports.includes(port);

export const withDomains = (
  observed: Observed,
  port: number,
  domainExtensions: readonly DomainExtension[],
): Observed => ({
  ...observed,
  listeners: observed.listeners.map((listener) =>
    isOn(listener, [port]) ? { ...listener, domainExtensions } : listener,
  ),
});

/** Removes the additional domains of the listeners on these ports from the state, so that the controller reads the domains again. */
export function forgetDomains(observed: Observed, ports: readonly number[]): Observed {
  if (ports.length === 0) return observed;
  const listeners = observed.listeners.map((listener): ObservedListener => {
    const { domainExtensions, ...rest } = listener;
    return domainExtensions !== undefined && isOn(listener, ports) ? rest : listener;
  });
  return { ...observed, listeners };
}
