import { keepsPayBySpec } from '../../../clb/desired/removed-option-defaults.ts';
import { missingIpv6Gates, usesPods } from '../../../clb/desired/build.ts';
import { zonesWithoutEffect } from '../../../clb/diff/load-balancer.ts';
import { invalidate } from '../../../clb/observe/observe.ts';
import { skipsBackends, type Present } from '../../../clb/model/desired-and-observed-state.ts';
import type { ReconcileResult } from '../../../reconcile/requeue-decision.ts';
import type { SyncInputs } from '../sync/sync-inputs.ts';
import { blockedChange } from './load-balancer-change-message.ts';
import {
  conditionMessages,
  isForeignLoadBalancer,
  needsNoCloudRead,
  keepsCachedState,
  conditionReason,
} from './condition-messages.ts';
import { lacksElastic } from './elastic-ips.ts';
import { ensured, noBackends, type ServiceEvent } from './events.ts';
import { dueInMs } from '../state/service-state.ts';
import { isSuperseded, COALESCE_MS } from '../state/backend-coalescing.ts';
import { noResourcesKnown } from '../sync/unusable-references.ts';
import { isInProgress, resettableIn } from '../state/binding-record.ts';
import type { ServiceEvaluation } from '../evaluation/rule-evaluation.ts';
import type { Ending } from './publish-reconcile-result.ts';
import { eventsOf, skippedEvents, skippedIn, readinessStateOf } from './service-condition.ts';
import type { PublishedOptions } from './permitted-address-options.ts';
import type { SyncResult, ServiceDeps, ReconcileContext } from '../context.ts';
import { recordBlocked } from '../state/retry.ts';

/** Milliseconds after which blocked actions are retried, unless a change causes an earlier reconcile. */
export const BLOCKED_RETRY_MS = 5 * 60_000;

/** Returns the events about applied actions. */
function outcomeEvents(
  { desired, digest, desiredInputs, record }: SyncInputs,
  { done, resolved }: EvaluatedResult,
  { entry }: ReconcileContext,
): readonly ServiceEvent[] {
  const { loadBalancer } = entry.knowledge.observed;
  if (loadBalancer === undefined) return [];
  const keepsCharge = keepsPayBySpec(resettableIn(record), desiredInputs.options, loadBalancer);
  // An earlier reconcile changed the load balancer, but did not record the result, so the event of the change is missing.
  const isEventMissing = isInProgress(record) && record.syncedDigest !== digest;
  if (done.length === 0 && record.syncedDigest !== undefined && !isEventMissing && !keepsCharge) return [];
  const bare = resolved.groups.filter((group) => group.backends.length === 0 && !skipsBackends(group));
  const { nodes, virtual } = desiredInputs.nodes;
  const isNoneChosen = !usesPods(desiredInputs) && nodes.length === 0 && virtual.size === 0;
  const missed = isNoneChosen ? (desiredInputs.options.backendLabel ?? {}) : {};
  const zones = zonesWithoutEffect(desired, loadBalancer);
  return [
    ...(bare.length > 0 ? [noBackends(bare, missed)] : []),
    ensured(loadBalancer.id, { zones, keepsCharge, missingIpv6Gates: missingIpv6Gates(desiredInputs) }),
  ];
}

/** The result of a sync, with the evaluation of the Service. */
export interface EvaluatedResult extends SyncResult, Pick<PublishedOptions, 'options'> {
  readonly evaluation: ServiceEvaluation;
  /** The addresses of desired pod backends that are missing. */
  readonly missing: ReadonlySet<string>;
  /** The desired state, with the network interfaces of pods. */
  readonly resolved: Present;
}

/** Returns the result to publish after a sync: the condition, the events, and the time of the next reconcile. */
export function conclude(
  subject: SyncInputs,
  outcome: EvaluatedResult,
  context: ReconcileContext,
  deps: ServiceDeps,
): Ending {
  const { service, missing, options, resolved, done, blocked } = outcome;
  const { denial, ineffective } = outcome.evaluation;
  const { entry } = context;
  entry.resources = noResourcesKnown();
  delete entry.retryState;
  const reasons = conditionMessages(outcome, denial);
  entry.isBlocked = blocked.length > 0 || denial?.isUnsafe === true;
  const isComplete = reasons.length === 0 && !entry.isBlocked && missing.size === 0;
  const change = blockedChange(subject, entry);
  const trouble = { change, reasons, conditionReason: conditionReason(outcome, denial), ineffective };
  const readiness = readinessStateOf(trouble, skippedEvents(resolved, missing));
  const isIntermediate = isComplete && isSuperseded(entry, done.length);
  const isReported = !isIntermediate && reasons.length === 0 && (isComplete || done.length > 0);
  return {
    service,
    readiness,
    changes: [...skippedIn(subject.desired), ...(isReported ? outcomeEvents(subject, outcome, context) : [])],
    events: eventsOf(subject.service, readiness, trouble),
    recording: isIntermediate
      ? { kind: 'nothing' }
      : { kind: 'reached', isComplete, isForeign: isForeignLoadBalancer(outcome), options },
    next: () => (isIntermediate ? { requeueAfterMs: COALESCE_MS } : nextAfter(subject, outcome, context, deps)),
  };
}

function nextAfter(
  { parsed }: SyncInputs,
  outcome: EvaluatedResult,
  context: ReconcileContext,
  deps: ServiceDeps,
): ReconcileResult {
  // Each change that can end a denial causes a reconcile, so a denied Service needs no retry.
  if (outcome.blocked.length > 0 && outcome.evaluation.denial === undefined) return later(outcome, context, deps);
  return lacksElastic(parsed.options, context.entry) ? { requeueAfterMs: BLOCKED_RETRY_MS } : untilAudit(context, deps);
}

/** Returns when to retry blocked actions. */
function later(outcome: SyncResult, { entry }: ReconcileContext, { clock }: ServiceDeps): ReconcileResult {
  if (needsNoCloudRead(outcome)) return { requeueAfterMs: BLOCKED_RETRY_MS };
  // A change in the cloud can end these blocks, so the next reconcile reads the load balancer and its listeners again.
  if (!keepsCachedState(outcome)) entry.knowledge = invalidate(entry.knowledge, ['load-balancer', 'listeners']);
  recordBlocked(entry, clock.monotonic() + BLOCKED_RETRY_MS);
  return { requeueAfterMs: BLOCKED_RETRY_MS };
}

export function untilAudit({ entry }: ReconcileContext, { clock }: ServiceDeps): ReconcileResult {
  return { requeueAfterMs: Math.max(1, dueInMs(entry, clock.monotonic())) };
}
