import { watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { messageOf } from '../../src/base/errors.ts';

/** Polled as well as watched: a watch can be denied for want of handles, and some file systems report nothing. */
const POLL_MS = 30_000;
/** What is in two files, where nothing swaps both at once, can be new in one and old in the other for a moment. */
const RETRY_MS = 1_000;

export interface FollowedFiles<Content> {
  readonly files: readonly string[];
  readonly clock: Clock;
  /** Rejects with a sentence where they cannot be read, or are not what they should be. */
  readonly read: () => Promise<Content>;
  readonly isSame: (one: Content, other: Content) => boolean;
  /** Puts what is new in force. What it throws at is bad. */
  readonly use: (content: Content) => void;
  /** Told once of each different fault. */
  readonly onFault: (message: string) => void;
}

/** Wakes the follower when something in a folder changes. Kubelet swaps the link `..data` there, which changes no watched file. */
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
  /** Ends the present sleep; one that is rung while nobody sleeps ends the next one. */
  readonly ring = (): void => this.#controller.abort();

  /** Answers whether to go on: not once the signal is aborted. */
  async sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
    await clock.sleep(ms, AbortSignal.any([signal, this.#controller.signal])).catch(() => undefined);
    if (this.#controller.signal.aborted) this.#controller = new AbortController();
    return !signal.aborted;
  }
}

/**
 * Follows files, of which `current` is in force, until the signal is aborted. What is bad changes nothing: what is in force stays. Resolves
 * on abort, rejects never.
 */
export async function followFiles<Content>(
  current: Content,
  { files, clock, read, isSame, use, onFault }: FollowedFiles<Content>,
  signal: AbortSignal,
): Promise<void> {
  const alarm = new Alarm();
  using folders = new DisposableStack();
  folders.use(folderWatch(new Set(files.map(dirname)), alarm.ring));
  let inForce = current;
  let fault: string | undefined;
  while (await alarm.sleep(fault === undefined ? POLL_MS : RETRY_MS, clock, signal)) {
    try {
      const content = await read();
      if (!isSame(content, inForce)) {
        use(content);
        inForce = content;
      }
      fault = undefined;
    } catch (error) {
      const message = messageOf(error);
      if (message !== fault) onFault(message);
      fault = message;
    }
  }
}
