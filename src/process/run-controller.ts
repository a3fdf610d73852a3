import { hostname } from 'node:os';
import type { Registry } from 'prom-client';
import type { CloudApis } from '../alibaba/cloud.ts';
import { appSettings } from './app-settings.ts';
import { runApp, type AppParts } from './app.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import {
  backendTypeOf,
  readCloudConfig,
  type CloudConfig,
  type CloudConfigFile,
  type LocatedConfig,
} from '../base/cloud-config.ts';
import type { ControllerConfig } from '../controller/config-from-flags.ts';
import type { ListenAddress } from '../controller/flag-values.ts';
import { leaseTarget, requireVpc } from '../controller/node-and-route-settings.ts';
import { within } from '../base/deadline.ts';
import { EXIT } from '../base/exit-code.ts';
import { FollowedConfig, type ConfigChange, type FollowParts } from './config-reload.ts';
import { controllerKubernetes, type ControllerKubernetes } from '../kubernetes/controller-webhook-clients.ts';
import { pluginConnection } from '../kubernetes/credential-plugin.ts';
import { inClusterConnection } from '../kubernetes/connection.ts';
import { awaitFirstLists } from '../kubernetes/first-list-wait.ts';
import { kubeconfigConnection } from '../kubernetes/kubeconfig.ts';
import { rootLogger, type Logger } from '../base/log.ts';
import { configMetrics, createRegistry, ProcessMetrics } from '../base/process-metrics.ts';
import { startProbes, type Checks, type ProbesOptions } from '../base/probes.ts';
import { reachCloud } from './cloud-connection.ts';
import { watchedUntil } from '../base/cache-interfaces.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The timeout of a shutdown after SIGTERM or SIGINT, in milliseconds: less than the 30 s after which the kubelet kills the pod. */
const STOP_MS = 25_000;
/** The timeout of the first lists of policies, in milliseconds. */
const POLICIES_MS = 10_000;
/** The timeout of a shutdown after a failure, such as a lost Lease, in milliseconds. */
const FAIL_MS = 10_000;

/** Runs `portcullis controller` until SIGTERM or SIGINT. Rejects with `LostLeadership`, `InvalidConfiguration`, `Unauthorized` or `Unavailable`. */
export async function runController(config: ControllerConfig, environment: Environment): Promise<void> {
  const clock = systemClock;
  const log = rootLogger(config.logLevel);
  const stop = stopSignal(log);
  const read = readerOf(config, environment);
  const { config: written, warnings } = await read();
  for (const warning of [...config.warnings, ...warnings]) log.warn(warning);
  const registry = createRegistry('controller');
  await using resources = new AsyncDisposableStack();
  const kubernetes = resources.use(await connect(config, written, environment, { clock, log, registry }));
  const guard = (forMs: number): boolean => kubernetes.election?.mayWrite(forMs) ?? true;
  const { cloud, cloudConfig: located } = await reachCloud(
    config,
    written,
    environment,
    { clock, log, registry, guard },
    stop,
  );
  requireVpc(config, located);
  const processMetrics = new ProcessMetrics(registry);
  await serveProbes(config, kubernetes, resources, { log, registry: processMetrics });
  const warn = (message: string): void => log.warn(message);
  const followed = new FollowedConfig({
    read,
    written,
    located,
    clock,
    warnings,
    warn,
    ...reporters(config, kubernetes, log),
  });
  configMetrics(registry, { isUpToDate: () => followed.isUpToDate });
  const issuer = await issuerOf(config);
  const following = new AbortController();
  const background = Promise.all([kubernetes.run(following.signal), followed.run(following.signal)]);
  const lead = (signal: AbortSignal, leaseTransitions?: number): Promise<void> =>
    followed.keepRunning((cloudConfig, untilChange) => {
      const controllerRegistry = processMetrics.forControllers();
      const base = { clock, log, kubernetes, cloud, registry: controllerRegistry, leaseTransitions, ...issuer };
      return runApp(appParts(config, cloudConfig, base, untilChange), untilChange);
    }, signal);
  try {
    await awaitFirstLists(kubernetes.caches, clock, stop);
    await readPolicies(kubernetes, clock, log, stop);
    await (kubernetes.election === undefined ? lead(stop) : kubernetes.election.run(lead, stop));
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

/** Waits a limited time for the policies, because the controller can update backends without policies. */
async function readPolicies(
  { policies }: ControllerKubernetes,
  clock: Clock,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    await within(clock, POLICIES_MS, signal, (inTime) => policies.synced(inTime));
  } catch (error) {
    signal.throwIfAborted();
    const problems = Object.values(policies.checks).flatMap((check) => check() ?? []);
    log.warn(
      { err: error, problems },
      'failed to read the policies in time: until their lists are complete, the controller changes only backends of load balancers',
    );
  }
}

/** Returns the issuer of the webhook's certificates. Loads its code only if the flag for self-managed certificates is set. */
const issuerOf = async ({ hasSelfManagedCertificates }: ControllerConfig): Promise<Pick<AppParts, 'issuer'>> =>
  hasSelfManagedCertificates ? { issuer: await import('../certificate/x509.ts') } : {};

/** Exits the process after `ms` milliseconds, unless the process ends earlier. Without this limit, a blocked process could keep the Lease. */
function endWithin(ms: number, log: Logger): void {
  const end = (): never => {
    log.error({ ms }, 'shutdown timed out, exiting');
    process.exit(EXIT.failed);
  };
  setTimeout(end, ms).unref();
}

/** Returns a signal that the first SIGTERM or SIGINT aborts. A second SIGTERM or SIGINT exits the process at once. */
function stopSignal(log: Logger): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(EXIT.failed);
      endWithin(STOP_MS, log);
      stop.abort(new Error(`received ${name}`));
    });
  }
  return stop.signal;
}

/** Returns a function that reads the cloud-config file. Environment variables may override its backend type. */
const readerOf =
  ({ cloudConfig: path }: ControllerConfig, environment: Environment) =>
  async (): Promise<CloudConfigFile> => {
    const file = await readCloudConfig(path);
    return { ...file, config: { ...file.config, backendType: backendTypeOf(file.config, environment) } };
  };

const isGood = (change: ConfigChange): boolean => change === 'CloudConfigChanged';

/** Returns the functions that report states of the cloud-config file. Only the leader records events, so that each event appears once. */
function reporters(
  config: ControllerConfig,
  { api, election }: ControllerKubernetes,
  log: Logger,
): Pick<FollowParts, 'note' | 'report'> {
  return {
    note: (change, message) => {
      log[isGood(change) ? 'info' : 'warn']({ file: config.cloudConfig }, message);
    },
    report: (change, message) => {
      const leads = election?.mayWrite(0) ?? true;
      if (leads) api.events.record(leaseTarget(config), isGood(change) ? 'Normal' : 'Warning', change, message);
      return leads;
    },
  };
}

type Base = Pick<AppParts, 'clock' | 'log' | 'registry'>;

/** Connects to the API server, with a kubeconfig file or as the pod's service account. */
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
  // Two processes on one machine must not share an identity, because both could hold the Lease.
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

/** Serves health, readiness and metrics until `resources` is disposed. */
async function serveProbes(
  config: ControllerConfig,
  { caches, policies, election }: ControllerKubernetes,
  resources: AsyncDisposableStack,
  base: Pick<ProbesOptions, 'log' | 'registry'>,
): Promise<void> {
  const healthy: Checks = { 'leader-election': () => election?.problem() };
  const serve = async ({ host, port }: ListenAddress, checks: { readonly healthy: Checks; readonly ready: Checks }) =>
    resources.use(await startProbes({ host: host === '' ? '0.0.0.0' : host, port, ...base, ...checks }));
  await serve(config.probes, { healthy, ready: { ...caches.checks, ...policies.checks } });
  if (config.metrics !== undefined) await serve(config.metrics, { healthy: {}, ready: {} });
}

/** The dependencies of the controllers that stay the same after a change of the cloud-config. */
interface AppBase extends Pick<AppParts, 'issuer' | 'leaseTransitions'> {
  readonly kubernetes: ControllerKubernetes;
  readonly cloud: CloudApis;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Returns the dependencies of the controllers for one cloud-config. After the signal is aborted, the caches report no changes to the controllers. */
function appParts(
  config: ControllerConfig,
  cloudConfig: LocatedConfig,
  base: AppBase & { readonly registry: Registry },
  signal: AbortSignal,
): AppParts {
  const { api, caches, policies } = base.kubernetes;
  return {
    ...base,
    kubernetes: {
      ...api,
      services: watchedUntil(api.services, signal),
      endpointSlices: watchedUntil(api.endpointSlices, signal),
      nodes: watchedUntil(api.nodes, signal),
      pods: watchedUntil(api.pods, signal),
      classicLoadBalancers: watchedUntil(api.classicLoadBalancers, signal),
      bindings: watchedUntil(api.bindings, signal),
      cloudInventories: watchedUntil(caches.cloudInventories, signal),
    },
    policies: {
      policies: watchedUntil(policies.policies, signal),
      exceptions: watchedUntil(policies.exceptions, signal),
      namespaces: watchedUntil(policies.namespaces, signal),
    },
    ...appSettings(config, cloudConfig),
    random: Math.random,
  };
}
