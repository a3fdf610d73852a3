import type { Service } from '../../../../src/objects.ts';
import type { Invariant, JournalEntry, LoadBalancerPicture, Violation } from '../moment.ts';
import { isOurWrite, serviceNamed, Services, wantsLoadBalancer } from '../ownership.ts';

const CHANGES = /^(?:Set|Delete|Stop)LoadBalancer.*Listener/;

const wantsPort = (service: Service | undefined, port: number): boolean =>
  service !== undefined && wantsLoadBalancer(service) && (service.spec?.ports ?? []).some((one) => one.port === port);

/** The Services that a call puts a listener at the disposal of: as its new description or its group says. */
function takersOf({ parameters }: JournalEntry, { groups }: LoadBalancerPicture): readonly string[] {
  const group = groups.find(({ id }) => id === parameters['VServerGroupId']);
  return [parameters['Description'] ?? '', group?.name ?? ''].flatMap((name) => serviceNamed(name) ?? []);
}

export const portOwner: Invariant = {
  name: 'PortOwner',
  says: 'a listener of one Service is never taken by another while the first wants its port',
  check(history, { judged }) {
    const services = new Services();
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (moment.kind !== 'sent' || !isOurWrite(moment.call) || moment.target === undefined) return;
      const { call, target } = moment;
      if (!CHANGES.test(call.action)) return;
      const port = Number(call.parameters['ListenerPort']);
      const listeners = target.listeners.filter((one) => one.port === port);
      for (const { description } of listeners) {
        const owner = serviceNamed(description);
        if (owner === undefined || !wantsPort(services.named(owner), port)) continue;
        judged();
        const taker = takersOf(call, target).find((other) => other !== owner);
        if (taker !== undefined) violations.push({ at, found: `${taker} takes port ${port}, which is of ${owner}` });
      }
    });
    return violations;
  },
};
