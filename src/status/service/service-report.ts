import { currentKeyOf } from '../../annotation/deprecated-key-index.ts';
import { isUnderOurPrefixes, suffixOf } from '../../annotation/keys.ts';
import { REASONS, type Reason } from '../../base/errors.ts';
import type { Event, Service } from '../../base/kubernetes-objects.ts';
import { hasFinalizer } from '../../clb/model/provisioning-evidence.ts';
import { controllerSelectors, isManagedByOtherController } from '../../rules/engine/subject.ts';
import { valueOf } from '../read-result.ts';
import { readinessOf } from '../checks/services.ts';
import { durationText, unreadLine, type StatusLine } from '../line.ts';
import { remedyOf } from '../remedies.ts';
import type { StatusReport } from '../report.ts';
import type { ServiceFacts } from './facts.ts';

/** The maximum number of events in a report. */
const MOST_EVENTS = 5;

const portsOf = ({ spec }: Service): string =>
  (spec?.ports ?? []).map(({ port, protocol = 'TCP' }) => `${protocol} ${port}`).join(', ');

/** Returns the annotations of Portcullis, without the prefix of their keys. */
function annotationsOf({ metadata }: Service): readonly string[] {
  const ours = Object.entries(metadata.annotations ?? {}).filter(([key]) => isUnderOurPrefixes(key));
  return ours.map(([key, value]) => {
    const note = currentKeyOf(key) === undefined ? '' : ' (deprecated key)';
    return `${suffixOf(key)}: ${JSON.stringify(value)}${note}`;
  });
}

/** Returns the line `requested`: type, ports and annotations of the Service, and any other controller that serves the Service. */
function requestedLine({ service }: ServiceFacts): StatusLine {
  const { type = 'ClusterIP' } = service.spec ?? {};
  const claims = controllerSelectors(service).map(({ field, value }) => `${field} ${value}`);
  const isOther = type === 'LoadBalancer' && isManagedByOtherController(service);
  const ours = `type ${type}, ports ${portsOf(service)}`;
  return {
    ...{ name: 'requested', level: isOther || type !== 'LoadBalancer' ? 'notice' : 'ok' },
    text: isOther ? `${ours}; another controller serves the Service: ${claims.join(', ')}` : ours,
    details: annotationsOf(service),
    data: { type, annotations: service.metadata.annotations ?? {} },
  };
}

function publishedLine({ service }: ServiceFacts): StatusLine {
  const addresses = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
  return {
    ...{ name: 'published', level: addresses.length === 0 ? 'notice' : 'ok' },
    text: addresses.length === 0 ? 'no address' : addresses.join(', '),
    data: { addresses },
  };
}

/** Returns the listeners of the bound load balancer in the inventory, as the end of the line `bound`. */
function listenersText(read: ServiceFacts['loadBalancer']): string {
  if (read.kind === 'absent') return '; not in the inventory';
  const listeners = (valueOf(read)?.status?.listeners ?? []).map(({ port, protocol }) => `${protocol}/${port}`);
  return listeners.length === 0 ? '' : `; ${listeners.join(', ')}`;
}

/** Returns the line `bound`: the load balancer that serves the Service, from its binding and the inventory. */
function boundLine({ binding, loadBalancer: read }: ServiceFacts): StatusLine {
  const name = 'bound';
  const unread = unreadLine(name, [binding]);
  if (unread !== undefined) return unread;
  const loadBalancer = valueOf(binding)?.spec.loadBalancer;
  if (loadBalancer === undefined)
    return { name, level: 'notice', text: 'no load balancer is bound', data: { loadBalancer: null } };
  const { id, use, address = 'no address yet' } = loadBalancer;
  return {
    ...{ name, level: read.kind === 'absent' ? 'notice' : 'ok' },
    text: `${id} (${use}), ${address}${listenersText(read)}`,
    data: { loadBalancer, listeners: valueOf(read)?.status?.listeners ?? [] },
  };
}

const OPERATIONS = {
  InProgress: 'has started; a call may yet take effect, and the controller reads the state again within 95 seconds',
  Ended: 'has ended, and the Service is not completely synced',
} as const;

/** Returns the line `pending`: the operation that the binding records. Returns undefined if the Service is completely synced. */
function pendingLine({ binding, service }: ServiceFacts): StatusLine | undefined {
  const operation = valueOf(binding)?.spec.operation;
  if (operation === undefined) return undefined;
  const deletion = service.metadata.deletionTimestamp === undefined ? '' : '; the Service is being deleted';
  return {
    ...{ name: 'pending', level: 'notice' },
    text: `${operation.type} ${OPERATIONS[operation.state]}${deletion}`,
    data: { type: operation.type, state: operation.state },
  };
}

function conditionLine({ service, now }: ServiceFacts): StatusLine {
  const name = 'condition';
  const condition = readinessOf(service);
  if (condition === undefined) return { name, level: 'notice', text: 'no condition yet', remedy: remedyOf('Pending') };
  const { status, reason, message, lastTransitionTime } = condition;
  const isReady = status === 'True';
  return {
    ...{ name, level: isReady ? 'ok' : 'wrong' },
    text: `${isReady ? 'ready' : 'not ready'} for ${durationText(now - Date.parse(lastTransitionTime))}: ${reason}: ${message}`,
    ...(isReady ? {} : { remedy: remedyOf(reason) }),
    data: { status, reason, message, since: lastTransitionTime },
  };
}

const RETRIES: Readonly<Record<(typeof REASONS)[Reason]['retry'], string>> = {
  soon: 'within seconds',
  backoff: 'after 5 seconds at first, and after 5 minutes at most',
  'after-delay': 'when the window of the rate limit ends',
  never: 'when the Service, a policy or an exception changes',
};

const isReason = (reason: string): reason is Reason => Object.hasOwn(REASONS, reason);

/** Returns the line `retry`: the time of the next retry. Returns undefined for a Service that is ready or has no condition. */
function retryLine({ service }: ServiceFacts): StatusLine | undefined {
  const condition = readinessOf(service);
  if (condition?.status !== 'False') return undefined;
  const { reason } = condition;
  const text = isReason(reason) ? RETRIES[REASONS[reason].retry] : 'within 5 minutes, and when the Service changes';
  return { name: 'retry', level: 'notice', text };
}

const timeOf = ({ lastTimestamp, eventTime, metadata }: Event): number =>
  Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '') || 0;

function eventText(event: Event, now: number): string {
  const { type = 'Normal', reason = '', message = '', count = 1 } = event;
  return `${durationText(now - timeOf(event))} ago  ${type}  ${reason}${count > 1 ? ` (${count} times)` : ''}: ${message}`;
}

/** Returns the line `events`: the last events of the Service, the newest first. */
function eventsLine({ events, now }: ServiceFacts): StatusLine {
  const name = 'events';
  const unread = unreadLine(name, [events]);
  if (unread !== undefined) return unread;
  const last = (valueOf(events) ?? []).toSorted((one, other) => timeOf(other) - timeOf(one)).slice(0, MOST_EVENTS);
  return {
    ...{ name, level: 'ok' },
    text: last.length === 0 ? 'none in the last hour' : `the last ${last.length}, newest first`,
    details: last.map((event) => eventText(event, now)),
    data: { events: last.map(({ type, reason, message, count }) => ({ type, reason, message, count })) },
  };
}

/** Returns the line `deletion`: the age of the deletion request and the state of the finalizer. Undefined if the Service is not being deleted. */
function deletionLine({ service, now }: ServiceFacts): StatusLine | undefined {
  const { deletionTimestamp } = service.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const finalizer = hasFinalizer(service) ? 'the finalizer waits for the cleanup' : 'the finalizer is removed';
  const since = durationText(now - Date.parse(deletionTimestamp));
  return { name: 'deletion', level: 'notice', text: `requested ${since} ago; ${finalizer}` };
}

const PARTS = [
  requestedLine,
  publishedLine,
  boundLine,
  pendingLine,
  deletionLine,
  conditionLine,
  retryLine,
  eventsLine,
] as const;

/** Returns the lines of `portcullis status service`, from the requested load balancer to the last events. */
export const serviceReport = (facts: ServiceFacts): StatusReport => ({
  at: facts.now,
  lines: PARTS.flatMap((part) => part(facts) ?? []),
});
