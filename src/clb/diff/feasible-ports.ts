import type { VServerGroupId } from '../model/ids.ts';
import { shareAPort, type DesiredListener } from '../model/listener.ts';
import { parseName } from '../model/naming.ts';
import {
  findGroup,
  groupReference,
  referredTo,
  type DesiredGroup,
  type Observed,
  type Present,
} from '../model/desired-and-observed-state.ts';

/** Returns whether the load balancer has a user-managed group with this id. */
const isUserManaged = (id: VServerGroupId, { groups }: Observed): boolean =>
  groups.some((group) => group.id === id && parseName(group.name) === undefined);

/** Returns whether a listener would switch from a group with backends to a group whose pods have no known network interface. */
function switchesToUnknownBackends(
  wanted: DesiredListener,
  group: DesiredGroup | undefined,
  observed: Observed,
): boolean {
  if (group?.missing === undefined || group.backends.length > 0) return false;
  // Also finds a listener of another protocol on the port, because the sync would delete it for the wanted listener.
  const running = observed.listeners.find((listener) => shareAPort(listener, wanted));
  const present = observed.groups.find(({ id }) => id === running?.groupId);
  return present !== undefined && present.backends.length > 0 && findGroup(observed, wanted.group) !== present;
}

function obstacle(listener: DesiredListener, group: DesiredGroup | undefined, observed: Observed): string | undefined {
  const id = group?.id;
  if (id !== undefined && !isUserManaged(id, observed))
    return `server group ${id} is no user-managed server group of load balancer ${observed.loadBalancer?.id ?? ''}; name a user-managed server group in the annotation vgroup-port`;
  if (switchesToUnknownBackends(listener, group, observed))
    return 'no network interface of the pods was found; existing backends stay until the next lookup';
  return undefined;
}

/** Returns the desired state without the ports that the observed state does not allow. These ports become problems. */
export function feasible(desired: Present, observed: Observed): Present {
  const groups = new Map(desired.groups.map((group) => [groupReference(group), group]));
  const problems = desired.listeners.flatMap((listener) => {
    const reason = obstacle(listener, groups.get(listener.group), observed);
    return reason === undefined ? [] : [{ listener, reason }];
  });
  if (problems.length === 0) return desired;
  const infeasible = new Set(problems.map(({ listener }) => listener));
  const listeners = desired.listeners.filter((listener) => !infeasible.has(listener));
  const [used, unused] = [referredTo(listeners), referredTo([...infeasible])];
  return {
    ...desired,
    listeners,
    groups: desired.groups.filter((group) => {
      const reference = groupReference(group);
      return used.has(reference) || !unused.has(reference);
    }),
    problems: [...desired.problems, ...problems.map(({ listener: { port }, reason }) => ({ port, reason }))],
  };
}
