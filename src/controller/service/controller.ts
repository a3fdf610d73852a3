import { isPublished } from '../../clb/model/provisioning-evidence.ts';
import type { Registry } from 'prom-client';
import type { NetworkApi } from '../../clb/model/network-api.ts';
import type { ClbApi } from '../../clb/model/clb-api.ts';
import type { ClusterSettings } from '../../clb/model/cluster-settings.ts';
import type { Clock } from '../../base/clock.ts';
import type { RegionContents } from '../../inventory/missing-load-balancers.ts';
import type { Logger } from '../../base/log.ts';
import { LOAD_BALANCER_BINDINGS } from '../../inventory/binding.ts';
import {
  keyOf,
  namespaceOf,
  objectKey,
  SERVICES,
  type ObjectKey,
  type Service,
} from '../../base/kubernetes-objects.ts';
import type { Controller } from '../../reconcile/manager.ts';
import { WorkQueue } from '../../reconcile/queue.ts';
import type { QueueMetrics } from '../../reconcile/metrics.ts';
import type { Change } from '../../base/cache-interfaces.ts';
import { changed, emit } from './status/events.ts';
import { servicesGauge } from './status/services-gauge.ts';
import { backendClaimsOf } from './backends/claims-of-other-services.ts';
import { vpcRanges } from './backends/eni-lookup.ts';
import type { PolicyEvaluator } from './evaluation/evaluator.ts';
import { QuotaLedger } from './evaluation/quota-ledger.ts';
import { ServiceStateCache } from './state/service-state.ts';
import { isLabelChanged } from './state/service-metadata.ts';
import { serviceMetrics } from '../metrics.ts';
import { nodeSelector } from './backends/cached-node-selection.ts';
import type { Leadership } from '../../inventory/bindings-after-leader-change.ts';
import { isManagedService } from './management.ts';
import { OwnWrites } from './state/own-writes.ts';
import type { EventRecorder, KubernetesCaches, KubernetesWriter } from '../kubernetes-interface.ts';
import { serviceReconciler } from './reconcile.ts';
import { GroupAdditions } from './state/namespaces-with-added-backends.ts';
import { PortLocks } from './port-locks.ts';
import { BindingStore } from './state/binding-store.ts';
import {
  isRelabelled,
  onClassicLoadBalancer,
  onEndpointSlice,
  onNode,
  onOwnerChange,
  onPod,
  onService,
} from './event-handlers.ts';

export interface ServiceControllerParts {
  readonly caches: KubernetesCaches;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
  readonly clb: ClbApi;
  readonly network: NetworkApi;
  readonly evaluator: (ledger: QuotaLedger) => PolicyEvaluator;
  readonly leadership: Pick<Leadership, 'isOutdated' | 'confirm'>;
  /** The changes of load balancers by this process, for the inventory; undefined if this process does not write the inventory. */
  readonly regionComparison?: RegionContents;
  readonly settings: ClusterSettings;
  readonly protectedIds: ReadonlySet<string>;
  readonly workers: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  readonly queueMetrics: QueueMetrics;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
}

/** The number of additional workers, which take the place of workers that wait long for the cloud. */
const SPARE_WORKERS = 30;

/** The parts that `watch` needs: the receivers of changes, and the filter for the controller's own writes. */
interface Followed {
  readonly own: OwnWrites;
  readonly states: ServiceStateCache;
  readonly bindings: BindingStore;
  readonly evaluator: PolicyEvaluator;
  readonly enqueue: (key: ObjectKey) => void;
}

/** Enqueues Services after changes that affect the Services. */
function watch(
  { caches, events, settings, regionComparison }: ServiceControllerParts,
  queue: WorkQueue,
  { own, states, bindings, evaluator, enqueue }: Followed,
): void {
  const addAll = (keys: readonly ObjectKey[]): void => keys.forEach((key) => queue.add(key));
  // Published Services carry traffic, so their backends do not wait behind thousands of throttled creations.
  const addBackends = (keys: readonly ObjectKey[]): void => {
    for (const key of keys) {
      const service = caches.services.get(key);
      queue.add(key, service !== undefined && isPublished(service) ? 'urgent' : 'now');
    }
  };
  caches.services.onChange((change: Change<Service>) => {
    const object = change.after ?? change.before;
    if (object === undefined) return;
    const key = keyOf(object);
    own.unlessOwn(SERVICES, key, change.after, () => {
      const { needsReconcile, reason } = onService(change);
      if (change.before !== undefined && change.after !== undefined && isLabelChanged(change.before, change.after))
        states.audit(key);
      if (reason !== undefined) emit(events, object, changed(reason));
      if (needsReconcile || (evaluator.isWaiting(key) && isRelabelled(change))) enqueue(key);
    });
  });
  caches.endpointSlices.onChange((change) => addBackends(onEndpointSlice(change, caches)));
  caches.nodes.onChange((change) => addAll(onNode(change, caches, settings)));
  caches.pods.onChange((change) => addBackends(onPod(change, caches)));
  caches.bindings.onChange(({ before, after }) => {
    const binding = after ?? before;
    if (binding === undefined) return;
    const { namespace, name } = binding.spec.service;
    own.unlessOwn(LOAD_BALANCER_BINDINGS, keyOf(binding), after, () => enqueue(objectKey(name, namespace)));
  });
  caches.bindings.onSynced(() => {
    for (const service of caches.services.values()) {
      const key = keyOf(service);
      if (!isManagedService(service)) continue;
      states.retry(key);
      queue.forget(key);
      enqueue(key);
    }
  });
  caches.classicLoadBalancers.onChange((change) => {
    const outdated = onOwnerChange(change, caches, bindings);
    for (const key of outdated) states.audit(key);
    for (const key of new Set([...outdated, ...onClassicLoadBalancer(change, caches)])) enqueue(key);
  });
  regionComparison?.onMissing((key) => {
    states.audit(key);
    enqueue(key);
  });
  evaluator.onUnblocked((keys) => keys.forEach(enqueue));
}

/** Creates the Service controller when this process starts to lead. */
export function serviceController(parts: ServiceControllerParts): Controller {
  const { caches, clock, queueMetrics } = parts;
  const queue = new WorkQueue({
    name: 'service',
    clock,
    metrics: queueMetrics,
    shareOf: (key) => namespaceOf(key as ObjectKey),
  });
  const states = new ServiceStateCache(parts.random, parts.leadership);
  const own = new OwnWrites();
  const writer = own.through(parts.writer);
  const bindings = new BindingStore({ bindings: caches.bindings, writer });
  const ledger = new QuotaLedger(caches.services, bindings);
  const evaluator = parts.evaluator(ledger);
  // The selector sees changes of Nodes before `watch`, so that no reconcile uses outdated Nodes.
  const selectNodes = nodeSelector(caches.nodes);
  const enqueue = (key: ObjectKey): void => {
    states.mayBeFree(key);
    queue.add(key);
  };
  watch(parts, queue, { own, states, bindings, evaluator, enqueue });
  // A Service that is known to be up to date costs no cloud call.
  for (const service of caches.services.values())
    if (isManagedService(service)) queue.add(keyOf(service), 'background');
  for (const { spec } of caches.bindings.values())
    queue.add(objectKey(spec.service.name, spec.service.namespace), 'background');
  const reconcile = serviceReconciler({
    ...parts,
    writer,
    states,
    bindings,
    evaluator,
    ledger,
    ports: new PortLocks(enqueue),
    additions: new GroupAdditions(),
    backendClaims: (service, desired) => backendClaimsOf(service, desired, { ...parts, bindings, selectNodes }),
    selectNodes,
    isNear: vpcRanges(parts.settings.vpcId, parts.network, clock),
    metrics: serviceMetrics(parts.registry),
    leadingSinceMs: clock.monotonic(),
    enqueue,
  });
  servicesGauge(parts.registry, caches.services);
  const { workers } = parts;
  return { name: 'service', queue, reconcile, workers, urgentWorkers: workers, spareWorkers: SPARE_WORKERS };
}
