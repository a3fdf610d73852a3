import { isDeepStrictEqual } from 'node:util';
import { wantsLoadBalancer } from '../../rules/engine/subject.ts';
import { CATALOGUE } from '../../annotation/catalogue.ts';
import { backendTraits } from '../../clb/desired/backend-nodes.ts';
import { hasFinalizer } from '../../clb/model/provisioning-evidence.ts';
import { hasTooManyLabels } from '../../clb/model/service-size-limits.ts';
import type { ClusterSettings } from '../../clb/model/cluster-settings.ts';
import type { ClassicLoadBalancer } from '../../inventory/custom-resources.ts';
import { INDEX, type KubernetesCaches } from '../kubernetes-interface.ts';
import {
  keyOf,
  objectKey,
  SERVICE_NAME_LABEL,
  type EndpointSlice,
  type Node,
  type ObjectKey,
  type Pod,
  type Service,
} from '../../base/kubernetes-objects.ts';
import type { Change } from '../../base/cache-interfaces.ts';
import type { ChangeReason } from './status/events.ts';
import { wantsNoLoadBalancer, isManagedService } from './management.ts';
import type { BindingReader } from './state/binding-store.ts';
import { isLabelChanged, recordedId } from './state/service-metadata.ts';
import { gateTraits, gatingServices } from './backends/readiness-gates.ts';
import { publishedIngress, sameIngress } from './status/ingress.ts';

/** Returns the reason of the event about a user's change of a Service; undefined if the change does not affect the load balancer. */
export function changeReason(before: Service, after: Service): ChangeReason | undefined {
  if (!wantsLoadBalancer(before) && !wantsLoadBalancer(after)) return undefined;
  if (wantsLoadBalancer(before) !== wantsLoadBalancer(after)) return 'TypeChanged';
  if (!isDeepStrictEqual(before.metadata.annotations ?? {}, after.metadata.annotations ?? {}))
    return 'AnnotationChanged';
  if (!isDeepStrictEqual(before.spec, after.spec)) return 'ServiceSpecChanged';
  if (before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp) return 'DeleteTimestampChanged';
  return undefined;
}

/** Returns whether the finalizer or the published address of a Service changed in a way that needs a reconcile. */
function isOwnPartChanged(before: Service, after: Service): boolean {
  return (
    (hasFinalizer(before) && !hasFinalizer(after)) ||
    // A finalizer on a Service that wants no load balancer requests a cleanup.
    (hasFinalizer(after) && !hasFinalizer(before) && wantsNoLoadBalancer(after)) ||
    !sameIngress(publishedIngress(before), publishedIngress(after))
  );
}

/** Returns whether the deletion timestamp or the type of a Service changed, also for a Service of another controller. */
const isEnded = (before: Service, after: Service): boolean =>
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp || before.spec?.type !== after.spec?.type;

/** Returns whether a change crosses the maximum number of labels, beyond which a rule denies the Service. */
const isRelabelledBeyond = (before: Service, after: Service): boolean =>
  hasTooManyLabels(before) !== hasTooManyLabels(after);

/** Returns whether a change of a Service needs a reconcile, and the reason for the event. */
export function onService({ before, after }: Change<Service>): {
  readonly needsReconcile: boolean;
  readonly reason?: ChangeReason;
} {
  if (after === undefined) return { needsReconcile: before !== undefined };
  if (before?.metadata.uid !== after.metadata.uid) return { needsReconcile: isManagedService(after) };
  const reason = changeReason(before, after);
  if (reason !== undefined) return { needsReconcile: true, reason };
  const matters = [isOwnPartChanged, isEnded, isRelabelledBeyond, isLabelChanged].some((does) => does(before, after));
  return { needsReconcile: (isManagedService(before) || isManagedService(after)) && matters };
}

/** Returns whether the labels of a Service changed, because policies and exceptions can select Services by labels. */
export const isRelabelled = ({ before, after }: Change<Service>): boolean =>
  !isDeepStrictEqual(before?.metadata.labels ?? {}, after?.metadata.labels ?? {});

const serviceOf = (slice: EndpointSlice | undefined): readonly ObjectKey[] => {
  const name = slice?.metadata.labels?.[SERVICE_NAME_LABEL];
  return slice === undefined || name === undefined ? [] : [objectKey(name, slice.metadata.namespace)];
};

/** Returns the Services whose backends may change with an EndpointSlice. */
export function onEndpointSlice(
  { before, after }: Change<EndpointSlice>,
  { services }: Pick<KubernetesCaches, 'services'>,
): readonly ObjectKey[] {
  if (isDeepStrictEqual([before?.endpoints, before?.ports], [after?.endpoints, after?.ports])) return [];
  return [...new Set([...serviceOf(before), ...serviceOf(after)])].filter((key) => {
    const service = services.get(key);
    return service !== undefined && wantsLoadBalancer(service);
  });
}

/** Returns the Services whose backends may change with a Node: none, or all Services that do not use pods as backends. */
export function onNode(
  { before, after }: Change<Node>,
  { services }: Pick<KubernetesCaches, 'services'>,
  { backendType }: Pick<ClusterSettings, 'backendType'>,
): readonly ObjectKey[] {
  if (before !== undefined && after !== undefined && backendTraits(before) === backendTraits(after)) return [];
  const usesNodes = ({ metadata }: Service): boolean =>
    (metadata.annotations?.[CATALOGUE.backendType.key] ?? backendType) !== 'eni';
  return [...services.values()].filter((service) => wantsLoadBalancer(service) && usesNodes(service)).map(keyOf);
}

/** Returns the Services that a pod's readiness gates name, if the pod is new, or its gates or the readiness of its containers changed. */
export function onPod(
  { before, after }: Change<Pod>,
  { services }: Pick<KubernetesCaches, 'services'>,
): readonly ObjectKey[] {
  if (after === undefined || (before !== undefined && gateTraits(before) === gateTraits(after))) return [];
  return gatingServices(after).filter((key) => {
    const service = services.get(key);
    return service !== undefined && wantsLoadBalancer(service);
  });
}

/** Returns the Services that name a load balancer by its id, if the inventory adds, removes or changes the load balancer. */
export function onClassicLoadBalancer(
  { before, after }: Change<ClassicLoadBalancer>,
  { services }: Pick<KubernetesCaches, 'services'>,
): readonly ObjectKey[] {
  const id = (after ?? before)?.metadata.name;
  if (id === undefined || isDeepStrictEqual(before?.status, after?.status)) return [];
  return services.byIndex(INDEX.servicesByLoadBalancer, id).map(keyOf);
}

/** Returns whether a load balancer no longer exists or has another owner than before. */
function hasOtherOwner({ before, after }: Change<ClassicLoadBalancer>): boolean {
  if (before === undefined || after === undefined) return after === undefined;
  const [was, is] = [before.status, after.status];
  return was !== undefined && is !== undefined && (was.owner !== is.owner || was.service !== is.service);
}

/** Returns the Services that are bound to a load balancer which no longer exists or has another owner than before. */
export function onOwnerChange(
  change: Change<ClassicLoadBalancer>,
  { services }: Pick<KubernetesCaches, 'services'>,
  bindings: BindingReader,
): readonly ObjectKey[] {
  const { before, after } = change;
  const id = (after ?? before)?.metadata.name;
  if (id === undefined || !hasOtherOwner(change)) return [];
  const owners = new Set([before?.status?.service, after?.status?.service]);
  const owned = [...owners].flatMap((key) => services.get(key as ObjectKey) ?? []);
  return [...new Set([...services.byIndex(INDEX.servicesByLoadBalancer, id), ...owned])]
    .filter((service) => recordedId(service, bindings.recordOf(service)) === id && !wantsNoLoadBalancer(service))
    .map(keyOf);
}

/** Returns the other Services on a load balancer, which may wait for its ports. */
export const servicesSharing = (
  id: string,
  key: ObjectKey,
  { services }: Pick<KubernetesCaches, 'services'>,
): readonly ObjectKey[] =>
  services
    .byIndex(INDEX.servicesByLoadBalancer, id)
    .map(keyOf)
    .filter((other) => other !== key);
