import { wantedKey } from '../../../clb/desired/server-group.ts';
import type { BackendClaims } from '../../../clb/diff/claimed-backend-transfer.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import type { Backend } from '../../../clb/model/server-group.ts';
import type { Desired } from '../../../clb/model/desired-and-observed-state.ts';
import { hasFinalizer } from '../../../clb/model/provisioning-evidence.ts';
import { keyOf, type Service } from '../../../base/kubernetes-objects.ts';
import { gatherInputs } from '../sync/sync-inputs.ts';
import { readInputs } from '../inputs.ts';
import type { BindingReader } from '../state/binding-store.ts';
import { recordedId } from '../state/service-metadata.ts';
import { wantsNoLoadBalancer } from '../management.ts';
import { servicesSharing } from '../event-handlers.ts';
import type { KubernetesCaches } from '../../kubernetes-interface.ts';
import type { ServiceDeps } from '../context.ts';

type BackendClaimDeps = Pick<ServiceDeps, 'settings' | 'selectNodes'> & {
  readonly bindings: BindingReader;
  readonly caches: Pick<KubernetesCaches, 'services' | 'endpointSlices' | 'pods'>;
};

/**
 * Returns whether a load balancer serves another Service of this namespace, because Services of other namespaces must not decide about the backends.
 */
const isServedHere = (other: Service, service: Service, id: LoadBalancerId, { bindings }: BackendClaimDeps): boolean =>
  other.metadata.namespace === service.metadata.namespace &&
  hasFinalizer(other) &&
  recordedId(other, bindings.recordOf(other)) === id &&
  !wantsNoLoadBalancer(other);

/** Returns the backends that another Service wants in the server groups of a load balancer, each with its key. */
function claimsOf(
  other: Service,
  id: LoadBalancerId,
  deps: BackendClaimDeps,
): readonly (readonly [string, BackendClaim])[] {
  const { groups, ignoreWeights } = gatherInputs(
    readInputs(other, deps.bindings.recordOf(other), deps),
    id,
    deps.settings,
  ).desired;
  return groups.flatMap(({ id: group, backends }) =>
    group === undefined
      ? []
      : backends.map((wanted): readonly [string, BackendClaim] => {
          const { weight, description } = wanted;
          return [`${group} ${wantedKey(wanted)}`, { description, ...(ignoreWeights ? {} : { weight }) }];
        }),
  );
}

type BackendClaim = Partial<Pick<Backend, 'weight'>> & Pick<Backend, 'description'>;

/** Returns the claims of other Services on backends. Without claims, a removal could take a backend that another Service needs. */
export function backendClaimsOf(service: Service, { use }: Desired, deps: BackendClaimDeps): BackendClaims {
  let claims: ReadonlyMap<string, BackendClaim> | undefined;
  return (group, backend) => {
    if (use.kind === 'owned') return undefined;
    // Other Services are read only if the plan removes a backend.
    claims ??= new Map(
      servicesSharing(use.id, keyOf(service), deps.caches)
        .flatMap((key) => deps.caches.services.get(key) ?? [])
        .filter((other) => isServedHere(other, service, use.id, deps))
        .flatMap((other) => claimsOf(other, use.id, deps)),
    );
    const claim = claims.get(`${group} ${wantedKey(backend)}`);
    return claim === undefined ? undefined : { weight: backend.weight, ...claim };
  };
}
