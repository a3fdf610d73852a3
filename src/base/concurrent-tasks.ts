/** Runs at most `width` tasks at a time. Returns the results in the order of the items. */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  width: number,
  task: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const failing = new AbortController();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of queue) {
      if (failing.signal.aborted) return;
      try {
        results[at] = await task(item, failing.signal);
      } catch (error) {
        failing.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  // The first error is thrown only after all running tasks have ended.
  failing.signal.throwIfAborted();
  return results;
}
