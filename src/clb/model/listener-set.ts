import type { ListenerKey } from './listener.ts';

/** Returns a function that tests whether the list contains a listener with the same text, such as the port. */
export function inListOf(
  listeners: readonly ListenerKey[],
  textOf: (listener: ListenerKey) => string,
): (listener: ListenerKey) => boolean {
  // A set keeps the test fast for a Service with many ports.
  const texts = new Set(listeners.map(textOf));
  return (listener) => texts.has(textOf(listener));
}
