import type { Clock } from '../base/clock.ts';
import { hasReason, PortcullisError } from '../base/errors.ts';
import type { StatusReport } from './report.ts';

/** The dependencies of repeated reads. */
export interface WatchParts {
  readonly read: () => Promise<StatusReport>;
  readonly show: (report: StatusReport) => void;
  /** Shows why a later read failed. */
  readonly showFailure: (error: PortcullisError) => void;
  readonly clock: Clock;
  /** Aborted by the user, or when nothing reads the output any more. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two reads. */
export const INTERVAL_MS = 5_000;

/** Reads and shows the status until the signal aborts. Returns the last report. Only a failure of the first read rejects. */
export async function watchStatus({ read, show, showFailure, clock, signal }: WatchParts): Promise<StatusReport> {
  let last = await read();
  show(last);
  while (await slept(clock, signal)) {
    try {
      last = await read();
      show(last);
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof PortcullisError) || hasReason(error, 'Bug')) throw error;
      showFailure(error);
    }
  }
  return last;
}

/** Waits for the next read. Returns false once the signal is aborted. */
async function slept(clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(INTERVAL_MS, signal);
    return true;
  } catch {
    return false;
  }
}
