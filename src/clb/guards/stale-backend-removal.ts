import type { EndpointSlice, Service } from '../../base/kubernetes-objects.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Action } from '../model/action.ts';
import { batches } from '../diff/server-groups.ts';
import { isOwnName, type Owner } from '../model/naming.ts';
import type { Backend } from '../model/server-group.ts';
import { findGroup, backendsUnknown, type Desired, type Observed } from '../model/desired-and-observed-state.ts';

/** The objects with the current node ports and pod addresses of a Service. */
export interface ServiceEndpoints {
  readonly service: Pick<Service, 'spec'>;
  readonly slices: readonly Pick<EndpointSlice, 'endpoints'>[];
}

/** Returns a test for backends whose node port or pod no longer belongs to the Service. */
function staleBackendIn(desired: Desired, { service, slices }: ServiceEndpoints): (backend: Backend) => boolean {
  const nodePorts = new Set(service.spec?.ports?.map(({ nodePort }) => nodePort));
  const addresses = new Set(slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses: of }) => of)));
  const areKnown = desired.kind === 'absent' || !desired.groups.some(backendsUnknown);
  return (backend) =>
    backend.type === 'ecs' ? !nodePorts.has(backend.port) : areKnown && !addresses.has(backend.serverIp);
}

/** The backends that an action removes from a group, also by deleting the group. */
interface RemovedBackends {
  readonly group: string;
  readonly backends: readonly Backend[];
}

function removedBy(action: Action, owner: Owner, observed: Observed): readonly RemovedBackends[] {
  if (action.kind === 'remove-backends') return [action];
  if (action.kind !== 'delete-server-group') return [];
  const { backends = [] } = findGroup(observed, action.group) ?? {};
  return [{ group: action.group, backends: backends.filter(({ description }) => isOwnName(owner, description)) }];
}

/**
 * Adds the blocked removals of stale backends back to the plan, because a stale backend could send traffic to endpoints of another Service.
 */
export function removeStaleBackends(
  { requested, remaining }: { readonly requested: Plan<Action>; readonly remaining: Plan<Action> },
  desired: Desired,
  observed: Observed,
  endpoints: ServiceEndpoints,
): Plan<Action> {
  const blocked = requested.actions.filter((action) => !remaining.actions.includes(action));
  const isStaleBackend = staleBackendIn(desired, endpoints);
  const alreadyRemoved = new Set(
    remaining.actions.flatMap((action) => (action.kind === 'remove-backends' ? action.backends : [])),
  );
  const removals = blocked
    .flatMap((action) => removedBy(action, desired.owner, observed))
    .flatMap(({ group, backends }) =>
      batches(
        'remove-backends',
        group,
        backends.filter((backend) => isStaleBackend(backend) && !alreadyRemoved.has(backend)),
      ),
    );
  return removals.length === 0 ? remaining : { ...remaining, actions: [...removals, ...remaining.actions] };
}
