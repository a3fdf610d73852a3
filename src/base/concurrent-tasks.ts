/**
 * Runs a task for every item, with at most `width` concurrent tasks, so that `lint` and `plan` do not overload the API server or the cloud. Returns
 * the results in the order of the items. The first failure aborts the running tasks, and is thrown when these tasks have ended.
 */
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
  failing.signal.throwIfAborted();
  return results;
}
