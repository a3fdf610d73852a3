import { readFileSync, writeFileSync } from 'node:fs';
import { identify, isRunning, type ProcessIdentity } from '../../src/local/process-identity.ts';

/** Writes a file that assigns its folder to this test process. The next test run removes only folders of processes that ended. */
export const claim = (path: string): void => writeFileSync(path, JSON.stringify(identify(process.pid)));

/** Returns whether the test process that wrote the file still runs. */
export function isClaimed(path: string): boolean {
  try {
    return isRunning(JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity);
  } catch {
    return false;
  }
}
