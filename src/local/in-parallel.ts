/**
 * Runs tasks side by side. The first that fails aborts the others; only when all have come to their end is its error thrown,
 * so that nothing is started any more behind the back of whoever cleans up.
 */
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
  await Promise.all(guarded);
  if (errors.length > 0) throw errors[0];
}
