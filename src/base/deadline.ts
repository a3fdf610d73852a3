import type { Clock } from './clock.ts';

/** The error of work that exceeds its timeout. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`);
  }
}

/**
 * Runs `work` with a timeout of `ms` milliseconds. Rejects with `DeadlineExceeded` or with the reason of `signal`, even if `work` ignores its aborted
 * signal.
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

/** Waits `ms` milliseconds and returns true, or returns false if the signal is aborted. Never rejects. */
export const slept = (clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> =>
  clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
