import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines } from '../../src/local/process.ts';

const folders = new Set<string>();

/** Undefined in benchmarks, which start control planes without tests. */
const afterEachTest = Reflect.get(globalThis, 'afterEach') as typeof afterEach | undefined;

/** Prints the end of every log in these folders when a test fails. */
afterEachTest?.(function () {
  if (this.currentTest?.state !== 'failed') return;
  for (const folder of [...folders].filter((path) => existsSync(path))) {
    for (const log of readdirSync(folder).filter((name) => name.endsWith('.log') && name !== 'audit.log')) {
      process.stderr.write(`${join(folder, log)}:\n${lastLines(join(folder, log))}\n`);
    }
  }
});

/** Prints the logs of a folder when a test fails, until the returned function is called. */
export function watchLogs(folder: string): () => void {
  folders.add(folder);
  return () => void folders.delete(folder);
}
