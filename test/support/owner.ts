import { readFileSync, writeFileSync } from 'node:fs';
import { identify, isRunning, type ProcessIdentity } from '../../src/local/process-identity.ts';

/** Notes in a file that what lies beside it belongs to this test process. */
export const claim = (path: string): void => writeFileSync(path, JSON.stringify(identify(process.pid)));

/** Whether the test process that claimed it still runs. */
export function isClaimed(path: string): boolean {
  try {
    return isRunning(JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity);
  } catch {
    return false;
  }
}
