import type { Service } from '../../../../src/objects.ts';
import { Backends } from '../backends.ts';
import type { GroupPicture, Invariant, LoadBalancerPicture, Violation } from '../moment.ts';
import { isOurWrite, serviceNamed, Services, wantsLoadBalancer } from '../ownership.ts';

/** Milliseconds in which a process has heard of what is stored, and what it was about to do is done. */
const HEARD_MS = 5_000;

const groupIn = (target: LoadBalancerPicture | undefined, id: string | undefined): GroupPicture | undefined =>
  target?.groups.find((group) => group.id === id);

/** The Service that has the port for which a group is; what any other is reached by there may be another's by now. */
function serviceOf({ name }: GroupPicture, services: Services): Service | undefined {
  const [, reached = ''] = name.split('/');
  const service = services.named(serviceNamed(name) ?? '');
  const ports = service?.spec?.ports ?? [];
  const isReached = ports.some((one) => [one.nodePort, one.targetPort ?? one.port].map(String).includes(reached));
  return service !== undefined && isReached && wantsLoadBalancer(service) ? service : undefined;
}

export const neverEmptyByMistake: Invariant = {
  name: 'NeverEmptyByMistake',
  says: 'a group for a port of a Service becomes empty only while the Service has nothing that plainly has to be in it',
  check(history, { judged }) {
    const services = new Services();
    const backends = new Backends();
    /** Groups as they were when a call arrived, by its number. */
    const filled = new Set<number>();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      backends.pass(moment);
      if ((moment.kind !== 'sent' && moment.kind !== 'ended') || !isOurWrite(moment.call)) return;
      const { call, target } = moment;
      if (!call.action.endsWith('VServerGroupBackendServers')) return;
      const group = groupIn(target, call.parameters['VServerGroupId']);
      if (group === undefined) return;
      if (moment.kind === 'sent') {
        if (group.backends.length > 0) filled.add(call.n);
        return;
      }
      if (group.backends.length > 0 || !filled.has(call.n)) return;
      judged();
      const service = serviceOf(group, services);
      if (service === undefined) return;
      const left = backends.plainFor(service, Date.parse(call.time) - HEARD_MS);
      if (left !== undefined)
        violations.push({ at, found: `${group.name} was emptied although ${left} is to be in it` });
    });
    return violations;
  },
};
