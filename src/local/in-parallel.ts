/** Runs tasks concurrently. The first failure aborts the remaining tasks. */
export async function inParallel(
  outer: AbortSignal,
  tasks: readonly ((signal: AbortSignal) => Promise<unknown>)[],
): Promise<void> {
  const failing = new AbortController();
  const signal = AbortSignal.any([outer, failing.signal]);
  const errors: unknown[] = [];
  const guarded = tasks.map(async (task) => {
    try {
      await task(signal);
    } catch (error) {
      errors.push(error);
      failing.abort(error);
    }
  });
  // All tasks must end here, because no task may start a process during the cleanup of the caller.
  await Promise.all(guarded);
  if (errors.length > 0) throw errors[0];
}
