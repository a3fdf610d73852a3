import { hostname } from 'node:os';
import type { Cloud } from './alibaba/cloud.ts';
import { runApp, type AppParts } from './app.ts';
import { systemClock, type Clock } from './clock.ts';
import { backendTypeOf, readCloudConfig, type CloudConfig } from './config.ts';
import type { ControllerConfig } from './controller/config.ts';
import type { Address } from './controller/flag-values.ts';
import { within } from './deadline.ts';
import { messageOf, PortcullisError } from './errors.ts';
import { controllerKubernetes, type ControllerKubernetes } from './kubernetes/api.ts';
import { pluginConnection } from './kubernetes/client-node.ts';
import { inClusterConnection } from './kubernetes/connection.ts';
import { kubeconfigConnection } from './kubernetes/kubeconfig.ts';
import { rootLogger, type Logger } from './log.ts';
import type { NodeSettings } from './node/settings.ts';
import { createRegistry } from './metrics.ts';
import { startProbes, type Checks } from './probes.ts';
import type { LocatedConfig } from './alibaba/location.ts';
import { reachCloud, settingsOf } from './reach-cloud.ts';

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
  const { config: written, warnings } = await readCloudConfig(config.cloudConfig);
  const read = { ...written, backendType: backendTypeOf(written, environment) };
  for (const warning of [...config.warnings, ...warnings]) log.warn(warning);
  const registry = createRegistry('controller');
  await using resources = new AsyncDisposableStack();
  const kubernetes = resources.use(await connect(config, read, environment, { clock, log, registry }));
  const guard = (forMs: number): boolean => kubernetes.election?.mayWrite(forMs) ?? true;
  const { cloud, cloudConfig } = await reachCloud(config, read, environment, { clock, log, registry, guard }, stop);
  requireVpc(config, cloudConfig);
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

/** Nodes are looked for, and routes made, in one VPC; in none they would be in all of the region. */
function requireVpc({ controllers, routes, cloudConfig: path }: ControllerConfig, { vpcId }: LocatedConfig): void {
  const needing = (['node', 'route'] as const).filter(
    (name) => controllers.has(name) && (name === 'node' || routes !== undefined),
  );
  if (vpcId !== undefined || needing.length === 0) return;
  throw new PortcullisError(
    'InvalidConfiguration',
    `cloud-config file ${path}: Global.vpcid is missing, and ${needing.join(' and ')} cannot do without: set it, or leave them out with --controllers=service`,
  );
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

function appParts(
  config: ControllerConfig,
  cloudConfig: LocatedConfig,
  base: Base & { readonly kubernetes: ControllerKubernetes; readonly cloud: Cloud },
): AppParts {
  return {
    ...base,
    kubernetes: { ...base.kubernetes.api, cloudInventories: base.kubernetes.caches.cloudInventories },
    settings: settingsOf(cloudConfig),
    clusterCidrs: config.clusterCidrs,
    regionId: cloudConfig.regionId,
    protectedIds: config.protectedLoadBalancers,
    controllers: config.controllers,
    serviceWorkers: config.serviceWorkers ?? cloudConfig.maxConcurrentReconciles.service,
    nodes: nodeSettings(config, cloudConfig),
    ...routeOptions(config, cloudConfig),
    random: Math.random,
  };
}

const nodeSettings = (config: ControllerConfig, cloudConfig: LocatedConfig): NodeSettings => ({
  regionId: cloudConfig.regionId,
  vpcId: cloudConfig.vpcId ?? '',
  routes: config.routes !== undefined && config.controllers.has('route'),
  ipv6: cloudConfig.featureGates.IPv6DualStack,
  sourceDestCheck: config.sourceDestCheck,
  removalGraceMs: config.removalGraceMs,
});

function routeOptions(config: ControllerConfig, cloudConfig: LocatedConfig): Pick<AppParts, 'routes'> {
  const { routes, election } = config;
  if (routes === undefined) return {};
  const { namespace, name } = election?.lease ?? { namespace: 'kube-system', name: 'ccm' };
  return {
    routes: {
      regionId: cloudConfig.regionId,
      clusterId: cloudConfig.clusterId,
      clusterCidrs: routes.clusterCidrs,
      tableIds: cloudConfig.routeTableIds,
      auditMs: routes.auditMs,
      target: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid: '' },
    },
  };
}
