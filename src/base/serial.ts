import { FairQueue } from './fair-queue.ts';

/** The caller of a task, and the namespace that the task belongs to. */
export interface Waiter {
  readonly signal: AbortSignal;
  /** The namespace; empty for the cluster. */
  readonly namespace: string;
}

/** Runs the tasks of each key one after the other. Namespaces take turns. */
export interface Serial {
  /** Runs a task when no other task of the key runs. Rejects if the signal is aborted before the start; a running task continues. */
  run<Result>(key: string, waiter: Waiter, task: () => Promise<Result>): Promise<Result>;
}

/** Creates a `Serial`. All cloud calls of a process share one `Serial`, so that changes of a load balancer run in order. */
export function createSerial(): Serial {
  /** The waiting tasks by key. A key exists while one of its tasks runs. */
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
