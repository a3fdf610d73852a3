import { setImmediate as settled } from 'node:timers/promises';
import type { Clock } from '../../src/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /** Moves on by `ms`, waking sleepers in order and letting what they started run as far as it can. */
  advance(ms: number): Promise<void>;
  /** Sets the time of day without any time passing, as an administrator does. */
  setNow(now: number): void;
  /** How many sleeps are under way. */
  readonly sleeping: number;
}

export function virtualClock(start = Date.parse('2026-01-02T03:04:05Z')): VirtualClock {
  let elapsed = 0;
  let origin = start;
  const sleepers = new Set<Sleeper>();
  const nextUntil = (end: number): Sleeper | undefined =>
    [...sleepers].filter(({ at }) => at <= end).reduce<Sleeper | undefined>(earlier, undefined);
  return {
    now: () => origin + elapsed,
    monotonic: () => elapsed,
    setNow: (now) => {
      origin = now - elapsed;
    },
    get sleeping() {
      return sleepers.size;
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      const sleeper = { at: elapsed + ms, wake: () => resolve(undefined) };
      const stop = () => reject(signal?.reason as Error);
      sleepers.add(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
      try {
        await promise;
      } finally {
        sleepers.delete(sleeper);
        signal?.removeEventListener('abort', stop);
      }
    },
    advance: async (ms) => {
      const end = elapsed + ms;
      await settled();
      for (let sleeper = nextUntil(end); sleeper !== undefined; sleeper = nextUntil(end)) {
        elapsed = Math.max(elapsed, sleeper.at);
        sleepers.delete(sleeper);
        sleeper.wake();
        await settled();
      }
      elapsed = end;
      await settled();
    },
  };
}

const earlier = (best: Sleeper | undefined, sleeper: Sleeper): Sleeper =>
  best === undefined || sleeper.at < best.at ? sleeper : best;
