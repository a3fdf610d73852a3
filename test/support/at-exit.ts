const TERMINATED = 143;
let watching = false;

/**
 * Runs `cleanUp`, which may not wait for anything, should this test process end before the answered function is called:
 * by an exception, by `process.exit`, or by SIGTERM. (After SIGKILL the next run cleans up.)
 */
export function atExit(cleanUp: () => void): () => void {
  // By default SIGTERM ends a process without a word to anybody.
  if (!watching) process.once('SIGTERM', () => process.exit(TERMINATED));
  watching = true;
  process.once('exit', cleanUp);
  return () => void process.removeListener('exit', cleanUp);
}
