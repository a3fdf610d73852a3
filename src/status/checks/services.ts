import { keyOf, type Service } from '../../base/kubernetes-objects.ts';
import { LOAD_BALANCER_READY } from '../../inventory/load-balancer-ready-condition.ts';
import { wantsLoadBalancer } from '../../rules/engine/subject.ts';
import { valueOf } from '../read-result.ts';
import type { StatusFacts } from '../facts.ts';
import { counted } from '../../base/counted.ts';
import { someOf, unreadLine, type StatusLine } from '../line.ts';
import { remedyOf } from '../remedies.ts';

/** The time within which a new Service usually becomes ready, in milliseconds. */
const PENDING_MS = 120_000;
/** The reason of Services without a condition. */
const PENDING = 'Pending';

/** Returns the condition of a Service that reports the state of its load balancer. */
export const readinessOf = ({ status }: Service) =>
  status?.conditions?.find(({ type }) => type === LOAD_BALANCER_READY);

/** Returns the reason why a Service is not ready. Returns undefined for a ready Service, and for a new Service without a condition. */
function reasonOf(service: Service, now: number): string | undefined {
  const condition = readinessOf(service);
  if (condition !== undefined) return condition.status === 'True' ? undefined : condition.reason;
  return now - Date.parse(service.metadata.creationTimestamp ?? '') > PENDING_MS ? PENDING : undefined;
}

/** The Services that are not ready, for one reason. */
interface UnreadyServices {
  readonly reason: string;
  readonly services: readonly string[];
  readonly remedy: string;
}

function unreadyIn(services: readonly Service[], now: number): readonly UnreadyServices[] {
  const byReason = Map.groupBy(services, (service) => reasonOf(service, now) ?? '');
  byReason.delete('');
  return [...byReason]
    .map(([reason, all]) => ({ reason, services: all.map(keyOf), remedy: remedyOf(reason) }))
    .toSorted((one, other) => other.services.length - one.services.length);
}

/** Returns the line `services` of `portcullis status`: the number of ready Services, and the unready Services by reason with a remedy. */
export function servicesLine({ services, now }: StatusFacts): StatusLine {
  const name = 'services';
  const unread = unreadLine(name, [services]);
  if (unread !== undefined) return unread;
  const ours = (valueOf(services) ?? []).filter(wantsLoadBalancer);
  const ready = ours.filter((service) => readinessOf(service)?.status === 'True').length;
  const unready = unreadyIn(ours, now);
  return {
    ...{ name, level: unready.length > 0 ? 'wrong' : 'ok' },
    text:
      ours.length === 0 ? 'none' : `${ready} of ${counted(ours.length, 'Service')} ${ready === 1 ? 'is' : 'are'} ready`,
    details: unready.map(
      ({ reason, services: keys, remedy }) => `${reason} (${keys.length}): ${someOf(keys)} → ${remedy}`,
    ),
    ...(unready.length > 0 ? { remedy: 'portcullis status service NAME -n NAMESPACE shows one Service' } : {}),
    data: { total: ours.length, ready, unready },
  };
}
