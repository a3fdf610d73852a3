import { watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { messageOf } from '../../src/base/errors.ts';

/** The poll interval. A watch alone is not enough: the number of watches is limited, and some file systems report no changes. */
const POLL_MS = 30_000;
/** The interval after an error, which may end soon: without an atomic swap, an old and a new file coexist for a moment. */
const RETRY_MS = 1_000;

/** The files to follow, and the functions that read and apply their content. */
export interface FollowedFiles<Content> {
  readonly files: readonly string[];
  readonly clock: Clock;
  /** Reads the files. Rejects if a file is unreadable or invalid. */
  readonly read: () => Promise<Content>;
  readonly isSame: (one: Content, other: Content) => boolean;
  /** Applies new content. Throws if the content is unusable. */
  readonly use: (content: Content) => void;
  /** Receives the message of an error. A repeated message is passed only once. */
  readonly onError: (message: string) => void;
}

/** Calls `wake` on changes in folders. Watches the folders, because the kubelet updates a mounted Secret by swapping the link `..data`. */
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

/** A sleep that a change of a folder can end early. */
class Alarm {
  #controller = new AbortController();
  /** Ends the current sleep, or else the next sleep. */
  readonly ring = (): void => this.#controller.abort();

  /** Sleeps. Returns false if the signal is aborted. */
  async sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
    await clock.sleep(ms, AbortSignal.any([signal, this.#controller.signal])).catch(() => undefined);
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
    return !signal.aborted;
  }
}

/** Applies new content of files on changes and every 30 s. Keeps the present content if new content is unusable. */
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
