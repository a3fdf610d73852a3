import { parseAnnotations } from '../annotation/parse.ts';
import {
  listenedTo,
  listenersOf,
  madeFor,
  madeForIt,
  mayHaveOne,
  servicesShown,
  type MadeForMirror,
} from '../inventory/made-for.ts';
import type { ClassicLoadBalancer, ClassicLoadBalancerStatus } from '../inventory/resource.ts';
import { SERVICES_BY_LOAD_BALANCER } from '../inventory/reuse.ts';
import { keyOf, objectKey, type ObjectKey, type Service } from '../objects.ts';
import type { Change, Watched } from '../store.ts';
import { bandwidthAsked, bandwidthReused, type Held } from './usage.ts';

/** The mirror, by `MADE_FOR_INDEX` and by id. */
export interface HoldingMirror extends MadeForMirror {
  get(id: ObjectKey): { readonly status?: ClassicLoadBalancerStatus | undefined } | undefined;
}

/** What the mirror shows of the load balancer that a Service names, and what the Service has of its bandwidth, if it listens there. */
function ofNamed(mirror: HoldingMirror, service: Service): Pick<Held, 'named' | 'bandwidth'> {
  const { id, chargeType, bandwidth } = parseAnnotations(service.metadata.annotations).options;
  const status = id === undefined ? undefined : mirror.get(objectKey(id))?.status;
  if (status === undefined) return { bandwidth: 0 };
  const listens = mayHaveOne(service) && listenedTo(mirror, service).some(({ metadata }) => metadata.name === id);
  const has = listens ? bandwidthReused(bandwidthAsked(chargeType, bandwidth), status.bandwidth ?? 0) : 0;
  return { named: status.addressType, bandwidth: has };
}

/**
 * What the mirror shows of a Service: the load balancer that was made for it, and what it has on those that are reused, if it may have any: by
 * their names the listeners there may be those of another that had its name before. Of its own one it shows no listeners.
 */
export function heldByMirror(mirror: HoldingMirror, service: Service): Held {
  const own = madeFor(mirror, keyOf(service), service.status?.loadBalancer?.ingress);
  const { named, bandwidth } = ofNamed(mirror, service);
  return {
    loadBalancers: own === undefined ? 0 : 1,
    publicLoadBalancers: own?.addressType === 'internet' ? 1 : 0,
    listeners: mayHaveOne(service) ? listenersOf(mirror, service) : 0,
    bandwidth: (madeForIt(mirror, service)?.bandwidth ?? 0) + bandwidth,
    named,
  };
}

/**
 * The Services of which that is something else after a change of the mirror: those of which the load balancer shows something, and, where it has
 * become known where it is, those that name it. `services`: with `REUSE_INDEX`.
 */
export function holdersConcerned(
  { before, after }: Change<ClassicLoadBalancer>,
  services: Pick<Watched<Service>, 'byIndex'>,
): ReadonlySet<ObjectKey> {
  const shown = [before, after].flatMap((each) => (each === undefined ? [] : servicesShown(each)));
  const id = (after ?? before)?.metadata.name;
  if (id === undefined || before?.status?.addressType === after?.status?.addressType) return new Set(shown);
  return new Set([...shown, ...services.byIndex(SERVICES_BY_LOAD_BALANCER, id).map(keyOf)]);
}
