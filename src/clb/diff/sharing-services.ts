import type { ListenerKey } from '../model/listener.ts';

/** Returns a test whether a list contains a listener, by its text. A Service may have thousands of ports, so the test uses a set. */
export function inListOf(
  listeners: readonly ListenerKey[],
  textOf: (listener: ListenerKey) => string,
): (listener: ListenerKey) => boolean {
  const texts = new Set(listeners.map(textOf));
  return (listener) => texts.has(textOf(listener));
}
