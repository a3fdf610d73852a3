import type { ListenerKey } from './listener.ts';

/**
 * Returns a function with which rules and policies test whether a list contains a listener, by a text such as the port. A set keeps the test fast,
 * because a Service may have many ports.
 */
export function inListOf(
  listeners: readonly ListenerKey[],
  textOf: (listener: ListenerKey) => string,
): (listener: ListenerKey) => boolean {
  const texts = new Set(listeners.map(textOf));
  return (listener) => texts.has(textOf(listener));
}
