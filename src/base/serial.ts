import { FairQueue } from './fair-queue.ts';

/** The caller of a task, and the namespace that the task is for. */
export interface Waiter {
  readonly signal: AbortSignal;
  /** Empty for the cluster itself. */
  readonly namespace: string;
}

/** Runs the tasks of one key one at a time, their namespaces round-robin. Tasks of different keys run concurrently. */
export interface Serial {
  /** Rejects with the signal's reason if the signal aborts before the task starts. A running task is never interrupted. */
  run<Result>(key: string, waiter: Waiter, task: () => Promise<Result>): Promise<Result>;
}

export function createSerial(): Serial {
  /** Waiting tasks by key. A key is present while one of its tasks runs. */
  const lines = new Map<string, FairQueue<() => void, true>>();

  const enter = async (key: string, { signal, namespace }: Waiter): Promise<void> => {
    signal.throwIfAborted();
    const line = lines.get(key);
    if (line === undefined) {
      lines.set(key, new FairQueue());
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const start = () => resolve(undefined);
    const leave = () => {
      line.delete(namespace, start);
      reject(signal.reason as Error);
    };
    line.add(namespace, start, true);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };

  const leave = (key: string): void => {
    const line = lines.get(key);
    const [next] = line?.firsts() ?? [];
    if (next === undefined) lines.delete(key);
    else line?.take(next.share)?.key();
  };

  return {
    run: async (key, waiter, task) => {
      await enter(key, waiter);
      try {
        return await task();
      } finally {
        leave(key);
      }
    },
  };
}
