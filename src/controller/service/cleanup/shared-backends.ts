import { wantedKey } from '../../../clb/desired/server-group.ts';
import type { Heirs } from '../../../clb/diff/backend-transfer.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import type { Backend } from '../../../clb/model/server-group.ts';
import type { Desired } from '../../../clb/model/state.ts';
import { isHeld } from '../../../clb/model/service-status.ts';
import { keyOf, type Service } from '../../../base/objects.ts';
import { open } from '../sync/sync-inputs.ts';
import { readInputs } from '../inputs.ts';
import type { BindingReader } from '../state/binding-store.ts';
import { recordedId } from '../state/service-metadata.ts';
import { isGoing } from '../management.ts';
import { neighbours } from '../event-handlers.ts';
import type { KubernetesCaches } from '../../port.ts';
import type { ServiceDeps } from '../context.ts';

type HeirDeps = Pick<ServiceDeps, 'settings' | 'selectNodes'> & {
  readonly bindings: BindingReader;
  readonly caches: Pick<KubernetesCaches, 'services' | 'endpointSlices' | 'pods'>;
};

/** Of the Service's own namespace, as it is nobody else's to say what becomes of its backends. */
const isServedHere = (other: Service, service: Service, id: LoadBalancerId, { bindings }: HeirDeps): boolean =>
  other.metadata.namespace === service.metadata.namespace &&
  isHeld(other) &&
  recordedId(other, bindings.recordOf(other)) === id &&
  !isGoing(other);

function wishesOf(other: Service, id: LoadBalancerId, deps: HeirDeps): readonly (readonly [string, Wish])[] {
  const { groups, ignoreWeights } = open(
    readInputs(other, deps.bindings.recordOf(other), deps),
    id,
    deps.settings,
  ).desired;
  return groups.flatMap(({ id: group, backends }) =>
    group === undefined
      ? []
      : backends.map((wanted): readonly [string, Wish] => {
          const { weight, description } = wanted;
          return [`${group} ${wantedKey(wanted)}`, { description, ...(ignoreWeights ? {} : { weight }) }];
        }),
  );
}

type Wish = Partial<Pick<Backend, 'weight'>> & Pick<Backend, 'description'>;

/** The other Services that are served by the same load balancer, as far as they want what this one has in groups of people. */
export function heirsOf(service: Service, { use }: Desired, deps: HeirDeps): Heirs {
  let wishes: ReadonlyMap<string, Wish> | undefined;
  return (group, backend) => {
    if (use.kind === 'owned') return undefined;
    wishes ??= new Map(
      neighbours(use.id, keyOf(service), deps.caches)
        .flatMap((key) => deps.caches.services.get(key) ?? [])
        .filter((other) => isServedHere(other, service, use.id, deps))
        .flatMap((other) => wishesOf(other, use.id, deps)),
    );
    const wish = wishes.get(`${group} ${wantedKey(backend)}`);
    return wish === undefined ? undefined : { weight: backend.weight, ...wish };
  };
}
