import type { ListenerKey } from '../model/listener.ts';

/**
 * Returns a function that tests whether a list contains a listener, by a text such as the port. A set keeps the test fast, because a Service may have
 * thousands of ports.
 */
export function inListOf(
  listeners: readonly ListenerKey[],
  textOf: (listener: ListenerKey) => string,
): (listener: ListenerKey) => boolean {
  const texts = new Set(listeners.map(textOf));
  return (listener) => texts.has(textOf(listener));
}
