import { settingsOf, type CloudFlags } from '../process/cloud-connection.ts';
import type { Clock } from '../base/clock.ts';
import type { ControllerConfig } from '../controller/config-from-flags.ts';
import { vpcRanges } from '../controller/service/backends/eni-lookup.ts';
import { nodeSelector } from '../controller/service/backends/cached-node-selection.ts';
import { PortcullisError } from '../base/errors.ts';
import { createPolicyEvaluator, type PolicyEvaluator } from '../controller/service/evaluation/evaluator.ts';
import { QuotaLedger } from '../controller/service/evaluation/quota-ledger.ts';
import { bindingsIn } from '../controller/service/state/binding-store.ts';
import { NO_CLUSTER_ID } from '../base/default-cluster-id.ts';
import { createFacts, INVENTORY_KEY } from '../inventory/facts-from-caches.ts';
import { clusterFacts, type ClusterFacts } from '../inventory/configured-cluster-facts.ts';
import type { Facts } from '../inventory/facts.ts';
import { withProtected } from '../inventory/facts-with-protected-ids.ts';
import { rulesFor, lintResultOf } from '../lint/webhook-evaluation.ts';
import type { Logger } from '../base/log.ts';
import type { PolicyCache } from '../policy/policy-cache.ts';
import { followPolicies } from '../policy/policy-watch.ts';
import { TUNABLE } from '../rules/index.ts';
import { snapshotOf, type ClusterSnapshot } from './cluster-snapshot.ts';
import type { PlanDeps } from './service-plan.ts';
import { reachBoth, type ReachRequest } from './cluster-and-cloud.ts';
import type { Admit } from './services-in-files.ts';

/** The request of a plan, from the flags of a command. */
export interface PlanRequest extends ReachRequest {
  readonly config: CloudFlags & Pick<ControllerConfig, 'clusterCidrs' | 'protectedLoadBalancers' | 'warnOnly'>;
  /** With files, the namespace of objects without a namespace. Without files, the only namespace whose Services are planned. */
  readonly namespace?: string;
}

/** The state of a cluster, and the dependencies of plans. */
export interface Planning {
  readonly caches: ClusterSnapshot;
  readonly deps: PlanDeps;
  /** The namespace of objects without a namespace. */
  readonly namespace: string;
  /** Evaluates a Service of a file as the webhook would. */
  readonly admit: Admit;
}

/** Reads the cluster, and opens the cloud for reads. Rejects if configuration, credentials or cluster are unusable. */
export async function preparePlanning(request: PlanRequest): Promise<Planning> {
  const { config, log, signal } = request;
  const { cloud, cloudConfig, clock, reader: opened } = await reachBoth(request);
  await using reader = opened;
  const source = cloudConfig.featureGates.EndpointSlice ? 'slices' : 'endpoints';
  const caches = await snapshotOf(reader, source, log, signal);
  const settings = settingsOf(cloudConfig);
  const configuredFacts = clusterFacts({ settings, regionId: cloudConfig.regionId, clusterCidrs: config.clusterCidrs });
  requireSameCluster(settings.clusterId, caches);
  const evaluationInputs = evaluationInputsOf(caches, { ...config, clock, log, configuredFacts });
  const deps: PlanDeps = {
    ...cloud,
    caches,
    selectNodes: nodeSelector(caches.nodes),
    evaluator: evaluatorOver(caches, evaluationInputs),
    settings,
    protectedIds: config.protectedLoadBalancers,
    isNear: vpcRanges(settings.vpcId, cloud.network, clock),
    clock,
  };
  return { caches, deps, namespace: request.namespace ?? reader.namespace, admit: admission(evaluationInputs) };
}

/** Throws `InvalidConfiguration` if the controller runs with another cluster id, because all names and tags in the cloud would look foreign. */
function requireSameCluster(clusterId: string, { cloudInventories }: ClusterSnapshot): void {
  const running = cloudInventories.get(INVENTORY_KEY)?.status?.clusterId ?? NO_CLUSTER_ID;
  if (running === NO_CLUSTER_ID || running === clusterId) return;
  throw new PortcullisError(
    'InvalidConfiguration',
    `cloud-config: Global.clusterID is ${clusterId === NO_CLUSTER_ID ? 'not set' : JSON.stringify(clusterId)}, but the controller of this cluster runs with ${JSON.stringify(running)}, according to CloudInventory default; use the cloud-config of that controller`,
  );
}

/** The facts and policies with which the rules evaluate Services. */
interface EvaluationInputs {
  readonly facts: Facts;
  readonly policyCache: PolicyCache;
  readonly warnOnly: boolean;
  readonly protectedIds: ReadonlySet<string>;
}

/** The inputs from which `EvaluationInputs` are built. */
interface EvaluationInputsBase extends Pick<ControllerConfig, 'warnOnly' | 'protectedLoadBalancers'> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly configuredFacts: ClusterFacts;
}

const evaluationInputsOf = (
  caches: ClusterSnapshot,
  { clock, log, configuredFacts, warnOnly, protectedLoadBalancers: protectedIds }: EvaluationInputsBase,
): EvaluationInputs => ({
  facts: createFacts({ ...caches, clock, configuredFacts }),
  policyCache: followPolicies({ ...caches, clock, log, warnOnly, tunable: TUNABLE }).policyCache,
  warnOnly,
  protectedIds,
});

/** Returns the evaluator of stored Services, which uses the policies of the cluster, as the controller does. */
const evaluatorOver = (caches: ClusterSnapshot, { facts, policyCache, warnOnly }: EvaluationInputs): PolicyEvaluator =>
  createPolicyEvaluator({
    services: caches.services,
    policies: { ...caches, policyCache },
    facts,
    warnOnly,
    ledger: new QuotaLedger(caches.services, bindingsIn(caches.bindings)),
  });

/** Returns the evaluator of Services in files, which uses all rules and policies, as the webhook does. */
function admission({ facts, policyCache, protectedIds }: EvaluationInputs): Admit {
  const lintContext = {
    facts: withProtected(facts, protectedIds),
    rules: rulesFor(true, true),
    policyContext: { policyCache },
  };
  return (wanted, stored) => lintResultOf(wanted, stored, lintContext);
}
