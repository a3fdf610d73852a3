import { OWN } from '../../../clb/model/load-balancer-ref.ts';
import { NOTHING_KNOWN, type Knowledge } from '../../../clb/observe/observe.ts';
import { NOT_FOUND, whyNotFound } from '../../../clb/guards/guards.ts';
import { NOTHING_THERE } from '../../../clb/model/state.ts';
import { isPublished } from '../../../clb/model/service-status.ts';
import { ownedByService } from '../../../inventory/owner-index.ts';
import type { Result } from '../../../reconcile/requeue-decision.ts';
import { NONE_MISSING, registeredPods } from '../backends/pods.ts';
import { findBound, type Bound } from './find-bound.ts';
import { mayHaveOne, type Case } from '../sync/sync-inputs.ts';
import { openIntent } from '../sync/creation.ts';
import { idWithoutEffect, tell } from '../status/events.ts';
import type { ServiceInputs } from '../inputs.ts';
import { lookAgain, type Entry } from '../state/cache.ts';
import { publishedAddresses } from '../status/ingress.ts';
import { namedOwn } from '../status/blocked-change.ts';
import { WITHHELD_RETRY_MS } from '../status/conclude.ts';
import { publish, type Ending } from '../status/publish.ts';
import { eventsOf, failureBeside, standingOf, withheldFor } from '../status/readiness-state.ts';
import type { ServiceDeps, Turn } from '../context.ts';
import { onlyBackendsForMs } from '../state/retry.ts';
import { unsettledMs } from '../state/pending-operations.ts';

/** Finds the load balancer that a Service is bound to. Reads nothing for one that never had any, nor while only backends are synced. */
export async function bind(subject: Case, turn: Turn, deps: ServiceDeps): Promise<Bound> {
  const { service, judged, parsed, record } = subject;
  const { bound } = turn.entry;
  // An address that is no longer published is published again only if the load balancer still exists.
  if (record.syncedDigest !== undefined && !isPublished(service)) lookAgain(turn.entry);
  if (bound === undefined && !mayHaveOne(subject, ownedByService(deps.caches.classicLoadBalancers, service)))
    return { ref: subject.ref, isGone: false };
  const isSyncingBackends = onlyBackendsForMs(turn.entry, deps.clock.monotonic()) > 0;
  if (isSyncingBackends && bound !== undefined) return { ref: bound, isGone: false };
  return findBound(subject, turn, deps).catch((error: unknown) => {
    const { denial: refusal } = deps.judge.evaluate(judged, parsed, false);
    throw failureBeside(withheldFor(refusal?.reasons ?? []), error);
  });
}

/** Milliseconds for which a Service that names a load balancer waits until one of its own that was begun would show. */
export const creationInDoubtMs = ({ service, ref }: Case, entry: Entry, deps: ServiceDeps): number =>
  ref === OWN || isPublished(service) || openIntent(entry) === undefined ? 0 : unsettledMs(entry, deps.clock);

/** Records a warning, once, if the annotation `id` names the Service's own load balancer. */
export function reportNamedOwn(inputs: ServiceInputs, entry: Entry, { events }: Pick<ServiceDeps, 'events'>): void {
  const { service } = inputs;
  const id = namedOwn(inputs, entry);
  if (id !== undefined && entry.idIgnored !== id) tell(events, service, idWithoutEffect(id));
  if (id === undefined) delete entry.idIgnored;
  else entry.idIgnored = id;
}

/** What is known of a load balancer that is proven gone. */
const NOTHING_LEFT: Knowledge = { observed: NOTHING_THERE, doubts: new Set() };

/** Reports that the load balancer of a Service no longer exists. */
export async function reportGone(subject: Case, turn: Turn, deps: ServiceDeps): Promise<Result> {
  const { service, slices } = subject;
  const reason = whyNotFound(publishedAddresses(service));
  turn.entry.knowledge = NOTHING_KNOWN;
  turn.entry.isWithheld = true;
  const trouble = { change: undefined, reasons: [reason], word: NOT_FOUND, ineffective: [] };
  const standing = standingOf(trouble, []);
  const ending: Ending = {
    service,
    standing,
    events: eventsOf(service, standing, trouble),
    recording: { kind: 'usage', known: NOTHING_LEFT },
    pods: { slices, missing: NONE_MISSING, ...registeredPods(subject, turn) },
    next: () => ({ requeueAfterMs: WITHHELD_RETRY_MS }),
  };
  return publish(subject, ending, turn, deps);
}
