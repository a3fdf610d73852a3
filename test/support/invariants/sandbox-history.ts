import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEntry } from '../../../src/local/simulator/simulator.ts';
import type { Sandbox } from '../../../src/local/sandbox-handle.ts';
import { readAuditLog } from './audit-log.ts';
import { evaluateHistory, REAL, type Verdict } from './history-check.ts';
import type { RecordedCall } from './cloud-recorder.ts';
import { historyOf } from './merged-history.ts';

/** The maximum number of milliseconds by which a time is later than its rounded value. */
const ROUNDING_MS = 0.999;

/** Returns the arrival and the end of a call with the precision of its entry, no earlier than possible causes. */
function recorded(call: JournalEntry): readonly RecordedCall[] {
  const sentMs = Date.parse(call.time) + ROUNDING_MS;
  const sent: RecordedCall = { moment: { kind: 'sent', call }, atMs: sentMs };
  if (call.finished === undefined) return [sent];
  return [sent, { moment: { kind: 'ended', call }, atMs: Math.max(sentMs, Date.parse(call.finished)) }];
}

/** Checks the history of a sandbox before its disposal. The cloud is another process, so its calls are known, but not its state. */
export async function evaluateSandbox({ logs, record: { environment } }: Sandbox): Promise<Verdict> {
  const answer = await fetch(`${environment['SIMULATOR_URL'] ?? ''}/_simulator/journal?since=0`);
  const journal = (await answer.json()) as readonly JournalEntry[];
  const calls = journal.flatMap(recorded).toSorted((left, right) => left.atMs - right.atMs);
  const audited = readAuditLog(await readFile(join(logs, 'audit.log'), 'utf8'));
  const text = await readFile(join(logs, 'controller.log'), 'utf8').catch(() => '');
  return evaluateHistory([...historyOf(audited, calls), { kind: 'printed', text }], {
    ...REAL,
    clusterId: environment['CLUSTER_ID'] ?? '',
    clusterCidrs: [environment['CLUSTER_CIDR'] ?? ''],
    secrets: [environment['ACCESS_KEY_SECRET'] ?? ''],
  });
}
