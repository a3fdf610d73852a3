import type { Action } from '../../../clb/model/action.ts';
import { isIntentFor, newIntent } from '../../../clb/desired/creation-token.ts';
import { invalidate } from '../../../clb/observe/observe.ts';
import { hasFinalizer } from '../../../clb/model/service-status.ts';
import type { Clock } from '../../../base/clock.ts';
import { hasReason, PortcullisError } from '../../../base/errors.ts';
import type { Service } from '../../../base/objects.ts';
import type { ServiceState } from '../state/cache.ts';
import { hasRecord } from '../state/binding-record.ts';
import { CONSISTENCY_WINDOW_MS, pendingMs } from '../state/pending-operations.ts';

/** What is known of time where it matters what has become of a creation. */
interface CreationDeps {
  readonly clock: Clock;
  /** When this process began to lead, by the monotonic clock: before that, others may have made calls. */
  readonly leadingSinceMs: number;
}

type Creation = Extract<Action, { readonly kind: 'create-load-balancer' }>;

export const creationIn = (actions: readonly Action[]): Creation | undefined =>
  actions.find((action) => action.kind === 'create-load-balancer');

/** The intent of a creation that may have been sent and of which nobody knows that it is over. */
export const openIntent = (entry: ServiceState): string | undefined => {
  const intent = entry.creation?.intent ?? entry.record.operation?.clientToken;
  return intent === entry.fulfilledIntent ? undefined : intent;
};

/** Whether somebody else has begun to look after a Service, who tells of nothing but its end: it may be creating a load balancer just now. */
const isBegunByOthers = (service: Service, { record }: ServiceState): boolean =>
  hasFinalizer(service) && !hasRecord(record);

/** Milliseconds until it is certain that a creation which this process or one before it has begun would show; 0 if there was none. */
export function unshownMs(service: Service, entry: ServiceState, { clock, leadingSinceMs }: CreationDeps): number {
  const begunMs = isBegunByOthers(service, entry) ? leadingSinceMs + CONSISTENCY_WINDOW_MS - clock.monotonic() : 0;
  return Math.max(begunMs, pendingMs(entry, clock));
}

/** Milliseconds to wait: a second load balancer must not be wished for while a first, different one may yet appear. */
export function waitFor(service: Service, actions: readonly Action[], entry: ServiceState, deps: CreationDeps): number {
  const creation = creationIn(actions);
  const earlier = openIntent(entry);
  if (creation === undefined) return 0;
  const isSame = earlier !== undefined && isIntentFor(earlier, creation.attributes, creation.tags);
  return isSame ? 0 : unshownMs(service, entry, deps);
}

/** The intent to create under: that of a try before, if it was for the same; else a new one. */
export function chooseIntent(service: Service, { attributes, tags }: Creation, entry: ServiceState): string {
  const earlier = openIntent(entry);
  if (earlier !== undefined && isIntentFor(earlier, attributes, tags)) {
    entry.creation ??= { intent: earlier, isFresh: false };
    return earlier;
  }
  const intent = newIntent(attributes, tags, service.metadata.resourceVersion);
  entry.creation = { intent, isFresh: true };
  return intent;
}

/**
 * A creation has succeeded. What a load balancer holds that an earlier process may have made is then to be read, and its address where
 * the answer has not told it.
 */
export function created(entry: ServiceState, isResumed: boolean): void {
  if (entry.creation !== undefined) entry.fulfilledIntent = entry.creation.intent;
  delete entry.creation;
  const { loadBalancer } = entry.knowledge.observed;
  if (loadBalancer !== undefined) entry.createdId = loadBalancer.id;
  if (isResumed) entry.knowledge = invalidate(entry.knowledge, ['groups', 'listeners']);
  if (loadBalancer?.address === '') entry.knowledge = invalidate(entry.knowledge, ['load-balancer']);
}

/** Whether a creation that has failed may yet take effect: unless it was refused. */
export const isUnderWay = (error: unknown): boolean =>
  !(error instanceof PortcullisError) || hasReason(error, 'OutcomeUnknown') || hasReason(error, 'Busy');
