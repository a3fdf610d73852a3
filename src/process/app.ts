import type { Registry } from 'prom-client';
import { TUNABLE } from '../rules/index.ts';
import type { CloudApis } from '../alibaba/cloud.ts';
import type { ClusterSettings } from '../clb/model/cluster-settings.ts';
import type { Clock } from '../base/clock.ts';
import type { ControllerName } from '../controller/controllers-flag.ts';
import { createCertificateKeeper, type CertificateIssuer } from '../controller/webhook-certificate/controller.ts';
import { createPolicyEvaluator } from '../controller/service/evaluation/evaluator.ts';
import { createInventoryController } from '../controller/inventory/controller.ts';
import { nodeController } from '../controller/node/controller.ts';
import type { RouteOptions } from '../controller/node-and-route-settings.ts';
import { Leadership } from '../inventory/bindings-after-leader-change.ts';
import type { EventTarget, KubernetesApi } from '../controller/kubernetes-interface.ts';
import { createPolicyReporter, type ReporterParts } from '../controller/policy/reporter.ts';
import { routeController } from '../controller/route/controller.ts';
import { serviceController } from '../controller/service/controller.ts';
import { createFacts } from '../inventory/facts-from-caches.ts';
import { clusterFacts } from '../inventory/configured-cluster-facts.ts';
import type { Facts } from '../inventory/facts.ts';
import { createRegionContents, type RegionContents } from '../inventory/missing-load-balancers.ts';
import type { CloudInventory } from '../inventory/custom-resources.ts';
import type { Logger } from '../base/log.ts';
import type { NodeSettings } from '../node/settings.ts';
import type { PolicyCache } from '../policy/policy-cache.ts';
import { followPolicies } from '../policy/policy-watch.ts';
import { runControllers } from '../reconcile/manager.ts';
import { compactHeap } from './compact-heap.ts';
import { controllerMetrics, queueMetrics, type QueueMetrics } from '../reconcile/metrics.ts';
import { watchedUntil, type Watched } from '../base/cache-interfaces.ts';

/** The dependencies of all controllers. Tests pass simulated dependencies with virtual time. */
export interface AppParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  /** The access to the API server, with caches that contain their first lists. */
  readonly kubernetes: KubernetesApi & { readonly cloudInventories: Watched<CloudInventory> };
  /** The caches of policies. Undefined means that no policy is evaluated or reported. */
  readonly policies?: Pick<ReporterParts, 'policies' | 'exceptions' | 'namespaces'>;
  readonly cloud: CloudApis;
  readonly settings: ClusterSettings;
  /** The CIDR ranges of pods. */
  readonly clusterCidrs: readonly string[];
  readonly regionId: string;
  /** The load balancers that no Service may use. */
  readonly protectedIds: ReadonlySet<string>;
  readonly controllers: ReadonlySet<ControllerName>;
  /** The number of times that the Lease changed its holder; undefined if unknown. */
  readonly leaseTransitions?: number | undefined;
  /** The number of Services that are reconciled at a time. */
  readonly serviceWorkers: number;
  readonly nodes: NodeSettings;
  /** The object that events about all Nodes refer to. */
  readonly target: EventTarget;
  /** The options of routes. Undefined if the process manages no routes. */
  readonly routes?: RouteOptions;
  /** The issuer of the webhook's certificates; undefined if cert-manager or a user issues them. */
  readonly issuer?: CertificateIssuer;
  /** True if tunable rules and policies only warn. */
  readonly warnOnly: boolean;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
}

/** Runs all controllers until the signal is aborted. Rejects if the inventory, the policy reports or the certificates fail. */
export async function runApp(parts: AppParts, signal: AbortSignal): Promise<void> {
  const { clock, log, registry, random, controllers } = parts;
  const regionComparison = createRegionContents(clock);
  const shared: Shared = {
    ...parts,
    queueMetrics: queueMetrics(registry),
    facts: factsOf(parts),
    ...policyCacheOf(parts),
  };
  const regionState: RegionState = { regionComparison, leadership: leadershipOf(parts) };
  const inventoryTasks = controllers.has('inventory')
    ? [followRegion(parts, regionState, signal), reportPolicies(shared, signal)]
    : [];
  const queues = [
    ...(controllers.has('service') ? [serviceOf(shared, regionState)] : []),
    ...(controllers.has('node') ? [nodesOf(shared)] : []),
    ...(controllers.has('route') && parts.routes !== undefined ? [routesOf(shared, parts.routes)] : []),
  ];
  await Promise.all([
    ...inventoryTasks,
    keepCertificates(parts, signal),
    runControllers(queues, { clock, log, random, metrics: controllerMetrics(registry) }, signal),
    compactHeap(
      queues.map(({ queue }) => queue),
      clock,
      signal,
    ),
  ]);
}

/** The state that the Service and inventory controllers share. */
interface RegionState {
  readonly regionComparison: RegionContents;
  readonly leadership: Leadership;
}

/** Returns the detection of another controller that led before this process. */
function leadershipOf({ controllers, leaseTransitions, kubernetes }: AppParts): Leadership {
  // The inventory controller records the Lease transitions, and the Service controller confirms outdated bindings.
  const records = controllers.has('service') && controllers.has('inventory');
  return new Leadership({ ...kubernetes, leaseTransitions: records ? leaseTransitions : undefined });
}

/** The dependencies of all controllers, with the parts that the controllers share. */
type Shared = AppParts & {
  readonly queueMetrics: QueueMetrics;
  /** The facts that rules and reports read. */
  readonly facts: Facts;
  /** The policies of the cluster in compiled form. */
  readonly policyCache?: PolicyCache;
};

/** Returns the compiled policies, which the Service controller and the policy reporter share. Empty if the process reads no policies. */
function policyCacheOf({ policies, kubernetes, clock, log, warnOnly }: AppParts): Pick<Shared, 'policyCache'> {
  if (policies === undefined) return {};
  const { services } = kubernetes;
  return followPolicies({ ...policies, services, tunable: TUNABLE, clock, log, warnOnly });
}

/** Returns the facts that rules read: about the cloud from the inventory, and about the cluster from the settings of this process. */
function factsOf(parts: AppParts): Facts {
  return createFacts({ ...parts.kubernetes, clock: parts.clock, configuredFacts: clusterFacts(parts) });
}

function serviceOf(parts: Shared, { regionComparison, ...regionState }: RegionState) {
  const { kubernetes, cloud, facts, policies, policyCache } = parts;
  return serviceController({
    ...parts,
    caches: kubernetes,
    writer: kubernetes.writer,
    events: kubernetes.events,
    clb: cloud.clb,
    network: cloud.network,
    evaluator: (ledger) =>
      createPolicyEvaluator({
        services: kubernetes.services,
        facts,
        warnOnly: parts.warnOnly,
        ledger,
        ...(policies === undefined || policyCache === undefined ? {} : { policies: { ...policies, policyCache } }),
      }),
    ...regionState,
    ...(parts.controllers.has('inventory') ? { regionComparison } : {}),
    workers: parts.serviceWorkers,
  });
}

function nodesOf(parts: Shared) {
  const { kubernetes, cloud } = parts;
  const events = kubernetes.recorder('node-controller');
  return nodeController({ ...parts, ...kubernetes, events, instances: cloud.instances, settings: parts.nodes });
}

function routesOf(parts: Shared, options: RouteOptions) {
  const { kubernetes, cloud, nodes } = parts;
  const { vpcId } = nodes;
  const events = kubernetes.recorder('route-controller');
  return routeController({
    ...{ ...parts, ...kubernetes, ...options, events },
    ...{ routes: cloud.routes, instances: cloud.instances, settings: options, vpcId },
  });
}

/** Runs the policy reporter until the signal is aborted. Does nothing if the process reads no policies. */
async function reportPolicies(parts: Shared, signal: AbortSignal): Promise<void> {
  const { policies, policyCache, facts, kubernetes, clock, log, registry } = parts;
  if (policies === undefined || policyCache === undefined) return;
  const { writer, services, classicLoadBalancers, events, reports } = kubernetes;
  const reportStores = (reports?.reportStores ?? []).map((store) => ({
    ...store,
    reports: watchedUntil(store.reports, signal),
  }));
  const reporter = createPolicyReporter({
    ...{ ...policies, policyCache, services, classicLoadBalancers, facts },
    ...{ reportStores, writer, events, clock, log, registry },
  });
  const running = reporter.run(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  await Promise.all([running, reports?.run(signal)]);
}

/** Runs the controller of the webhook's certificates until the signal is aborted. Does nothing without an issuer. */
async function keepCertificates({ issuer, kubernetes, ...parts }: AppParts, signal: AbortSignal): Promise<void> {
  if (issuer === undefined) return;
  const keeper = createCertificateKeeper({ ...parts, issuer, writer: kubernetes.writer });
  await keeper.run(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Runs the inventory controller until the signal is aborted. */
async function followRegion(parts: AppParts, regionState: RegionState, signal: AbortSignal): Promise<void> {
  const { kubernetes, cloud } = parts;
  const inventory = createInventoryController({
    ...parts,
    region: cloud.region,
    throttledApis: cloud.throttledApis,
    writer: kubernetes.writer,
    classicLoadBalancers: kubernetes.classicLoadBalancers,
    services: kubernetes.services,
    bindings: kubernetes.bindings,
    ...regionState,
    cluster: clusterFacts(parts),
  });
  try {
    await inventory.run(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
