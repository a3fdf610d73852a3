import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import { isNewService, type SyncInputs } from './sync-inputs.ts';
import type { Denial } from '../evaluation/rule-evaluation.ts';
import { readUsage } from '../evaluation/denied-service-usage.ts';
import { blockedChange } from '../status/load-balancer-change-message.ts';
import { BLOCKED_RETRY_MS } from '../status/sync-result-to-publish.ts';
import { publish } from '../status/publish-reconcile-result.ts';
import { causesIn, eventsOf, readinessStateOf, blockedFor } from '../status/service-condition.ts';
import type { ServiceDeps, ReconcileContext } from '../context.ts';

/** Publishes the denial of a Service without a sync. */
export async function publishDenial(
  subject: SyncInputs,
  denial: Denial,
  context: ReconcileContext,
  deps: ServiceDeps,
): Promise<ReconcileResult> {
  const { service } = subject;
  const { reasons, word: conditionReason } = denial;
  const trouble = { change: blockedChange(context.inputs, context.entry), reasons, conditionReason, ineffective: [] };
  const readiness = readinessStateOf(trouble, []);
  const events = eventsOf(service, readiness, trouble);
  const next = (): ReconcileResult => (denial.isByPolicy ? { requeueAfterMs: BLOCKED_RETRY_MS } : 'done');
  if (!isNewService(subject, context)) await readUsage(subject, blockedFor(causesIn(trouble)), context, deps);
  return publish(subject, { service, readiness, events, recording: { kind: 'usage' }, next }, context, deps);
}
