import type {
  BackendPicture,
  Invariant,
  JournalEntry,
  ListenerPicture,
  LoadBalancerPicture,
  Violation,
} from '../moment.ts';
import { isOurWrite, isOwnedBy, keyOf, nameIn, Services } from '../ownership.ts';
import { groupIn, listenersIn, presentIn } from '../call-parameters.ts';

/** A load balancer at the time of a call, with the owners of its parts. */
interface Place {
  readonly target: LoadBalancerPicture;
  readonly isOwned: boolean;
  /** `namespace/name` of the Services that use or used the load balancer. */
  readonly users: ReadonlySet<string>;
  readonly clusterId: string;
}

/** Returns whether a listener or group has the name of a Service. Cleanup may remove such parts on any load balancer. */
const hasNamed = ({ listeners, groups }: LoadBalancerPicture, key: string, clusterId: string): boolean =>
  [...listeners.map(({ description }) => description), ...groups.map(({ name }) => name)].some((text) => {
    const named = nameIn(text);
    return named?.clusterId === clusterId && named.key === key;
  });

function placeOf(target: LoadBalancerPicture, action: string, services: Services, clusterId: string): Place {
  const isRemoval = /^(?:Delete|Remove)/.test(action);
  const users = services.known.filter(
    (service) => services.isUser(service, target) || (isRemoval && hasNamed(target, keyOf(service), clusterId)),
  );
  const isOwned = users.some((service) => isOwnedBy(target, service));
  return { target, isOwned, users: new Set(users.map(keyOf)), clusterId };
}

/** Returns whether a name belongs to a Service of this cluster that uses the load balancer. */
function isOurs(text: string | undefined, { users, clusterId }: Place): boolean {
  const named = nameIn(text ?? '');
  return named?.clusterId === clusterId && users.has(named.key);
}

/** Returns whether the description of a listener names a Service that uses the load balancer. */
function isOurListener({ description, groupId }: ListenerPicture, place: Place): boolean {
  const group = place.target.groups.find(({ id }) => id === groupId);
  // On an owned load balancer, the name of the group replaces a missing name.
  return (
    isOurs(description, place) || (place.isOwned && nameIn(description) === undefined && isOurs(group?.name, place))
  );
}

const memberText = ({ serverId, port }: BackendPicture): string => `${serverId}:${String(port)}`;

/** Returns the violation of a group change. Backends of other owners must stay, in user-managed and in owned groups. */
function groupViolation(call: JournalEntry, place: Place): string | undefined {
  const group = groupIn(call, place.target);
  if (group === undefined) return undefined;
  const isWhole = call.action === 'DeleteVServerGroup' || call.parameters['VServerGroupName'] !== undefined;
  const isOfUser = nameIn(group.name) === undefined && !isWhole;
  if (!isOfUser && !isOurs(group.name, place))
    return `group ${group.id} of ${place.target.id}, which belongs to another owner`;
  const members = call.action === 'DeleteVServerGroup' ? group.backends : presentIn(call, place.target);
  const stranger = members.find(({ description }) => !isOurs(description, place));
  return stranger && `backend ${memberText(stranger)} of ${group.id}, which belongs to another owner`;
}

function violationOf(call: JournalEntry, place: Place): string | undefined {
  const { target, users, isOwned } = place;
  if (users.size === 0) return `${target.id}, which no Service owns or names`;
  if (call.action === 'DeleteLoadBalancer' && !isOwned) return `${target.id}, which was not made for a Service`;
  // The cloud rejects a new listener on an occupied port, so creations cannot damage an existing listener.
  const listeners = call.action.startsWith('Create') ? [] : listenersIn(call, target);
  const stranger = listeners.find((listener) => !isOurListener(listener, place));
  if (stranger !== undefined) return `listener ${stranger.port} of ${target.id}, which belongs to another owner`;
  return groupViolation(call, place);
}

/** A change of another owner's resource interrupts traffic that the controller does not know. */
export const foreignResources: Invariant = {
  name: 'NotOwned',
  statement: 'every changing call is about an owned or referenced resource',
  check(history, { evaluated, clusterId }) {
    const services = new Services();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (moment.kind !== 'sent' || !isOurWrite(moment.call) || moment.target === undefined) return;
      if (moment.call.action === 'CreateLoadBalancer') return;
      evaluated();
      const violation = violationOf(moment.call, placeOf(moment.target, moment.call.action, services, clusterId));
      if (violation !== undefined) violations.push({ at, found: `${moment.call.action} was sent about ${violation}` });
    });
    return violations;
  },
};
