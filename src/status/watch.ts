import type { Clock } from '../base/clock.ts';
import { hasReason, PortcullisError } from '../base/errors.ts';
import type { StatusReport } from './report.ts';

/** The parts of `portcullis status --watch`. */
export interface WatchParts {
  readonly read: () => Promise<StatusReport>;
  readonly show: (report: StatusReport) => void;
  /** Shows the failure of any read except the first. */
  readonly showFailure: (error: PortcullisError) => void;
  readonly clock: Clock;
  /** The signal that ends the loop. */
  readonly signal: AbortSignal;
}

/** The time between two reads, in milliseconds. */
export const INTERVAL_MS = 5_000;

/** Reads and shows the status every 5 s until the signal aborts. Returns the last report. */
export async function watchStatus({ read, show, showFailure, clock, signal }: WatchParts): Promise<StatusReport> {
  let last = await read();
  show(last);
  while (await waitForNextRead(clock, signal)) {
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

/** Waits until the next read. Returns false if the signal is aborted. */
async function waitForNextRead(clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(INTERVAL_MS, signal);
    return true;
  } catch {
    return false;
  }
}
