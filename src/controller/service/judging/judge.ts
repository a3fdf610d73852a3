import type { Parsed } from '../../../annotation/parse.ts';
import type { Clock } from '../../../clock.ts';
import { isWhole, type Objections } from '../../../clb/objection.ts';
import type { Facts } from '../../../inventory/facts.ts';
import type { ClassicLoadBalancer, CloudInventory } from '../../../inventory/resource.ts';
import { keyOf, namespaceOf, type KubernetesObject, type ObjectKey, type Service } from '../../../objects.ts';
import type { PolicyBook } from '../../../policy/book.ts';
import { NO_FILLINGS, type Filling } from '../../../policy/defaults.ts';
import { holdersConcerned } from '../../../policy/held.ts';
import type { PolicySources } from '../../../policy/follow.ts';
import { ENFORCE_ALL, WARN_ALL, type Policy } from '../../../policy/policy.ts';
import { isMoreThanStatus, type Watched } from '../../../store.ts';
import { evaluate, isEnforced, policyObjections, UNREAD_OBJECTION, UNREAD_REFUSAL, type Refusal } from './refusal.ts';
import type { Seen } from './seen.ts';
import { ServedServices } from './served-services.ts';

/** Judges stored Services before anything is done for them. */
export interface Judge {
  /** `isNew` for one that nothing says to have a load balancer; see `refusalOf`. One that is let pass is counted by quotas from then on. */
  refusal(service: Service, parsed: Parsed, isNew: boolean): Refusal | undefined;
  /** Returns the violations without effect of a Service that is not denied, a sentence each. */
  ineffective(service: Service, parsed: Parsed): readonly string[];
  /** What policies have against a Service, given what has been read of the cloud for it. */
  objections(service: Service, parsed: Parsed, seen: Seen): Objections;
  /** What policies would give a Service that says nothing of it, if it were new: nothing, where a webhook was asked about it. */
  defaultsFor(service: Service): readonly Filling[];
  /** Whether a tunable rule refuses a Service; not where a policy or an exception lets it warn. */
  enforces(service: Service, rule: string): boolean;
  /** Returns whether another policy could change the decision on a Service: admit it, apply a default, or deny instead of warn. */
  isWaiting(key: ObjectKey): boolean;
  /** Says that a Service has all that it asks for. */
  confirm(service: Service): void;
  /** Says what there is of a Service at the end of a turn, and whether anything that it asks for was not done. */
  conclude(service: Service, seen: Seen, isWithheld: boolean): void;
  /** Whether nobody has looked yet at what there is of a Service, so that others wait to know. */
  isUnseen(service: Service): boolean;
  /** Says that the turn of a Service is over for which nothing may be done, and that what there is of it was looked at. */
  passOver(service: Service): void;
  /** Says what there is of a Service. */
  see(service: Service, seen: Seen): void;
  /** Those that may pass now, because policies were read at last, one or an exception has changed, or a Service that quotas count takes less. */
  onReprieve(handler: (keys: readonly ObjectKey[]) => void): void;
}

export interface JudgeParts {
  readonly services: Watched<Service>;
  /** Absent where there are none to be followed. The book is told of every change before the judge is. */
  readonly policies?: Pick<PolicySources, 'policies' | 'exceptions' | 'namespaces'> & { readonly book: PolicyBook };
  readonly facts: Facts;
  /** Where there are no policies: every tunable rule warns, and what the webhook lets pass is carried out. */
  readonly warnOnly: boolean;
  /** Of who carries out: new Services wait until those that are served have been looked at. Absent where nobody looks at them. */
  readonly clock?: Pick<Clock, 'monotonic'>;
  /** What the inventory shows of Services, for who carries out. */
  readonly mirror?: Mirror;
}

interface Mirror {
  readonly classicLoadBalancers: Watched<ClassicLoadBalancer>;
  readonly cloudInventories: Watched<CloudInventory>;
}

/** Tells what is counted of Services whenever the mirror shows something else of them, and when it is complete again. */
function follow(
  { classicLoadBalancers, cloudInventories }: Mirror,
  services: Watched<Service>,
  served: ServedServices,
): void {
  classicLoadBalancers.onChange((change) => {
    for (const service of holdersConcerned(change, services)) served.shown(service);
  });
  cloudInventories.onChange(({ before, after }) => {
    if (after?.status !== undefined && after.status.observedAt !== before?.status?.observedAt) served.mirrored();
  });
}

const ALWAYS_READ: Pick<Court, 'isRead' | 'onRead'> = { isRead: () => true, onRead: () => undefined };

/** By the policies of the cluster. */
export function createJudge({ services, policies, facts, warnOnly, clock, mirror }: JudgeParts): Judge {
  if (policies === undefined)
    return judgeBy({ policy: warnOnly ? WARN_ALL : ENFORCE_ALL, facts, services, sources: [], ...ALWAYS_READ });
  const { book, exceptions, namespaces } = policies;
  const served = new ServedServices(services, (service) => book.held(service), clock);
  const policy = book.counting(served);
  if (mirror !== undefined) follow(mirror, services, served);
  const isRead = (): boolean => warnOnly || policies.policies.hasSynced();
  const onRead = (handler: () => void): void => policies.policies.onSynced(handler);
  const sources = [policies.policies, exceptions, namespaces];
  const shareQuota = (one: string, other: string): boolean => {
    const { shared } = book.setFor(one);
    return shared.length > 0 && book.setFor(other).shared.some((quota) => shared.includes(quota));
  };
  return {
    ...judgeBy({ policy, facts, services, served, shareQuota, sources, isRead, onRead }),
    defaultsFor: (service) => book.fillingsFor(service, facts).filled,
  };
}

interface Court extends Pick<JudgeParts, 'services' | 'facts'> {
  readonly policy: Policy;
  readonly served?: ServedServices;
  /** Whether a quota counts two namespaces together. */
  readonly shareQuota?: (one: string, other: string) => boolean;
  /** What may let something pass when it changes. */
  readonly sources: readonly Pick<Watched<KubernetesObject>, 'onChange'>[];
  /** Whether it is known what policies there are: as long as it is not, nothing is permitted that any might forbid. */
  readonly isRead: () => boolean;
  /** Tells of the moment from which it is. */
  readonly onRead: (handler: () => void) => void;
}

function judgeBy(court: Court): Judge {
  const { policy, facts, services, served, isRead } = court;
  const waiting = new Map<ObjectKey, Wait>();
  /** Those for which nothing is done, whatever policies say. */
  const refused = new Set<ObjectKey>();
  services.onChange(({ before, after }) => {
    if (before === undefined || after !== undefined) return;
    waiting.delete(keyOf(before));
    refused.delete(keyOf(before));
  });
  return {
    refusal: (service, parsed, isNew) => {
      const key = keyOf(service);
      waiting.delete(key);
      const found = evaluate(service, parsed, { facts, policy, isNew });
      const refusal = found.refusal ?? (isNew && !isRead() ? UNREAD_REFUSAL : undefined);
      if (refusal?.isByPolicy === true) waiting.set(key, 'room');
      else if (found.isTunable) waiting.set(key, 'tuning');
      if (refusal === undefined) refused.delete(key);
      else refused.add(key);
      if (isNew && refusal === undefined) served?.admit(service);
      else if (isNew) served?.refuse(key);
      return refusal;
    },
    // Evaluated again and not kept: the texts of thousands of Services would take much memory.
    ineffective: (service, parsed) => evaluate(service, parsed, { facts, policy }).ineffective,
    objections: (service, parsed, seen) => {
      const key = keyOf(service);
      const { has, place } = seen;
      served?.see(key, place, has);
      const all = isRead() ? policyObjections(service, parsed, { facts, policy, seen }) : [UNREAD_OBJECTION];
      if (all.length > 0) waiting.set(key, 'room');
      const isWithheld = has === undefined ? all.some(isWhole) : all.some(({ about }) => about.includes('listeners'));
      if (isWithheld || refused.has(key)) served?.refuse(key);
      else served?.admit(service);
      return { isNew: has === undefined, all };
    },
    isWaiting: (key) => waiting.has(key),
    enforces: (service, rule) => isEnforced(service, rule, policy),
    defaultsFor: () => NO_FILLINGS.filled,
    confirm: (service) => served?.confirm(service),
    conclude: (service, { place, has }, isWithheld) => {
      const key = keyOf(service);
      served?.see(key, place, has);
      if (isWithheld) served?.refuse(key);
      served?.settle(key);
    },
    passOver: (service) => served?.settle(keyOf(service)),
    see: (service, { place, has }) => served?.see(keyOf(service), place, has),
    isUnseen: (service) => served?.isUnseen(keyOf(service)) === true,
    onReprieve: (handler) => tellOfReprieves(waiting, court, handler),
  };
}

/** What a Service waits for. `tuning`: a change of a policy or exception. `room`: that, or a lower quota usage of other Services. */
type Wait = 'tuning' | 'room';

function tellOfReprieves(
  waiting: ReadonlyMap<ObjectKey, Wait>,
  { sources, onRead, served, shareQuota }: Court,
  handler: (keys: readonly ObjectKey[]) => void,
): void {
  const wake = (isConcerned: (key: ObjectKey, wait: Wait) => boolean = () => true): void => {
    const keys = [...waiting].flatMap(([key, wait]) => (isConcerned(key, wait) ? [key] : []));
    if (keys.length > 0) handler(keys);
  };
  for (const source of sources) {
    source.onChange((change) => {
      if (waiting.size > 0 && isMoreThanStatus(change)) wake();
    });
  }
  onRead(() => wake());
  const wakeBeside = (namespace: string): void =>
    wake((key, wait) => {
      const other = namespaceOf(key);
      return wait === 'room' && (other === namespace || shareQuota?.(namespace, other) === true);
    });
  served?.onRoom(wakeBeside);
  served?.onSeen(wakeBeside);
}
