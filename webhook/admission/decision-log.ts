import type { Clock } from '../../src/base/clock.ts';
import type { Logger, LogOutput } from '../../src/base/log.ts';
import type { AdmissionRequest } from './admission-review.ts';
import type { TraceContext } from '../server/trace.ts';
import { plain } from '../../src/rules/engine/safe-text.ts';

/** An admission request with its decision. The decision is `error` if the handler failed. */
export interface Decided {
  readonly path: 'mutate' | 'validate';
  readonly request: AdmissionRequest;
  readonly decision: string;
  /** The names of the rules that denied the request. */
  readonly rules?: readonly string[] | undefined;
  /** The duration of the decision, in milliseconds. */
  readonly ms: number;
  /** The trace of the request. */
  readonly trace?: TraceContext | undefined;
}

/** A function that logs a decision. The handlers of `/mutate` and `/validate` call it once for each request. */
export type DecisionLog = (decided: Decided) => void;

/** Returns the function that logs each decision as one JSON line. */
export function decisionLog(
  log: Pick<Logger, 'isLevelEnabled'>,
  output: LogOutput,
  clock: Pick<Clock, 'now'>,
): DecisionLog {
  if (!log.isLevelEnabled('info')) return () => undefined;
  const timeOf = isoTimes();
  return ({ path, request, decision, rules, ms, trace }) => {
    const { uid, operation, kind, namespace, name, userInfo, dryRun } = request;
    const line = {
      level: 'info',
      time: timeOf(clock.now()),
      path,
      decision,
      uid: plain(uid),
      operation,
      kind: plain(kind.kind),
      object: plain(namespace === '' ? name : `${namespace}/${name}`),
      user: plain(userInfo.username),
      dryRun: dryRun ? true : undefined,
      rules,
      ms: Math.round(ms * 1_000) / 1_000,
      traceId: trace?.traceId,
      spanId: trace?.spanId,
      msg: 'decided',
    };
    // Bypasses the slow redaction of the logger, because no field holds a secret.
    output.write(`${JSON.stringify(line)}\n`);
  };
}

/** Returns a formatter of times. The formatter caches the last text, because successive lines often have equal times. */
function isoTimes(): (now: number) => string {
  let last = { now: Number.NaN, text: '' };
  return (now) => {
    if (now !== last.now) last = { now, text: new Date(now).toISOString() };
    return last.text;
  };
}
