const TERMINATED = 143;
let watching = false;

/**
 * Runs the synchronous `cleanUp` if this process ends before the returned function is called: by an exception, `process.exit` or SIGTERM. After
 * SIGKILL the next run cleans up.
 */
export function atExit(cleanUp: () => void): () => void {
  // By default, SIGTERM ends a process without an `exit` event.
  if (!watching) process.once('SIGTERM', () => process.exit(TERMINATED));
  watching = true;
  process.once('exit', cleanUp);
  return () => void process.removeListener('exit', cleanUp);
}
