import { PortcullisError } from '../base/errors.ts';

/** The part of an event emitter that `stopSignal` needs. */
interface Emitter {
  once(event: string, listener: () => void): unknown;
}

/**
 * Returns a signal that ends `portcullis status`, with and without `--watch`: at Ctrl-C, at a stop signal of `process`, or when `output` is closed.
 */
export function stopSignal(process: Emitter, output: Emitter): AbortSignal {
  const stop = new AbortController();
  const interrupted = new PortcullisError('Unavailable', 'interrupted before the first read was complete');
  const end = (): void => stop.abort(interrupted);
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, end);
  output.once('error', end);
  return stop.signal;
}
