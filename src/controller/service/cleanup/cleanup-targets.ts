import { isPublished } from '../../../clb/model/provisioning-evidence.ts';
import { buildAbsent, ownerOf } from '../../../clb/desired/build.ts';
import type { LoadBalancerId } from '../../../clb/model/ids.ts';
import { OWN } from '../../../clb/model/load-balancer-ref.ts';
import type { ClusterSettings } from '../../../clb/model/cluster-settings.ts';
import type { Absent } from '../../../clb/model/desired-and-observed-state.ts';
import { loadBalancersWithListenersOf } from '../../../inventory/load-balancers-by-owner.ts';
import { idByAddress } from '../adopt/load-balancer-search.ts';
import { isRecordedAsOwned, replacesLabels } from '../state/binding-record.ts';
import { recordedId } from '../state/service-metadata.ts';
import type { ServiceInputs } from '../inputs.ts';
import type { ServiceState } from '../state/service-state.ts';
import type { KubernetesCaches } from '../../kubernetes-interface.ts';
import { publishedAddresses } from '../status/ingress.ts';

interface CleanupTargetDeps {
  readonly settings: Pick<ClusterSettings, 'clusterId'>;
  readonly caches: Pick<KubernetesCaches, 'classicLoadBalancers'>;
}

/**
 * Returns the load balancers that a cleanup visits, the owned load balancer first. Annotations and labels can add load balancers, but not remove any.
 */
export function cleanupTargetsOf(
  { service, record, parsed: { options } }: Pick<ServiceInputs, 'service' | 'record' | 'parsed'>,
  { bound }: Pick<ServiceState, 'bound'>,
  { settings, caches }: CleanupTargetDeps,
): readonly Absent[] {
  const owner = ownerOf(service, settings);
  const recorded = recordedId(service, record);
  const named = options.id as LoadBalancerId | undefined;
  const nothing = buildAbsent(owner, options);
  // A load balancer that only a label names can belong to an earlier Service of this name, so the load balancer is preserved.
  const isPreserved =
    nothing.preserve || record.preserveOnDelete === true || !(replacesLabels(record) || isPublished(service));
  // These load balancers lose only resources with the name of the Service.
  const cleaned = (id: LoadBalancerId): Absent => ({
    ...nothing,
    use: { kind: 'reused', id, overrideListeners: options.forceOverrideListeners ?? false },
    // `preserve-lb-on-delete` also applies after a user or an earlier cleanup removed the owner tag.
    preserve: isPreserved && (isRecordedAsOwned(record, id) || (id === recorded && id !== named && id !== bound)),
  });
  const listening = loadBalancersWithListenersOf(caches.classicLoadBalancers, service).map(
    ({ metadata }) => metadata.name as LoadBalancerId,
  );
  const used = bound === undefined || bound === OWN ? undefined : bound;
  const publishedId = isPublished(service) ? idByAddress(publishedAddresses(service), caches) : undefined;
  const ids = new Set([used, recorded, publishedId, named, ...listening]);
  const mayBeOwn = used === undefined || isRecordedAsOwned(record, used);
  const own: readonly Absent[] = mayBeOwn ? [{ ...nothing, use: { kind: 'owned' } }] : [];
  return [...own, ...[...ids].flatMap((id) => (id === undefined ? [] : [cleaned(id)]))];
}
