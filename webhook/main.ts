import { systemClock } from '../src/base/clock.ts';
import { createFacts } from '../src/inventory/facts-from-caches.ts';
import { withProtected } from '../src/inventory/facts-with-protected-ids.ts';
import { webhookCaches, type FollowingCaches } from '../src/kubernetes/caches.ts';
import { inClusterConnection, type Connection } from '../src/kubernetes/connection.ts';
import { kubeconfigConnection } from '../src/kubernetes/kubeconfig.ts';
import { reflectorMetrics, transportMetrics } from '../src/kubernetes/metrics.ts';
import { policyCaches } from '../src/kubernetes/policy-caches.ts';
import { Transport } from '../src/kubernetes/transport.ts';
import { perTickOutput, rootLogger } from '../src/base/log.ts';
import { createRegistry } from '../src/base/process-metrics.ts';
import { startProbes, type Checks } from '../src/base/probes.ts';
import { VERSION } from '../src/version.ts';
import { createAdmission } from './admission/admission.ts';
import { hostOf } from './server/bind-address.ts';
import { decisionLog } from './admission/decision-log.ts';
import { followPair, readPair } from './server/certificate-files.ts';
import { followClients, readClients } from './server/client-certificates.ts';
import type { WebhookConfig } from './config.ts';
import { drain, drainable } from './server/drain.ts';
import { defaultsBy } from './mutate/policy-defaults.ts';
import { createMetrics } from './metrics.ts';
import { createPolicyCache } from './policy-cache.ts';
import { createServingCertificate } from './server/serving-certificate.ts';
import { buildServer, listen } from './server/server.ts';
import { ALL_RULES } from './admission/validate.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The rate limit of requests to the API server. A low limit is enough, because the process only lists and watches seven kinds. */
const RATE = { perSecond: 20, burst: 30 };

const clock = systemClock;

/** Runs the process of `portcullis webhook` until SIGTERM or SIGINT. A second signal ends the wait for the last requests. */
export async function runWebhook(
  config: WebhookConfig,
  environment: Environment,
  decideBy: typeof createAdmission = createAdmission,
): Promise<void> {
  const output = perTickOutput();
  const log = rootLogger(config.logLevel, output);
  const registry = createRegistry('webhook');
  const metrics = createMetrics(registry, [...ALL_RULES.service, ...ALL_RULES.node]);
  const stop = stopSignals();
  await using resources = new AsyncDisposableStack();
  const pair = await readPair(config.certificate);
  const clients = config.clients === undefined ? undefined : await readClients(config.clients);
  const transport = resources.use(
    new Transport({
      connection: await connect(config, environment),
      clock,
      userAgent: `portcullis-webhook/${VERSION}`,
      rate: RATE,
      metrics: transportMetrics(registry),
    }),
  );
  const caching = { transport, clock, log, metrics: reflectorMetrics(registry) };
  const kubernetes = webhookCaches(caching);
  const policies = policyCaches(caching);
  const facts = withProtected(createFacts({ ...kubernetes, clock }), config.protectedLoadBalancers);
  const policy = createPolicyCache({ ...kubernetes, ...policies, clock, log, registry, warnOnly: config.warnOnly });
  const admission = decideBy({
    ...{ facts, policy, rules: ALL_RULES, clock, log, metrics, defaults: defaultsBy(policy, facts) },
    ...{ deprecatedKeys: config.deprecatedKeys, strict: config.strict },
    ...{ logDecision: decisionLog(log, output, clock), afterResponse: setImmediate },
  });
  const server = buildServer({ ...admission, clock, log, metrics, maxInFlight: config.maxInFlight, clients }, pair);
  const drainState = drainable(server);
  const certificate = createServingCertificate(server, pair, { clock, metrics, log, clients });
  resources.defer(() => server.close());
  await listen(server, config.listen);
  log.info({ addresses: server.addresses() }, 'serving admission reviews');
  const ready: Checks = {
    ...passingAfterTimeout({ ...kubernetes.checks, ...policies.checks }, clock.monotonic(), config.cacheSyncMs),
    certificate: certificate.check,
    shutdown: () => (drainState.begun ? 'the process is stopping' : undefined),
  };
  const { port } = config.probes;
  resources.use(await startProbes({ host: hostOf(config.probes), port, registry, log, healthy: {}, ready }));
  const following = new AbortController();
  const background = Promise.all([
    kubernetes.run(following.signal),
    policies.run(following.signal),
    collectGarbageOnceSynced([kubernetes, policies], following.signal),
    followPair(pair, { files: config.certificate, clock, ...certificate }, following.signal),
    followClients(clients, { config: config.clients, clock, ...certificate.clients }, following.signal),
  ]);
  await stop.first;
  log.info({ drainMs: config.drainMs }, 'stopping, still serving requests');
  await drain(server, drainState, config.drainMs, clock, stop.second);
  following.abort();
  await background;
  log.info('stopped');
}

/** The delay before garbage is collected, in milliseconds. An immediate collection would delay the first probe and the first reviews. */
const COLLECTION_DELAY_MS = 2_000;

/** Collects garbage once the caches are filled, because the first lists would otherwise stay in resident memory. Never rejects. */
async function collectGarbageOnceSynced(caches: readonly FollowingCaches[], signal: AbortSignal): Promise<void> {
  try {
    await Promise.all(caches.map((each) => each.synced(signal)));
    await clock.sleep(COLLECTION_DELAY_MS, signal);
    // `gc` exists only with the flag `--expose-gc`, which the shipped Deployment sets.
    globalThis.gc?.();
  } catch {
    // The process stops before the caches are filled.
  }
}

/** Returns a promise of the first stop signal, and an abort signal for the second stop signal. */
function stopSignals(): { readonly first: Promise<unknown>; readonly second: AbortSignal } {
  const { promise: first, resolve } = Promise.withResolvers();
  const second = new AbortController();
  let signals = 0;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      signals += 1;
      resolve(name);
      if (signals > 1) second.abort();
    });
  }
  return { first, second: second.signal };
}

const connect = (config: WebhookConfig, environment: Environment): Promise<Connection> =>
  config.kubeconfig === undefined
    ? inClusterConnection(environment, clock)
    : kubeconfigConnection({ path: config.kubeconfig, clock });

/** Returns readiness checks that pass after a timeout, because a webhook with empty caches can evaluate most rules. */
const passingAfterTimeout = (checks: Checks, startedAt: number, timeoutMs: number): Checks =>
  Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [
      name,
      () => (clock.monotonic() - startedAt < timeoutMs ? check() : undefined),
    ]),
  );
