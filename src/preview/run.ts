import { Registry } from 'prom-client';
import { reachCloud, settingsOf, type CloudFlags } from '../reach-cloud.ts';
import { systemClock, type Clock } from '../clock.ts';
import { readCloudConfig } from '../config.ts';
import type { ControllerConfig } from '../controller/config.ts';
import { neighbourhood } from '../controller/service/backends/interfaces.ts';
import { nodeSelector } from '../controller/service/backends/node-selector.ts';
import { isOurs } from '../controller/service/triggers.ts';
import { messageOf, PortcullisError } from '../errors.ts';
import { createJudge } from '../controller/service/judging/judge.ts';
import { createFacts } from '../inventory/cached-facts.ts';
import { clusterFacts, type ClusterFacts } from '../inventory/cluster-facts.ts';
import { openReader } from '../kubernetes/reader.ts';
import { sideBySide } from '../lint/cluster/side-by-side.ts';
import type { Source } from '../lint/source.ts';
import type { Logger } from '../log.ts';
import { keyOf, type Service } from '../objects.ts';
import { followPolicies } from '../policy/follow.ts';
import { TUNABLE } from '../../webhook/rules/index.ts';
import { snapshotOf, type Snapshot } from './cluster.ts';
import { previewOf, type PreviewDeps } from './preview.ts';
import type { Planned } from './report.ts';
import { servicesIn } from './services.ts';

/** What is planned for, and with what. */
export interface PreviewRequest {
  readonly config: CloudFlags & Pick<ControllerConfig, 'clusterCidrs' | 'protectedLoadBalancers' | 'warnOnly'>;
  /** As kubectl chooses, where absent. */
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Of objects that name none; that of the context where absent. */
  readonly namespace?: string;
  /** The Services of these files; all of the cluster where absent. */
  readonly sources?: readonly Source[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const AT_A_TIME = 4;

const failureOf = (error: unknown): PortcullisError =>
  error instanceof PortcullisError ? error : new PortcullisError('Bug', messageOf(error), { cause: error });

/**
 * Plans for Services without changing anything: the cluster is read once, the cloud as far as they need it, behind a door that lets
 * no changing call pass. One Service that cannot be planned for holds up none of the others.
 * Rejects a `PortcullisError` where there is nothing to plan with: configuration, credentials or cluster.
 */
export async function previewAll(request: PreviewRequest): Promise<readonly Planned[]> {
  const { config, environment, log, signal, sources } = request;
  const clock = systemClock;
  const { config: read } = await readCloudConfig(config.cloudConfig);
  const base = { clock, log, registry: new Registry(), guard: () => false, isReadOnly: true };
  const { cloud, cloudConfig } = await reachCloud(config, read, environment, base, signal);
  await using reader = await openReader({ ...request, clock, component: 'portcullis-plan' });
  const source = cloudConfig.featureGates.EndpointSlice ? 'slices' : 'endpoints';
  const caches = await snapshotOf(reader, source, log, signal);
  const settings = settingsOf(cloudConfig);
  const told = clusterFacts({ settings, regionId: cloudConfig.regionId, clusterCidrs: config.clusterCidrs });
  const deps: PreviewDeps = {
    ...cloud,
    caches,
    selectNodes: nodeSelector(caches.nodes),
    judge: judgeOver(caches, { clock, log, warnOnly: config.warnOnly, told }),
    settings,
    protectedIds: config.protectedLoadBalancers,
    isNear: neighbourhood(settings.vpcId, cloud.network, clock),
    clock,
  };
  const services =
    sources === undefined
      ? [...caches.services.values()].filter(isOurs)
      : servicesIn(sources, request.namespace ?? reader.namespace, caches.services);
  return await sideBySide(services, AT_A_TIME, (service) => plannedFor(service, deps, signal));
}

/** By the policies of the cluster, as the controller judges. */
function judgeOver(
  caches: Snapshot,
  base: { readonly clock: Clock; readonly log: Logger; readonly warnOnly: boolean; readonly told: ClusterFacts },
) {
  const { book } = followPolicies({ ...caches, ...base, tunable: TUNABLE });
  const facts = createFacts({ ...caches, ...base });
  return createJudge({ services: caches.services, policies: { ...caches, book }, facts, warnOnly: base.warnOnly });
}

async function plannedFor(service: Service, deps: PreviewDeps, signal: AbortSignal): Promise<Planned> {
  try {
    return { service: keyOf(service), ...(await previewOf(service, deps, signal)) };
  } catch (error) {
    signal.throwIfAborted();
    return { service: keyOf(service), failure: failureOf(error) };
  }
}
