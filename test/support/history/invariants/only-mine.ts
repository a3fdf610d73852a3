import type { Service } from '../../../../src/objects.ts';
import type { Invariant, JournalEntry, LoadBalancerPicture, Violation } from '../moment.ts';
import { isOurWrite, isOwnedBy, serviceNamed, Services } from '../ownership.ts';

const ON_LISTENER = /Listener(?:Attribute)?$/;

/** The Services that have, or had, something to do with a load balancer. */
const usersOf = (target: LoadBalancerPicture, services: Services): readonly Service[] =>
  services.known.filter((service) => services.isUser(service, target));

/** Whether a listener that is there may be changed: ours by its description, or given to us. */
function isOurListener({ parameters }: JournalEntry, target: LoadBalancerPicture, services: Services): boolean {
  const there = target.listeners.filter(({ port }) => port === Number(parameters['ListenerPort']));
  if (there.every(({ description }) => serviceNamed(description) !== undefined)) return true;
  return usersOf(target, services).some((service) => isOwnedBy(target, service) || services.overrode(service));
}

/** Whether a group that is there may be changed: ours by its name, or one that a Service names. */
function isOurGroup(call: JournalEntry, target: LoadBalancerPicture): boolean {
  const group = target.groups.find(({ id }) => id === call.parameters['VServerGroupId']);
  if (group === undefined || serviceNamed(group.name) !== undefined) return true;
  // In a person's own group, backends are ours to add and take out; which of them is told by their description.
  return call.action !== 'DeleteVServerGroup' && call.parameters['VServerGroupName'] === undefined;
}

function faultOf(call: JournalEntry, target: LoadBalancerPicture, services: Services): string | undefined {
  const users = usersOf(target, services);
  if (users.length === 0) return `${target.id}, which no Service owns or names`;
  if (call.action === 'DeleteLoadBalancer' && !users.some((service) => isOwnedBy(target, service)))
    return `${target.id}, which was not made for a Service`;
  if (ON_LISTENER.test(call.action) && !isOurListener(call, target, services))
    return `listener ${call.parameters['ListenerPort'] ?? ''} of ${target.id}, which is somebody's`;
  if (call.action.includes('VServerGroup') && !isOurGroup(call, target))
    return `group ${call.parameters['VServerGroupId'] ?? ''} of ${target.id}, which is somebody's`;
  return undefined;
}

export const onlyMine: Invariant = {
  name: 'OnlyMine',
  says: 'every changing call is about something that is ours, or that a Service has given us',
  check(history, { judged }) {
    const services = new Services();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (moment.kind !== 'sent' || !isOurWrite(moment.call) || moment.target === undefined) return;
      if (moment.call.action === 'CreateLoadBalancer') return;
      judged();
      const fault = faultOf(moment.call, moment.target, services);
      if (fault !== undefined) violations.push({ at, found: `${moment.call.action} was sent about ${fault}` });
    });
    return violations;
  },
};
