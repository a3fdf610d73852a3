import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import { Backends } from '../certain-backends.ts';
import type { GroupPicture, Invariant, LoadBalancerPicture, Violation } from '../moment.ts';
import { annotationOf, isOurWrite, serviceNamed, Services, wantsLoadBalancer } from '../ownership.ts';
import { groupIn } from '../call-parameters.ts';

/** Milliseconds within which a process observes a write and finishes its running work. */
const HEARD_MS = 5_000;

const isDeleting = ({ metadata }: Service, services: Services): boolean =>
  services.bindingOf(metadata.uid)?.spec.operation?.type === 'Cleanup';

/** Returns the Service in the name of a group or backend, if the Service still has the port in the name. */
function serviceOf(name: string, services: Services): Service | undefined {
  const [, reached = ''] = name.split('/');
  const service = services.named(serviceNamed(name) ?? '');
  const ports = service?.spec?.ports ?? [];
  // Another Service can have a port that this Service no longer has.
  const isReached = ports.some((one) => [one.nodePort, one.targetPort ?? one.port].map(String).includes(reached));
  return service !== undefined && isReached && wantsLoadBalancer(service) && !isDeleting(service, services)
    ? service
    : undefined;
}

/** Returns the Service for which a group was created. Undefined if the Service now uses user-managed groups. */
function madeFor({ name }: GroupPicture, services: Services): Service | undefined {
  const service = serviceOf(name, services);
  return service === undefined || annotationOf(service, 'vgroup-port') !== undefined ? undefined : service;
}

/** Returns the Service whose published address sends traffic to a user-managed group, if the Service has no other group on this load balancer. */
function reliedOnBy(
  { id, backends }: GroupPicture,
  target: LoadBalancerPicture,
  services: Services,
): Service | undefined {
  const [name = '', ...others] = new Set(backends.map(({ description = '' }) => description));
  const service = others.length === 0 ? serviceOf(name, services) : undefined;
  const isReached = service?.status?.loadBalancer?.ingress?.some(({ ip }) => ip === target.address) === true;
  const isUsed = target.listeners.some(({ groupId }) => groupId === id);
  const isElsewhere = target.groups.some((group) => group.backends.some(({ description }) => description === name));
  return isReached && isUsed && !isElsewhere ? service : undefined;
}

/** An empty server group stops the traffic of its port. */
export const emptyServerGroup: Invariant = {
  name: 'EmptyServerGroup',
  statement: 'a group for a port of a Service is emptied only if no backend must be in it',
  check(history, { evaluated }) {
    const services = new Services();
    const backends = new Backends();
    /** The groups at the arrival of a call, by the number of the call. */
    const filled = new Map<number, GroupPicture>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      backends.pass(moment);
      if ((moment.kind !== 'sent' && moment.kind !== 'ended') || !isOurWrite(moment.call)) return;
      const { call, target } = moment;
      if (!call.action.endsWith('VServerGroupBackendServers')) return;
      const group = groupIn(call, target);
      if (group === undefined || target === undefined) return;
      if (moment.kind === 'sent') {
        if (group.backends.length > 0) filled.set(call.n, group);
        return;
      }
      const before = filled.get(call.n);
      if (group.backends.length > 0 || before === undefined) return;
      evaluated();
      const isMade = serviceNamed(group.name) !== undefined;
      const service = isMade ? madeFor(group, services) : reliedOnBy(before, target, services);
      if (service === undefined) return;
      const left = backends.plainFor(service, Date.parse(call.time) - HEARD_MS);
      if (left !== undefined)
        violations.push({ at, found: `${group.name} was emptied, although ${left} must be a backend` });
    });
    return violations;
  },
};
