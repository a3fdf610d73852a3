import { observe, EMPTY_CACHE } from '../../../clb/observe/observe.ts';
import { resolve, type Located } from '../../../clb/desired/pod-interfaces.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import { isInProgress } from '../state/binding-record.ts';
import type { BlockedActions } from '../status/condition-messages.ts';
import { recordUsage } from '../status/result-writes.ts';
import { failureWith } from '../status/service-condition.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** An empty result of the pod lookup, because backends do not affect the usage. */
const NO_PODS_LOCATED: Located = { interfaces: new Map(), missing: new Set() };

/** Reads the usage of a denied Service from the cloud, and records the usage, so that quotas count the Service. */
export async function readUsage(
  subject: SyncInputs,
  blocked: BlockedActions['blocked'],
  reconcileContext: ReconcileContext,
  deps: ServiceDeps,
): Promise<void> {
  const { record } = reconcileContext.entry;
  if (record.admittedUsage !== undefined && !isInProgress(record)) return;
  const { lane, namespace, signal } = reconcileContext;
  const { hints } = subject;
  const desired = resolve(subject.desired, NO_PODS_LOCATED);
  const reading = { hints, api: deps.clb, context: { signal, lane, namespace }, onObserved: () => undefined };
  try {
    const known = await observe(desired, EMPTY_CACHE, reading);
    await recordUsage(subject, known, reconcileContext, deps);
  } catch (error) {
    throw failureWith(blocked, error);
  }
}
