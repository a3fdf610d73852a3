import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { CloudOperation, Parameters, CloudTransport } from '../../src/alibaba/cloud-call-types.ts';
import { createCloudExecutor, type CloudExecutor, type CloudExecutorParts } from '../../src/alibaba/executor.ts';
import { createLimiter } from '../../src/alibaba/limiter.ts';
import { createCloudMetrics } from '../../src/alibaba/metrics.ts';
import { createSerial } from '../../src/base/serial.ts';
import type { CallContext, CallLane } from '../../src/plan/call-context.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Returns an operation of SLB. Operations with the prefix `Describe` are reads. */
export const slb = (action: string): CloudOperation => ({ product: 'Slb', version: '2014-05-15', action });

export const aCall = (
  lane: CallLane = 'change',
  signal: AbortSignal = new AbortController().signal,
  namespace = 'default',
): CallContext => ({ lane, signal, namespace });

export interface Sent {
  readonly action: string;
  readonly parameters: Parameters;
}

/** A cloud that sends the answers of a test, and records its calls. */
export interface ScriptedCloud {
  readonly transport: CloudTransport;
  readonly sent: Sent[];
}

/** The answer of a scripted cloud to a call. */
export type ScriptedAnswer = object | (() => Promise<object>);

/** Returns a cloud with these answers in sequence. The last answer repeats. An `Error` is thrown, and a function is called. */
export function scriptedCloud(...answers: ScriptedAnswer[]): ScriptedCloud {
  const sent: Sent[] = [];
  const left = [...answers];
  return {
    sent,
    transport: async ({ action }, parameters) => {
      sent.push({ action, parameters });
      const answer = (left.length > 1 ? left.shift() : left[0]) ?? { RequestId: 'R' };
      if (answer instanceof Error) throw answer;
      return typeof answer === 'function' ? (answer as () => Promise<object>)() : answer;
    },
  };
}

export interface ExecutorBench {
  readonly executor: CloudExecutor;
  readonly clock: VirtualClock;
  readonly registry: Registry;
  /** Every log line. */
  readonly lines: string[];
}

/** Creates an executor of cloud calls with real parts except the clock and the logger. */
export function executorBench(transport: CloudTransport, input: Partial<CloudExecutorParts> = {}): ExecutorBench {
  const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'));
  const registry = new Registry();
  const lines: string[] = [];
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => void lines.push(line) });
  const metrics = createCloudMetrics(registry);
  const parts = { limiter: createLimiter(clock), serial: createSerial(), guard: () => true, clock, log, metrics };
  return { executor: createCloudExecutor({ transport, ...parts, ...input }), clock, registry, lines };
}
