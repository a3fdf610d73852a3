import { keyOf, SERVICES, type Service } from '../objects.ts';
import type { Case } from './case.ts';
import { conditionPatch, type ConditionPatch, type Standing } from './condition.ts';
import { wantsElastic } from './elastic.ts';
import { commitLabels, holdPatch } from './marks.ts';
import { desiredIngress, publishedIngress, sameIngress, type Ingress } from './status.ts';
import type { BareTurn, ServiceDeps, Turn } from './turn.ts';

/** What is to be said in the status: from what is known of the cloud, else, as long as nothing has changed, what is said already. */
function ingressOf({ service, parsed: { options } }: Case, { entry }: Turn): readonly Ingress[] {
  const address = entry.knowledge.observed.loadBalancer?.address;
  const published = publishedIngress(service);
  if (address === undefined) return options.hostname === undefined ? published : desiredIngress(options, []);
  if (!wantsElastic(options)) return desiredIngress(options, [address]);
  const { elasticAddresses: elastic = 'unknown' } = entry;
  if (elastic === 'unknown') return published.length > 0 ? published : desiredIngress(options, [address]);
  return desiredIngress(options, elastic.length > 0 ? elastic : [address]);
}

/** Whether the address has to be found out although the cloud is as it should be. */
export const lacksAddress = (subject: Case, turn: Turn): boolean =>
  turn.entry.knowledge.observed.loadBalancer === undefined &&
  subject.parsed.options.hostname === undefined &&
  !publishedIngress(subject.service).some(({ ip }) => ip !== undefined);

/** A Service that has something in the cloud is held by the finalizer, also when somebody has taken it off. */
export async function hold(service: Service, { entry, signal }: Turn, { writer }: ServiceDeps): Promise<Service> {
  const patch = holdPatch(service);
  if (patch === undefined) return service;
  entry.latest = await writer.mergePatch(SERVICES, keyOf(service), patch, {}, signal);
  return entry.latest;
}

/** What of a Service is written through its status. */
interface StatusChange {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly ingress?: readonly Ingress[] | null | undefined;
  readonly condition?: ConditionPatch | undefined;
}

/** Labels and status in one write, and none where nothing changes. */
export async function writeStatus(
  service: Service,
  { labels = {}, ingress, condition }: StatusChange,
  { entry, signal }: Pick<BareTurn, 'entry' | 'signal'>,
  { writer }: Pick<ServiceDeps, 'writer'>,
): Promise<Service> {
  const status = {
    ...(ingress === undefined ? {} : { loadBalancer: { ingress } }),
    ...(condition === undefined ? {} : { conditions: condition.conditions }),
  };
  if (Object.keys(labels).length === 0 && Object.keys(status).length === 0) return service;
  const { uid, resourceVersion } = service.metadata;
  const metadata = { uid, labels, ...(condition?.isShared === true ? { resourceVersion } : {}) };
  const patch = { metadata, ...(Object.keys(status).length === 0 ? {} : { status }) };
  entry.latest = await writer.mergePatch(SERVICES, keyOf(service), patch, { subresource: 'status' }, signal);
  return entry.latest;
}

/** What was reached. */
export interface Reached {
  readonly isComplete: boolean;
  readonly standing: Standing;
}

/** Labels, address and condition, as far as they are not as they should be. */
export async function commit(
  subject: Case,
  service: Service,
  { isComplete, standing }: Reached,
  turn: Turn,
  deps: ServiceDeps,
): Promise<void> {
  const id = turn.entry.knowledge.observed.loadBalancer?.id;
  const labels = commitLabels(service, {
    ...(id === undefined ? {} : { loadBalancerId: id }),
    ...(isComplete ? { digest: subject.digest, applied: subject.lasting } : {}),
  });
  const ingress = ingressOf(subject, turn);
  const isSaid = sameIngress(ingress, publishedIngress(service));
  const condition = conditionPatch(service, standing, deps.clock.now());
  await writeStatus(service, { labels, ingress: isSaid ? undefined : ingress, condition }, turn, deps);
}

/** Says how the Service stands, and nothing else. */
export async function declare(
  service: Service,
  standing: Standing,
  turn: Pick<BareTurn, 'entry' | 'signal'>,
  deps: Pick<ServiceDeps, 'writer' | 'clock'>,
): Promise<void> {
  await writeStatus(service, { condition: conditionPatch(service, standing, deps.clock.now()) }, turn, deps);
}
