import type { JournalEntry } from '../../../src/local/simulator/simulator.ts';
import type { LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import type { Pod, Service } from '../../../src/base/kubernetes-objects.ts';
import { FINALIZER, targetOf } from '../invariants/ownership.ts';
import type { EmittedEvent } from '../kubernetes-double.ts';

/** Returns a block of lines of a report under a heading. Returns an empty text without lines. */
export const block = (word: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [`${word}:`, ...lines.map((line) => `  ${line}`), ''].join('\n');

interface Server {
  readonly ServerId?: string;
  readonly ServerIp?: string;
  readonly Port?: number;
  readonly Weight?: number;
  readonly Type?: string;
  readonly Description?: string;
}

function serverText({ ServerId, ServerIp, Port, Weight, Type, Description }: Server, isDescribed: boolean): string {
  const place = [ServerId, ...(ServerIp === undefined ? [] : [ServerIp])].join('/');
  const weight = Weight === undefined ? '' : ` weight ${Weight}`;
  const type = Type === undefined || Type === 'ecs' ? '' : ` ${Type}`;
  return `${place}:${String(Port)}${type}${weight}${isDescribed && Description !== undefined ? ` "${Description}"` : ''}`;
}

/** Returns backends as text. A description shared by all appears once. */
function serversText(servers: readonly Server[]): string {
  const [description, ...others] = new Set(servers.map(({ Description }) => Description));
  const texts = servers.map((server) => serverText(server, others.length > 0)).join(', ');
  return `[${texts}]${others.length > 0 || description === undefined ? '' : ` described as ${description}`}`;
}

function valueText(name: string, value: string): string {
  if (name.endsWith('BackendServers')) return serversText(JSON.parse(value) as readonly Server[]);
  return value === '' || /\s/.test(value) ? JSON.stringify(value) : value;
}

const KEPT_BACK = new Set(['RegionId', 'PageNumber', 'PageSize', 'MaxResults', 'ResourceType']);

/** Combines `Tag.1.Key` and `Tag.1.Value`. */
function withTagsTogether(parameters: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(parameters).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    const tag = /^Tag\.(\d+)\.(Key|Value)$/.exec(name);
    if (tag === null) return [[name, value]];
    if (tag[2] === 'Value') return [];
    return [['Tag', `${value}:${parameters[`Tag.${tag[1]}.Value`] ?? ''}`]];
  });
}

function callText({ action, parameters, outcome = 'on its way', fault }: JournalEntry): string {
  const texts = withTagsTogether({ ...parameters, ...('ClientToken' in parameters ? { ClientToken: '<token>' } : {}) })
    .filter(([name]) => !KEPT_BACK.has(name))
    .map(([name, value]) => ` ${name}=${valueText(name, value)}`);
  const end = outcome === 'OK' ? '' : ` → ${outcome}`;
  return `${action}${texts.join('')}${end}${fault === undefined ? '' : ` (${fault})`}`;
}

/** Returns calls in order, grouped by load balancer, because those of several load balancers run concurrently. */
export function callTexts(journal: readonly JournalEntry[], plain: (text: string) => string): readonly string[] {
  const byTarget = Map.groupBy(journal, (entry) => (entry.kind === 'write' ? (targetOf(entry) ?? '') : ''));
  const isShared = [...byTarget.keys()].filter((id) => id !== '').length > 1;
  if (!isShared) return journal.map(callText);
  return [...byTarget]
    .map(([id, calls]) => [plain(id), calls.map(callText)] as const)
    .toSorted(([left], [right]) => left.localeCompare(right))
    .flatMap(([, texts]) => texts);
}

/** Returns each event once, in order. Events of several Services are sorted by name. */
export function eventTexts(events: readonly EmittedEvent[], plain: (text: string) => string): readonly string[] {
  const texts = events.map(({ target, type, reason, message }) => ({
    name: target.name,
    text: plain(`${target.name} ${type} ${reason}: ${message}`),
  }));
  const counted = Map.groupBy(texts, ({ text }) => text);
  return [...counted]
    .map(([text, times]) => ({
      name: times[0]?.name ?? '',
      text: times.length === 1 ? text : `${text} (${times.length} times)`,
    }))
    .toSorted((left, right) => left.name.localeCompare(right.name))
    .map(({ text }) => text);
}

const OUR_LABELS = /^(portcullis\.io\/|service\.k8s\.alibaba\/|service\.beta\.kubernetes\.io\/hash)/;
const PRINTED_LABELS = new Set(['service.k8s.alibaba/loadbalancer-id']);

const labelTexts = ({ metadata }: Service): readonly string[] =>
  Object.entries(metadata.labels ?? {})
    .filter(([label]) => OUR_LABELS.test(label))
    .map(([label, value]) => (PRINTED_LABELS.has(label) ? `${label}=${value}` : label))
    .toSorted();

const addressText = ({ status }: Service): string => {
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? '?');
  return ingress.length === 0 ? 'has no address' : `at ${ingress.join(', ')}`;
};

/** Returns the metadata and status of a Service as text. */
export function serviceText(service: Service): string {
  const { metadata, status, spec } = service;
  const type = spec?.type === 'LoadBalancer' ? '' : ` of type ${String(spec?.type)}`;
  const conditions = (status?.conditions ?? []).map(
    (each) => `${each.type}=${each.status} ${each.reason}: ${each.message}`,
  );
  const labels = labelTexts(service);
  return [
    `${metadata.name}${type} ${addressText(service)}`,
    ...conditions,
    ...(labels.length === 0 ? [] : [`labels ${labels.join(' ')}`]),
    ...(metadata.finalizers?.includes(FINALIZER) === true ? ['held by its finalizer'] : []),
    ...(metadata.deletionTimestamp === undefined ? [] : ['being deleted']),
  ].join('\n    ');
}

/** Returns the content of a binding as text. */
export function bindingText({ spec }: LoadBalancerBinding): string {
  const { service, loadBalancer, operation, syncedDigest } = spec;
  const bound = loadBalancer === undefined ? 'to no load balancer' : `to ${loadBalancer.id} (${loadBalancer.use})`;
  const state =
    operation === undefined
      ? syncedDigest === undefined
        ? 'not synced'
        : 'synced'
      : `${operation.type} ${operation.state}`;
  return `${service.name} bound ${bound}, ${state}`;
}

/** Returns the readiness gate conditions of a pod as text. */
export const podText = ({ metadata, status }: Pod): string =>
  `pod ${metadata.name}: ${(status?.conditions ?? [])
    .filter(({ type }) => type.startsWith('service.readiness'))
    .map(({ type, status: is, reason, message }) => `${type}=${is} ${reason ?? ''}: ${message ?? ''}`)
    .join('; ')}`;
