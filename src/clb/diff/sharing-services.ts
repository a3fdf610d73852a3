import type { ListenerKey } from '../model/listener.ts';

/**
 * Whether a listener is among some others, by what a text says of it. Somebody may ask for thousands of ports: none is compared with each
 * of them.
 */
export function inListOf(
  listeners: readonly ListenerKey[],
  textOf: (listener: ListenerKey) => string,
): (listener: ListenerKey) => boolean {
  const texts = new Set(listeners.map(textOf));
  return (listener) => texts.has(textOf(listener));
}
