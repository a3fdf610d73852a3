import { Counter, Histogram, type Registry } from 'prom-client';

/** The metrics of cloud calls, which all executors of a process share. */
export interface CloudMetrics {
  /** Counts a finished call and records its duration. `code` is `OK`, `Aborted`, the error code of the cloud, or the error reason. */
  called(action: string, code: string, seconds: number): void;
  throttled(action: string): void;
  /** Records the seconds that a call waited for the rate limiter, and for earlier changes of the same resource. */
  waited(action: string, lane: string, seconds: number): void;
}

/** Returns the code for a metric label. Long or unusual texts become `other`, so that the number of series stays small. */
const label = (code: string): string => (/^[\w.]{1,80}$/.test(code) ? code : 'other');
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8, 15];
const WAITS = [0.001, 0.01, 0.1, 1, 5, 15, 30, 60, 120, 300];

/** Registers and returns the metrics of cloud calls. */
export function createCloudMetrics(registry: Registry): CloudMetrics {
  const registers = [registry];
  const calls = new Counter({
    name: 'portcullis_cloud_calls_total',
    help: 'Calls to the cloud API by action and code.',
    labelNames: ['action', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'portcullis_cloud_call_duration_seconds',
    help: 'Time from sending a call to the cloud API to the response.',
    labelNames: ['action'],
    buckets: SECONDS,
    registers,
  });
  const throttles = new Counter({
    name: 'portcullis_cloud_throttled_total',
    help: 'Calls that the cloud throttled.',
    labelNames: ['action'],
    registers,
  });
  const waits = new Histogram({
    name: 'portcullis_cloud_limiter_wait_seconds',
    help: 'Time that calls waited before they were sent.',
    labelNames: ['action', 'lane'],
    buckets: WAITS,
    registers,
  });
  return {
    called: (action, code, duration) => {
      calls.inc({ action, code: label(code) });
      seconds.observe({ action }, duration);
    },
    throttled: (action) => throttles.inc({ action }),
    waited: (action, lane, duration) => waits.observe({ action, lane }, duration),
  };
}
