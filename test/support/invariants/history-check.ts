import assert from 'node:assert/strict';
import { INVARIANTS } from './invariants.ts';
import type { History, Moment, RunSettings } from './moment.ts';

/** The number of moments before a violation in its report. */
const BEFORE = 8;

function text(moment: Moment): string {
  switch (moment.kind) {
    case 'started':
      return 'a process starts';
    case 'sent':
      return `${moment.call.time} call ${moment.call.n} ${moment.call.action} ${JSON.stringify(moment.call.parameters)}`;
    case 'ended':
      return `${moment.call.finished ?? ''} call ${moment.call.n} ${moment.call.action}: ${moment.call.outcome ?? ''}`;
    case 'stored':
      return `${new Date(moment.atMs).toISOString()} ${moment.by}: ${moment.plural} ${moment.key} ${JSON.stringify(moment.after ?? 'gone')}`;
    case 'emitted':
      return `event ${moment.reason} of ${moment.target.name}: ${moment.message}`;
    case 'printed':
      return 'a process prints';
  }
}

/** The result of the check of a history. */
export interface Verdict {
  /** The violations as text: finding, invariant, and the preceding moments. */
  readonly violations: readonly string[];
  /** The number of evaluations of each invariant, by its name. */
  readonly evaluations: ReadonlyMap<string, number>;
}

/** The default settings of a test with cluster `c1`. */
export const USUAL: RunSettings = {
  clusterId: 'c1',
  removalGraceMs: 60_000,
  clusterCidrs: ['10.244.0.0/16', '172.20.0.0/16'],
  secrets: [],
  readingMs: 0,
};

/** The settings of a test with real processes, in which time passes between a read and the first call. */
export const REAL: RunSettings = { ...USUAL, readingMs: 1_000 };

/** Checks a history against all invariants. Runs at the end of every test with a controller. */
export function evaluateHistory(history: History, settings: RunSettings = USUAL): Verdict {
  const counts = new Map(INVARIANTS.map(({ name }): [string, number] => [name, 0]));
  const violations = INVARIANTS.flatMap(({ name, statement, check }) => {
    const evaluations = (): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
    return check(history, { ...settings, evaluated: evaluations }).map(({ at, found }) => {
      const before = history.slice(Math.max(0, at - BEFORE), at + 1).map((moment) => `    ${text(moment)}`);
      return `${name} (${statement}): ${found}, in\n${before.join('\n')}`;
    });
  });
  return { violations, evaluations: counts };
}

/** Throws if an invariant is violated. */
export function assertHistory(history: History, settings?: RunSettings): void {
  const { violations } = evaluateHistory(history, settings);
  if (violations.length > 0) assert.fail(violations.join('\n'));
}
