/** Runs tasks of the same key one after the other, in the order in which they came; those of different keys side by side. */
export interface Serial {
  /** Rejects with the signal's reason when it is aborted before the task has begun; a task that runs is never cut. */
  run<Result>(key: string, signal: AbortSignal, task: () => Promise<Result>): Promise<Result>;
}

export function createSerial(): Serial {
  /** Key → those who wait behind the one that runs. A key is present while a task of its runs. */
  const lines = new Map<string, (() => void)[]>();

  const enter = async (key: string, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const line = lines.get(key);
    if (line === undefined) {
      lines.set(key, []);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const turn = () => resolve(undefined);
    const leave = () => {
      const at = line.indexOf(turn);
      if (at >= 0) line.splice(at, 1);
      reject(signal.reason as Error);
    };
    line.push(turn);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };

  const leave = (key: string): void => {
    const next = lines.get(key)?.shift();
    if (next === undefined) lines.delete(key);
    else next();
  };

  return {
    run: async (key, signal, task) => {
      await enter(key, signal);
      try {
        return await task();
      } finally {
        leave(key);
      }
    },
  };
}
