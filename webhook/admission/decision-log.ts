import type { Clock } from '../../src/base/clock.ts';
import type { Logger, LogOutput } from '../../src/base/log.ts';
import type { AdmissionRequest } from './review.ts';
import type { TraceContext } from '../server/trace.ts';
import { plain } from '../../src/rules/engine/text.ts';

/** What is told of a request once it is decided, or once it is clear that it cannot be. */
export interface Decided {
  readonly path: 'mutate' | 'validate';
  readonly request: AdmissionRequest;
  readonly decision: string;
  /** Those that denied it. */
  readonly rules?: readonly string[] | undefined;
  /** How long that took, in milliseconds. */
  readonly ms: number;
  /** The trace to which it belongs. */
  readonly trace?: TraceContext | undefined;
}

export type DecisionLog = (decided: Decided) => void;

/**
 * One line a decision, with the same head as all lines of the log. Its fields are known and none of them is a secret: the way of all
 * other lines, on which secrets are looked for, costs as much as the decision itself. Names come from users, and a log is read in terminals.
 */
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
    output.write(`${JSON.stringify(line)}\n`);
  };
}

/** Times as texts, of which many in a row are the same. */
function isoTimes(): (now: number) => string {
  let last = { now: Number.NaN, text: '' };
  return (now) => {
    if (now !== last.now) last = { now, text: new Date(now).toISOString() };
    return last.text;
  };
}
