import type { Action } from '../../../clb/model/action.ts';
import { isIntentFor, newIntent } from '../../../clb/desired/creation-token.ts';
import { invalidate } from '../../../clb/observe/observe.ts';
import { hasFinalizer, isPublished } from '../../../clb/model/provisioning-evidence.ts';
import type { Clock } from '../../../base/clock.ts';
import { hasReason, PortcullisError } from '../../../base/errors.ts';
import type { Service } from '../../../base/kubernetes-objects.ts';
import type { ServiceState } from '../state/service-state.ts';
import { replacesLabels } from '../state/binding-record.ts';
import { CONSISTENCY_WINDOW_MS, pendingMs } from '../state/pending-operations.ts';

/** The times that decide whether an earlier creation may still take effect. */
interface CreationDeps {
  readonly clock: Clock;
  /** The monotonic time at which this process became the leader. Another process may have made earlier calls. */
  readonly leadingSinceMs: number;
}

type Creation = Extract<Action, { readonly kind: 'create-load-balancer' }>;

/** Returns the action that creates a load balancer; undefined if the plan has none. */
export const creationIn = (actions: readonly Action[]): Creation | undefined =>
  actions.find((action) => action.kind === 'create-load-balancer');

/** Returns the intent of a creation that may have been sent; undefined if the load balancer of the creation is known. */
export const openIntent = (entry: ServiceState): string | undefined => {
  const intent = entry.creation?.intent ?? entry.record.operation?.clientToken;
  return intent === entry.fulfilledIntent ? undefined : intent;
};

/** Returns whether another controller may be creating a load balancer now: the Service has the finalizer, but neither an address nor a record. */
const isBegunByOthers = (service: Service, { record }: ServiceState): boolean =>
  hasFinalizer(service) && !isPublished(service) && !replacesLabels(record);

/** Returns the milliseconds until lists certainly show an earlier creation of any process; 0 without such a creation. */
export function unshownMs(service: Service, entry: ServiceState, { clock, leadingSinceMs }: CreationDeps): number {
  const begunMs = isBegunByOthers(service, entry) ? leadingSinceMs + CONSISTENCY_WINDOW_MS - clock.monotonic() : 0;
  return Math.max(begunMs, pendingMs(entry, clock));
}

/**
 * Returns the milliseconds to wait before a creation. Without the wait, an earlier creation with other attributes could leave a second load balancer.
 */
export function waitFor(service: Service, actions: readonly Action[], entry: ServiceState, deps: CreationDeps): number {
  const creation = creationIn(actions);
  const earlier = openIntent(entry);
  if (creation === undefined) return 0;
  const isSame = earlier !== undefined && isIntentFor(earlier, creation.attributes, creation.tags);
  return isSame ? 0 : unshownMs(service, entry, deps);
}

/** Returns the intent of a creation: the earlier intent if its attributes and tags are equal, otherwise a new intent. */
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
 * Records a successful creation. Invalidates the parts that an earlier process may have created, and the load balancer if the response lacks its
 * address.
 */
export function created(entry: ServiceState, isResumed: boolean): void {
  if (entry.creation !== undefined) entry.fulfilledIntent = entry.creation.intent;
  delete entry.creation;
  const { loadBalancer } = entry.knowledge.observed;
  if (loadBalancer !== undefined) entry.createdId = loadBalancer.id;
  if (isResumed) entry.knowledge = invalidate(entry.knowledge, ['groups', 'listeners']);
  if (loadBalancer?.address === '') entry.knowledge = invalidate(entry.knowledge, ['load-balancer']);
}

/** Returns whether a failed creation may still take effect. False if the cloud rejected the creation. */
export const isUnderWay = (error: unknown): boolean =>
  !(error instanceof PortcullisError) || hasReason(error, 'OutcomeUnknown') || hasReason(error, 'Busy');
