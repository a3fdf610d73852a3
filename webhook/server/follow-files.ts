import { watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { messageOf } from '../../src/base/errors.ts';

/** The poll interval. A watch alone is not enough: it fails without free handles, and some file systems report no changes. */
const POLL_MS = 30_000;
/** The interval after an error. Without an atomic swap, a new and an old file can coexist for a moment. */
const RETRY_MS = 1_000;

export interface FollowedFiles<Content> {
  readonly files: readonly string[];
  readonly clock: Clock;
  /** Reads the files. Rejects with a message if they are unreadable or invalid. */
  readonly read: () => Promise<Content>;
  readonly isSame: (one: Content, other: Content) => boolean;
  /** Applies new content. Throws if the content is unusable. */
  readonly use: (content: Content) => void;
  /** Called once for each different error. */
  readonly onError: (message: string) => void;
}

/** Wakes the follower on changes in a folder. The kubelet swaps the link `..data`, which changes no watched file. */
function folderWatch(folders: ReadonlySet<string>, wake: () => void): Disposable {
  const watchers = [...folders].flatMap((folder) => {
    try {
      return [watch(folder, { persistent: false }, wake).on('error', () => undefined)];
    } catch {
      return [];
    }
  });
  return { [Symbol.dispose]: () => watchers.forEach((watcher) => watcher.close()) };
}

class Alarm {
  #controller = new AbortController();
  /** Ends the current sleep, or else the next sleep. */
  readonly ring = (): void => this.#controller.abort();

  /** Sleeps, and returns false once the signal is aborted. */
  async sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
    await clock.sleep(ms, AbortSignal.any([signal, this.#controller.signal])).catch(() => undefined);
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
    return !signal.aborted;
  }
}

/**
 * Follows files until the signal aborts, starting with the content `current`. Keeps the content in force if the new content is unusable. Resolves on
 * abort and never rejects.
 */
export async function followFiles<Content>(
  current: Content,
  { files, clock, read, isSame, use, onError }: FollowedFiles<Content>,
  signal: AbortSignal,
): Promise<void> {
  const alarm = new Alarm();
  using folders = new DisposableStack();
  folders.use(folderWatch(new Set(files.map(dirname)), alarm.ring));
  let active = current;
  let lastError: string | undefined;
  while (await alarm.sleep(lastError === undefined ? POLL_MS : RETRY_MS, clock, signal)) {
    try {
      const content = await read();
      if (!isSame(content, active)) {
        use(content);
        active = content;
      }
      lastError = undefined;
    } catch (error) {
      const message = messageOf(error);
      if (message !== lastError) onError(message);
      lastError = message;
    }
  }
}
