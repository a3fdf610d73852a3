import type { GroupClaim } from '../clb/group-owner.ts';
import { keyOf, type ObjectKey, type Service } from '../objects.ts';
import type { Store } from '../store.ts';
import { groupBlockIn } from './refused.ts';
import { SERVICES_BY_SERVER_GROUP, groupPlace, groupPlaces } from './reuse.ts';

/** Sorts after every time: a Service that is in a manifest only is not created yet. */
const NOT_CREATED = '~';

type Identity = Pick<GroupClaim, 'since' | 'uid' | 'isBlocked'>;

const identityOf = (service: Service): Identity => ({
  since: service.metadata.creationTimestamp ?? NOT_CREATED,
  uid: service.metadata.uid,
  isBlocked: groupBlockIn(service) !== undefined,
});

/** Returns the claim of a Service that names a group; one that is being deleted adds nothing. */
const claimOf = ({ metadata }: Service, identity: Identity): readonly GroupClaim[] =>
  metadata.deletionTimestamp === undefined ? [{ namespace: metadata.namespace, name: metadata.name, ...identity }] : [];

/** Returns the claims of stored Services on a server group of a load balancer. `services`: with `REUSE_INDEX`. */
export const groupClaims = (
  services: Pick<Store<Service>, 'byIndex'>,
  loadBalancerId: string,
  group: string,
): readonly GroupClaim[] =>
  services
    .byIndex(SERVICES_BY_SERVER_GROUP, groupPlace(loadBalancerId, group))
    .flatMap((service) => claimOf(service, identityOf(service)));

/** The claims of Services that are added one after the other, where no cache has them. */
export class ClaimedGroups {
  readonly #claims = new Map<string, Map<ObjectKey, readonly GroupClaim[]>>();
  readonly #places = new Map<ObjectKey, readonly string[]>();
  readonly #identities = new Map<ObjectKey, Identity>();

  /** Adds a Service, or replaces it: what a manifest changes keeps its age. */
  add(service: Service): void {
    const key = keyOf(service);
    const known = this.#identities.get(key);
    const identity = service.metadata.creationTimestamp === undefined && known ? known : identityOf(service);
    for (const place of this.#places.get(key) ?? []) this.#claims.get(place)?.delete(key);
    const places = groupPlaces(service);
    for (const place of places) {
      const claims = this.#claims.get(place) ?? new Map<ObjectKey, readonly GroupClaim[]>();
      this.#claims.set(place, claims.set(key, claimOf(service, identity)));
    }
    this.#places.set(key, places);
    this.#identities.set(key, identity);
  }

  on(loadBalancerId: string, group: string): readonly GroupClaim[] {
    return [...(this.#claims.get(groupPlace(loadBalancerId, group))?.values() ?? [])].flat();
  }
}
