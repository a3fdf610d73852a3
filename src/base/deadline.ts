import type { Clock } from './clock.ts';

/** The signal's reason after a deadline. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`);
  }
}

/**
 * Runs `work` with a signal that aborts when `signal` does, or with `DeadlineExceeded` after `ms` milliseconds.
 * Does not wait for work that ignores its signal. Removes its timer and listener.
 */
export async function within<Value>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  const inner = new AbortController();
  const timer = new AbortController();
  const aborted = Promise.withResolvers<never>();
  inner.signal.addEventListener('abort', () => aborted.reject(inner.signal.reason), { once: true });
  const pass = (): void => inner.abort(signal.reason);
  signal.addEventListener('abort', pass, { once: true });
  const expiry = clock.sleep(ms, timer.signal).then(
    () => inner.abort(new DeadlineExceeded(ms)),
    () => undefined,
  );
  try {
    return await Promise.race([work(inner.signal), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', pass);
    timer.abort();
    await expiry;
  }
}

/** Sleeps and returns true after `ms` milliseconds, or false if the signal aborts first. Never rejects. */
export const slept = (clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> =>
  clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
