import type { Service } from '../../../../src/base/kubernetes-objects.ts';
import type { Invariant, JournalEntry, LoadBalancerPicture, Sent, Violation } from '../moment.ts';
import { isOurWrite, nameIn, serviceNamed, Services, wantsLoadBalancer } from '../ownership.ts';
import { groupIn, listenersIn, listenerPortIn, type ListenerPort } from '../call-parameters.ts';

const wants = (service: Service | undefined, place: ListenerPort): boolean =>
  service !== undefined &&
  wantsLoadBalancer(service) &&
  (service.spec?.ports ?? []).some(({ port, protocol }) => port === place.port && (protocol === 'UDP') === place.isUdp);

/** Returns the Service of this cluster that has the listener of a call. */
const holderIn = (call: JournalEntry, target: LoadBalancerPicture, clusterId: string): string | undefined =>
  listenersIn(call, target).flatMap(({ description }) => {
    const named = nameIn(description);
    return named?.clusterId === clusterId ? [named.key] : [];
  })[0];

/** Returns the Service other than `owner` that takes the listener over, by its new description or its group. */
const takerIn = (call: JournalEntry, target: LoadBalancerPicture, owner: string): string | undefined =>
  [call.parameters['Description'], groupIn(call, target)?.name]
    .flatMap((name) => serviceNamed(name ?? '') ?? [])
    .find((other) => other !== owner);

const placeText = ({ port, isUdp }: ListenerPort): string => `${isUdp ? 'UDP ' : ''}port ${port}`;

/** The owners of ports at each point of a history. */
class Ports {
  /** Service whose wanted listener was deleted for a replacement, by load balancer and port. */
  readonly #away = new Map<string, string>();
  readonly #clusterId: string;

  constructor(clusterId: string) {
    this.#clusterId = clusterId;
  }

  /** Records a call about a listener. Returns the Service that owns the port, if the Service still wants it. */
  pass(call: JournalEntry, target: LoadBalancerPicture, place: ListenerPort, services: Services): string | undefined {
    const path = `${target.id} ${placeText(place)}`;
    const holder = holderIn(call, target, this.#clusterId) ?? this.#away.get(path);
    const owner = holder !== undefined && wants(services.named(holder), place) ? holder : undefined;
    if (owner !== undefined && call.action.startsWith('Delete')) this.#away.set(path, owner);
    else this.#away.delete(path);
    return owner;
  }
}

function violationOf(
  { call, target }: Sent,
  ports: Ports,
  services: Services,
  evaluated: () => void,
): string | undefined {
  const place = listenerPortIn(call);
  if (place === undefined || target === undefined) return undefined;
  const owner = ports.pass(call, target, place, services);
  if (owner === undefined) return undefined;
  evaluated();
  const taker = takerIn(call, target, owner);
  return taker && `${taker} takes ${placeText(place)}, which is of ${owner}`;
}

/** A port that changes its owner sends the traffic of one Service to another Service. */
export const portTakeover: Invariant = {
  name: 'PortUnavailable',
  statement: 'a listener is never changed or deleted for another Service while its owner wants the port',
  check(history, { evaluated, clusterId }) {
    const services = new Services();
    const ports = new Ports(clusterId);
    const violations: Violation[] = [];
    history.forEach((moment, at) => {
      services.pass(moment);
      if (moment.kind !== 'sent' || !isOurWrite(moment.call)) return;
      const found = violationOf(moment, ports, services, evaluated);
      if (found !== undefined) violations.push({ at, found });
    });
    return violations;
  },
};
