import type { GroupClaim } from '../clb/guards/foreign-groups.ts';
import { keyOf, type ObjectKey, type Service } from '../base/kubernetes-objects.ts';
import type { Store } from '../base/cache-interfaces.ts';
import { groupBlockIn } from './load-balancer-ready-condition.ts';
import { SERVICES_BY_SERVER_GROUP, groupIndexKey, groupIndexKeys } from './reuse-index.ts';

/** The creation time of a Service that is only in a manifest. The text sorts after every time, because this Service will be the newest. */
const NOT_CREATED = '~';

type Identity = Pick<GroupClaim, 'since' | 'uid' | 'isBlocked'>;

const identityOf = (service: Service): Identity => ({
  since: service.metadata.creationTimestamp ?? NOT_CREATED,
  uid: service.metadata.uid,
  isBlocked: groupBlockIn(service) !== undefined,
});

/** Returns the claim of a Service, or an empty list if the Service is being deleted. */
const claimOf = ({ metadata }: Service, identity: Identity): readonly GroupClaim[] =>
  metadata.deletionTimestamp === undefined ? [{ namespace: metadata.namespace, name: metadata.name, ...identity }] : [];

/**
 * Returns the claims of Services on a user-managed server group. The oldest claim decides which namespace may use the group. `services` needs
 * `REUSE_INDEX`.
 */
export const groupClaims = (
  services: Pick<Store<Service>, 'byIndex'>,
  loadBalancerId: string,
  group: string,
): readonly GroupClaim[] =>
  services
    .byIndex(SERVICES_BY_SERVER_GROUP, groupIndexKey(loadBalancerId, group))
    .flatMap((service) => claimOf(service, identityOf(service)));

/** The claims of Services in manifests. `portcullis lint` uses this class, because only caches have an index. */
export class ClaimedGroups {
  readonly #claims = new Map<string, Map<ObjectKey, readonly GroupClaim[]>>();
  readonly #indexKeys = new Map<ObjectKey, readonly string[]>();
  readonly #identities = new Map<ObjectKey, Identity>();

  /** Adds or replaces a Service. A manifest without a creation time keeps the age of an earlier Service of that name. */
  add(service: Service): void {
    const key = keyOf(service);
    const known = this.#identities.get(key);
    const identity = service.metadata.creationTimestamp === undefined && known ? known : identityOf(service);
    for (const indexKey of this.#indexKeys.get(key) ?? []) this.#claims.get(indexKey)?.delete(key);
    const keys = groupIndexKeys(service);
    for (const indexKey of keys) {
      const claims = this.#claims.get(indexKey) ?? new Map<ObjectKey, readonly GroupClaim[]>();
      this.#claims.set(indexKey, claims.set(key, claimOf(service, identity)));
    }
    this.#indexKeys.set(key, keys);
    this.#identities.set(key, identity);
  }

  /** Returns the claims on a server group. */
  on(loadBalancerId: string, group: string): readonly GroupClaim[] {
    return [...(this.#claims.get(groupIndexKey(loadBalancerId, group))?.values() ?? [])].flat();
  }
}
