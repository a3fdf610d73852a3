import { parseAnnotations } from '../../../annotation/parse.ts';
import { isHeld, isPublished } from '../../../clb/told.ts';
import type { Clock } from '../../../clock.ts';
import { isServedHere } from '../../../inventory/reuse.ts';
import { keyOf, namespaceOf, type ObjectKey, type Service } from '../../../objects.ts';
import type { Counted, Holdings } from '../../../policy/counted.ts';
import type { QuotaDimension } from '../../../policy/resource.ts';
import { greatest, isWithin, NO_USAGE, takenBy, type Usage } from '../../../policy/usage.ts';
import type { Watched } from '../../../store.ts';
import { OWN, type LoadBalancerRef } from '../../../clb/load-balancer-ref.ts';
import { isGoing } from '../management.ts';
import { NotYetSeen } from './not-yet-seen.ts';

/** Returns whether a Service may have a load balancer, which counts until it is known. */
const isServed = (service: Service): boolean => isHeld(service) || isPublished(service);

const isOurs = (service: Service): boolean =>
  isServed(service) || isServedHere(service, parseAnnotations(service.metadata.annotations));

/** What is counted of a Service. */
interface Stake {
  readonly uid: string;
  /** As it was last let pass; absent where it gets nothing that it does not have. */
  granted?: Service;
  /** Whether nobody has looked at it yet, and it counts as it was found. */
  isAssumed: boolean;
  /** What the cloud was seen to have of it, and on which load balancer; absent for nothing. */
  seen?: { readonly place: LoadBalancerRef; readonly has: Usage };
  /** What it took when its last turn was over. */
  settled: Usage;
}

const newStake = (uid: string): Stake => ({ uid, isAssumed: false, settled: NO_USAGE });

/** What is known of a Service beside what was seen: of its bandwidth nothing any more, once its own load balancer was, as the mirror may be older. */
const beside = ({ seen }: Stake, held: Usage): Usage => (seen?.place === OWN ? { ...held, bandwidth: 0 } : held);

/** Whether all is seen of a Service: it has something, or does not say so. */
const isAllSeen = (service: Service, has: Usage | undefined): boolean => has !== undefined || !isPublished(service);

/**
 * What Services were let have, and what the cloud was seen to have of them, whichever is more: what quotas count. Of two that ask for more at
 * the same time, where there is room for one, the one that comes to its turn first gets it.
 */
export class ServedServices implements Counted {
  readonly #services: Watched<Service>;
  readonly #held: Holdings;
  readonly #stakes = new Map<ObjectKey, Stake>();
  readonly #onChange: ((service: ObjectKey) => void)[] = [];
  readonly #onRoom: ((namespace: string) => void)[] = [];
  readonly #unseen: NotYetSeen | undefined;
  /** Those of which it is not known either whether they have a bandwidth that they do not tell. */
  readonly #bandwidthUnseen: NotYetSeen | undefined;

  /**
   * `held` answers what is known beside what is seen in turns. Without a clock nobody looks at Services, and waits for that: they count as they
   * are stored.
   */
  constructor(services: Watched<Service>, held: Holdings, clock?: Pick<Clock, 'monotonic'>) {
    this.#services = services;
    this.#held = held;
    for (const service of services.values()) this.#look(keyOf(service), service);
    if (clock !== undefined) {
      this.#unseen = new NotYetSeen(this.#served(), clock);
      this.#bandwidthUnseen = new NotYetSeen(this.#served(), clock);
    }
    services.onChange(({ before, after }) => {
      const object = after ?? before;
      if (object !== undefined) this.#look(keyOf(object), after);
    });
  }

  /** Counts a Service from now on as it was judged. */
  admit(judged: Service): void {
    const key = keyOf(judged);
    const service = this.#services.get(key);
    if (service === undefined || !isOurs(service)) return;
    const stake = this.#stakeOf(key, service);
    stake.granted = judged;
    stake.isAssumed = false;
    this.#tell(key);
  }

  /** Counts a Service as it was judged, of which it is known that the cloud has all that it asks for; what bandwidth it has, it need not tell. */
  confirm(judged: Service): void {
    this.admit(judged);
    this.#unseen?.delete(keyOf(judged));
  }

  /** Says that the mirror has become what the cloud has, bandwidth included. */
  mirrored(): void {
    this.#bandwidthUnseen?.clear();
  }

  /** Says that the mirror shows something else of a Service. */
  shown(key: ObjectKey): void {
    this.#rest(key);
  }

  /** Counts nothing of a Service but what there is. */
  refuse(key: ObjectKey): void {
    const stake = this.#stakes.get(key);
    if (stake === undefined) return;
    delete stake.granted;
    stake.isAssumed = false;
    this.#tell(key);
  }

  /** Counts what the cloud was seen to have of a Service in a place; absent for nothing. What was assumed of it counts no more. */
  see(key: ObjectKey, place: LoadBalancerRef, has: Usage | undefined): void {
    const service = this.#services.get(key);
    if (service === undefined) return;
    const stake = this.#stakeOf(key, service);
    if (has === undefined) delete stake.seen;
    else stake.seen = { place, has };
    if (stake.isAssumed) delete stake.granted;
    stake.isAssumed = false;
    this.#tell(key);
    if (isAllSeen(service, has)) this.#isSeen(key);
  }

  /** Whether nobody has looked at a Service yet for which others wait. */
  isUnseen(key: ObjectKey): boolean {
    return this.#unseen?.isWaitedFor(key) === true;
  }

  /** Says that a turn of a Service is over, and that what it takes it goes on taking. */
  settle(key: ObjectKey): void {
    this.#isSeen(key);
    this.#rest(key);
  }

  isKnown(): boolean {
    return this.#services.hasSynced();
  }

  keys(): Iterable<ObjectKey> {
    return this.#stakes.keys();
  }

  isUnsure(dimension: QuotaDimension, butFor: ObjectKey, isConcerned: (namespace: string) => boolean): boolean {
    const all = dimension === 'bandwidth' ? [this.#unseen, this.#bandwidthUnseen] : [this.#unseen];
    return all.some((unseen) => unseen?.has(butFor, isConcerned) === true);
  }

  takes(key: ObjectKey): Usage {
    const [stake, service] = [this.#stakes.get(key), this.#services.get(key)];
    if (stake === undefined || service === undefined) return NO_USAGE;
    const { granted, seen } = stake;
    const has = greatest(seen?.has ?? NO_USAGE, beside(stake, this.#held(service)));
    return granted === undefined ? has : takenBy(granted, { ...has, named: this.#held(granted).named });
  }

  asks(key: ObjectKey): Usage {
    return this.takes(key);
  }

  onChange(handler: (service: ObjectKey) => void): void {
    this.#onChange.push(handler);
  }

  /** Called when a Service of a namespace has gone, or takes less than it took. */
  onRoom(handler: (namespace: string) => void): void {
    this.#onRoom.push(handler);
  }

  /** Called when all Services of a namespace have been looked at that were served before. */
  onSeen(handler: (namespace: string) => void): void {
    this.#unseen?.onEnd(handler);
    this.#bandwidthUnseen?.onEnd(handler);
  }

  /** Those that will be looked at. */
  *#served(): Iterable<ObjectKey> {
    for (const key of this.#stakes.keys()) {
      const service = this.#services.get(key);
      if (service !== undefined && !isGoing(service)) yield key;
    }
  }

  /** What one that is counted asks for beside is counted once it is let pass. */
  #look(key: ObjectKey, service: Service | undefined): void {
    if (service === undefined || isGoing(service)) this.#isSeen(key);
    const known = this.#stakes.get(key);
    if (known !== undefined && (service?.metadata.uid !== known.uid || !isOurs(service))) {
      this.#stakes.delete(key);
      this.#tell(key);
      this.#tellOfRoom(key);
    }
    if (service === undefined || this.#stakes.has(key) || !isServed(service)) return;
    this.#stakes.set(key, { ...newStake(service.metadata.uid), granted: service, isAssumed: true });
    this.#tell(key);
  }

  #stakeOf(key: ObjectKey, { metadata: { uid } }: Service): Stake {
    const known = this.#stakes.get(key);
    if (known?.uid === uid) return known;
    const stake = newStake(uid);
    this.#stakes.set(key, stake);
    return stake;
  }

  #isSeen(key: ObjectKey): void {
    this.#unseen?.delete(key);
    this.#bandwidthUnseen?.delete(key);
  }

  /** What it takes it goes on taking. */
  #rest(key: ObjectKey): void {
    const stake = this.#stakes.get(key);
    if (stake === undefined) return;
    const before = stake.settled;
    stake.settled = this.takes(key);
    if (!isWithin(before, stake.settled)) this.#tellOfRoom(key);
  }

  #tell(key: ObjectKey): void {
    for (const handler of this.#onChange) handler(key);
  }

  #tellOfRoom(key: ObjectKey): void {
    for (const handler of this.#onRoom) handler(namespaceOf(key));
  }
}
