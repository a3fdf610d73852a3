const TERMINATED = 143;
let watching = false;

/** Runs the synchronous `cleanUp` if this process ends by an exception, `process.exit` or SIGTERM, unless the returned function was called. */
export function atExit(cleanUp: () => void): () => void {
  // By default, SIGTERM ends a process without an `exit` event.
  if (!watching) process.once('SIGTERM', () => process.exit(TERMINATED));
  watching = true;
  process.once('exit', cleanUp);
  return () => void process.removeListener('exit', cleanUp);
}
