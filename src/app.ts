import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import { createCloud, userAgents, type Cloud, type CloudParts } from './alibaba/cloud.ts';
import { createCredentials, fromCloudConfig, fromEnvironment, fromSecretFiles } from './alibaba/credentials.ts';
import { createEndpoints } from './alibaba/endpoints.ts';
import { createCloudMetrics } from './alibaba/metrics.ts';
import { createTransport } from './alibaba/transport.ts';
import type { ClusterSettings } from './clb/settings.ts';
import { systemClock, type Clock } from './clock.ts';
import { backendTypeOf, readCloudConfig, type CloudConfig } from './config.ts';
import type { Address, ControllerConfig, ControllerName } from './controller/config.ts';
import { createInventoryController } from './controller/inventory.ts';
import type { KubernetesApi } from './controller/port.ts';
import { serviceController } from './controller/service-controller.ts';
import { within } from './deadline.ts';
import { messageOf, PortcullisError } from './errors.ts';
import { createFacts } from './inventory/cached-facts.ts';
import { createDeletedListeners, type DeletedListeners } from './inventory/deleted-listeners.ts';
import type { CloudInventory } from './inventory/resource.ts';
import { controllerKubernetes, type ControllerKubernetes } from './kubernetes/api.ts';
import { pluginConnection } from './kubernetes/client-node.ts';
import { inClusterConnection } from './kubernetes/connection.ts';
import { kubeconfigConnection } from './kubernetes/kubeconfig.ts';
import { rootLogger, type Logger } from './log.ts';
import { createRegistry } from './metrics.ts';
import { startProbes, type Checks } from './probes.ts';
import { runControllers } from './reconcile/manager.ts';
import { controllerMetrics, queueMetrics } from './reconcile/metrics.ts';
import type { Watched } from './store.ts';
import { VERSION } from './version.ts';

/** Everything that the controllers run on: real parts in a process, doubles in virtual time. */
export interface AppParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  /** Its caches are synced. */
  readonly kubernetes: KubernetesApi & { readonly cloudInventories: Watched<CloudInventory> };
  readonly cloud: Cloud;
  readonly settings: ClusterSettings;
  /** The ranges of the pods. */
  readonly clusterCidrs: readonly string[];
  readonly regionId: string;
  /** Load balancers that no Service may use. */
  readonly protectedIds: ReadonlySet<string>;
  readonly controllers: ReadonlySet<ControllerName>;
  /** Services that are carried out at the same time. */
  readonly serviceWorkers: number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Runs the controllers of a process that leads, until the signal is aborted. Resolves when all turns have ended; never rejects. */
export async function runApp(parts: AppParts, signal: AbortSignal): Promise<void> {
  const { clock, log, registry, controllers } = parts;
  const deletedListeners = createDeletedListeners(clock);
  const inventory = controllers.has('inventory') ? followRegion(parts, deletedListeners, signal) : Promise.resolve();
  const queues = controllers.has('service') ? [serviceOf(parts, deletedListeners)] : [];
  await Promise.all([inventory, runControllers(queues, { clock, log, metrics: controllerMetrics(registry) }, signal)]);
}

function serviceOf(parts: AppParts, deletedListeners: DeletedListeners) {
  const { kubernetes, cloud, clock, registry } = parts;
  return serviceController({
    ...parts,
    caches: kubernetes,
    writer: kubernetes.writer,
    events: kubernetes.events,
    clb: cloud.clb,
    network: cloud.network,
    facts: createFacts({ ...kubernetes, clock }),
    deletedListeners,
    workers: parts.serviceWorkers,
    queueMetrics: queueMetrics(registry),
  });
}

async function followRegion(parts: AppParts, deletedListeners: DeletedListeners, signal: AbortSignal): Promise<void> {
  const { settings, kubernetes, cloud } = parts;
  const { clusterId, vpcId, backendType, disablePublicSLB } = settings;
  const { regionId, clusterCidrs } = parts;
  const inventory = createInventoryController({
    ...parts,
    region: cloud.region,
    writer: kubernetes.writer,
    classicLoadBalancers: kubernetes.classicLoadBalancers,
    services: kubernetes.services,
    deletedListeners,
    cluster: { regionId, vpcId, clusterId, clusterCidrs, backendType, disablePublicSLB },
  });
  try {
    await inventory.run(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** For the first lists of all caches; a process that cannot even read says why and ends. */
const SYNC_PATIENCE_MS = 30_000;
/** For everything to end after the process was told to stop: less than a pod's grace period of 30 s. */
const STOP_MS = 25_000;
/** The same after a failure, such as a lost Lease: nothing is waited for then but what is under way. */
const FAIL_MS = 10_000;

/**
 * The controller process, from its flags to its last write. Resolves once SIGTERM or SIGINT has been obeyed: turns under way have
 * ended and the Lease is released. Rejects `InvalidConfiguration`, `Unauthorized` or `Unavailable` with what is wrong and what to
 * do, and `LostLeadership` when another replica has taken over.
 */
export async function runController(config: ControllerConfig, environment: Environment): Promise<void> {
  const clock = systemClock;
  const log = rootLogger(config.logLevel);
  const stop = stopSignal(log);
  const { config: read, warnings } = await readCloudConfig(config.cloudConfig);
  const cloudConfig = { ...read, backendType: backendTypeOf(read, environment) };
  for (const warning of [...config.warnings, ...warnings]) log.warn(warning);
  const registry = createRegistry('controller');
  await using resources = new AsyncDisposableStack();
  const kubernetes = resources.use(await connect(config, cloudConfig, environment, { clock, log, registry }));
  const cloud = await reachCloud(config, cloudConfig, environment, {
    ...{ clock, log, registry },
    guard: (forMs) => kubernetes.election?.mayWrite(forMs) ?? true,
  });
  await serveProbes(config, kubernetes, resources, { log, registry });
  const following = new AbortController();
  const background = kubernetes.run(following.signal);
  const parts = appParts(config, cloudConfig, { clock, log, registry, kubernetes, cloud });
  try {
    await synced(kubernetes, clock, stop);
    const { election } = kubernetes;
    await (election === undefined ? runApp(parts, stop) : election.run((signal) => runApp(parts, signal), stop));
  } catch (error) {
    if (stop.aborted && error === stop.reason) return;
    endWithin(FAIL_MS, log);
    throw error;
  } finally {
    following.abort();
    await background;
    log.info('stopped');
  }
}

/** A process that cannot end must not live on, with a Lease that others wait for. */
function endWithin(ms: number, log: Logger): void {
  const end = (): never => {
    log.error({ ms }, 'the process did not come to its end in time and is cut off');
    process.exit(1);
  };
  setTimeout(end, ms).unref();
}

/** Aborts at the first signal to stop; a second one ends the process where it stands. */
function stopSignal(log: Logger): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      endWithin(STOP_MS, log);
      stop.abort(new Error(`told to stop by ${name}`));
    });
  }
  return stop.signal;
}

type Base = Pick<AppParts, 'clock' | 'log' | 'registry'>;

async function connect(
  config: ControllerConfig,
  { featureGates }: CloudConfig,
  environment: Environment,
  base: Base,
): Promise<ControllerKubernetes> {
  const { kubeconfig, election, apiRate: rate } = config;
  const connection =
    kubeconfig === undefined
      ? await inClusterConnection(environment, base.clock)
      : await kubeconfigConnection({ path: kubeconfig, clock: base.clock, plugins: pluginConnection });
  // Never the same twice: two processes of one machine must not both take the Lease for theirs.
  const identity = `ccm-${hostname()}-${crypto.randomUUID().slice(0, 8)}`;
  return controllerKubernetes({
    ...base,
    connection,
    rate,
    identity,
    endpointSource: featureGates.EndpointSlice ? 'slices' : 'endpoints',
    ...(election === undefined ? {} : { election }),
  });
}

/** The cloud with the credentials that flags, files and environment name. Rejects `InvalidConfiguration` or `Unauthorized`. */
export async function reachCloud(
  config: Pick<ControllerConfig, 'cloudConfig' | 'accessKeyFolder' | 'network'>,
  cloudConfig: CloudConfig,
  environment: Environment,
  { log, ...base }: Base & Pick<CloudParts, 'guard' | 'isReadOnly'>,
): Promise<Cloud> {
  const regionId = regionOf(cloudConfig, config);
  const sources = [
    fromCloudConfig(config.cloudConfig),
    ...(config.accessKeyFolder === undefined ? [] : [fromSecretFiles(config.accessKeyFolder)]),
    ...fromEnvironment(environment),
  ];
  const credentials = createCredentials(sources, (message) => log.warn(message));
  await credentials.current();
  const shared = {
    regionId,
    credentials,
    endpoints: createEndpoints({ regionId, network: config.network, environment }),
  };
  const agents = userAgents(VERSION, cloudConfig.clusterId);
  return createCloud({
    regionId,
    transport: createTransport({ ...shared, userAgent: agents.controllers }),
    inventoryTransport: createTransport({ ...shared, userAgent: agents.inventory }),
    ...base,
    log,
    metrics: createCloudMetrics(base.registry),
    secrets: () => credentials.secrets(),
  });
}

function regionOf({ regionId }: CloudConfig, { cloudConfig }: Pick<ControllerConfig, 'cloudConfig'>): string {
  if (regionId !== undefined) return regionId;
  throw new PortcullisError(
    'InvalidConfiguration',
    `cloud-config file ${cloudConfig}: Global.region is missing: set it to the cluster's region, such as cn-hangzhou`,
  );
}

async function serveProbes(
  config: ControllerConfig,
  { caches, election }: ControllerKubernetes,
  resources: AsyncDisposableStack,
  base: Pick<Base, 'log' | 'registry'>,
): Promise<void> {
  const healthy: Checks = { 'leader-election': () => election?.problem() };
  const serve = async ({ host, port }: Address, checks: { readonly healthy: Checks; readonly ready: Checks }) =>
    resources.use(await startProbes({ host: host === '' ? '0.0.0.0' : host, port, ...base, ...checks }));
  await serve(config.probes, { healthy, ready: caches.checks });
  if (config.metrics !== undefined) await serve(config.metrics, { healthy: {}, ready: {} });
}

async function synced({ caches }: ControllerKubernetes, clock: Clock, stop: AbortSignal): Promise<void> {
  try {
    await within(clock, SYNC_PATIENCE_MS, stop, (signal) => caches.synced(signal));
  } catch (error) {
    stop.throwIfAborted();
    const problems = Object.entries(caches.checks).flatMap(([name, check]) => {
      const problem = check();
      return problem === undefined ? [] : [`${name}: ${problem}`];
    });
    throw new PortcullisError(
      'Unavailable',
      `the cluster could not be read (${messageOf(error)}): ${problems.join('; ')}`,
    );
  }
}

/** What the CLB slice has to know of the cluster, from the cloud-config file. */
export function settingsOf(cloudConfig: CloudConfig): ClusterSettings {
  const { clusterId, vpcId = '', resourceGroupId = '', backendType, disablePublicSLB, featureGates } = cloudConfig;
  return {
    clusterId,
    vpcId,
    vSwitchIds: cloudConfig.vSwitches.map(({ vSwitchId }) => vSwitchId),
    resourceGroupId,
    backendType,
    disablePublicSLB,
    // Endpoints know one family only.
    ipv6DualStack: featureGates.IPv6DualStack && featureGates.EndpointSlice,
  };
}

function appParts(
  config: ControllerConfig,
  cloudConfig: CloudConfig,
  base: Base & { readonly kubernetes: ControllerKubernetes; readonly cloud: Cloud },
): AppParts {
  return {
    ...base,
    kubernetes: { ...base.kubernetes.api, cloudInventories: base.kubernetes.caches.cloudInventories },
    settings: settingsOf(cloudConfig),
    clusterCidrs: config.clusterCidrs,
    regionId: regionOf(cloudConfig, config),
    protectedIds: config.protectedLoadBalancers,
    controllers: config.controllers,
    serviceWorkers: config.serviceWorkers ?? cloudConfig.maxConcurrentReconciles.service,
    random: Math.random,
  };
}
