import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../../src/local/api-client.ts';
import { readAuditLog, type Author } from './audit-log.ts';
import { evaluateHistory, REAL, type Verdict } from './history-check.ts';
import { CloudRecorder } from './cloud-recorder.ts';
import type { History, RunSettings } from './moment.ts';
import { historyOf } from './merged-history.ts';

const POLL_MS = 20;
const WRITTEN_MS = 10_000;

export interface WatchedPlane {
  /** Returns the audit log. */
  readonly auditLog: () => Promise<string>;
  readonly client: Pick<ApiClient, 'find'>;
}

export interface WatchedRunInput extends Partial<RunSettings> {
  /** A real API server with a complete audit log. */
  readonly plane: WatchedPlane;
  /** The checked user. Defaults to the controller with its shipped account. */
  readonly author?: Author;
}

/** A run of real processes whose history is checked. Pass `cloud` to the simulator as its watcher. `startControllerCluster` creates runs. */
export interface WatchedRun {
  readonly cloud: CloudRecorder;
  /** Adds the output of a process to the history, for the check for secrets. `output` returns all output so far. */
  printedBy(output: () => string): void;
  /** Returns the history so far. */
  history(): Promise<History>;
  verdict(): Promise<Verdict>;
  /** Throws if an invariant is violated. Returns the number of evaluations of each invariant. */
  assertKept(): Promise<ReadonlyMap<string, number>>;
}

let marks = 0;

/** Returns the log with all earlier responses. The API server writes the log after the response, so the function waits for a marker request. */
async function wholeLog({ auditLog, client }: WatchedPlane): Promise<string> {
  marks += 1;
  const mark = `asked-after-all-that-${process.pid}-${marks}`;
  await client.find(`/api/v1/namespaces/${mark}`);
  const end = Date.now() + WRITTEN_MS;
  for (;;) {
    const log = await auditLog();
    if (log.includes(mark)) return log;
    assert.ok(Date.now() < end, 'the audit log does not contain the marker request');
    await delay(POLL_MS);
  }
}

export function watchRun({ plane, author, ...overrides }: WatchedRunInput): WatchedRun {
  const settings: RunSettings = { ...REAL, ...overrides };
  const cloud = new CloudRecorder();
  const outputs: (() => string)[] = [];
  const history = async (): Promise<History> => {
    const audited = readAuditLog(await wholeLog(plane), author);
    const printed = outputs.map((output) => ({ kind: 'printed', text: output() }) as const);
    return [...historyOf(audited, cloud.calls), ...printed];
  };
  const verdict = async (): Promise<Verdict> => evaluateHistory(await history(), settings);
  return {
    cloud,
    printedBy: (output) => void outputs.push(output),
    history,
    verdict,
    assertKept: async () => {
      const { violations, evaluations } = await verdict();
      if (violations.length > 0) assert.fail(violations.join('\n'));
      return evaluations;
    },
  };
}
