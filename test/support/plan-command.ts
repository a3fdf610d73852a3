import assert from 'node:assert/strict';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createCloud } from '../../src/alibaba/cloud.ts';
import { createCloudMetrics } from '../../src/alibaba/metrics.ts';
import { describeAction } from '../../src/clb/model/action.ts';
import { vpcRanges } from '../../src/controller/service/backends/eni-lookup.ts';
import { nodeSelector } from '../../src/controller/service/backends/cached-node-selection.ts';
import { createPolicyEvaluator } from '../../src/controller/service/evaluation/evaluator.ts';
import { QuotaLedger } from '../../src/controller/service/evaluation/quota-ledger.ts';
import { bindingsIn } from '../../src/controller/service/state/binding-store.ts';
import { createFacts } from '../../src/inventory/facts-from-caches.ts';
import type { Namespace } from '../../src/base/kubernetes-objects.ts';
import { followPolicies } from '../../src/policy/policy-watch.ts';
import type { LoadBalancerException, LoadBalancerPolicy } from '../../src/policy/custom-resources.ts';
import { planService } from '../../src/plan-command/service-plan.ts';
import { TUNABLE } from '../../src/rules/index.ts';
import { keyOf, SERVICES } from './simulated-cluster.ts';
import { SETTINGS, transportTo } from './simulated-controller.ts';
import type { Running } from './running-controller.ts';
import { aService } from './service.ts';
import { watchedDouble } from './watched-cache.ts';

/** The configuration of the controller whose plan is computed. */
export interface SetUp {
  readonly warnOnly?: boolean;
  readonly policies?: readonly LoadBalancerPolicy[];
  /** Cluster ID in the cloud-config. Defaults to that of the controller. */
  readonly clusterId?: string;
}

/** Returns the plan of `portcullis plan` for the stored Service `shop/web`, read from the cluster and cloud of a running controller. */
export async function planOfStoredService(
  { cluster }: Pick<Running, 'cluster'>,
  { warnOnly = false, policies = [], clusterId = SETTINGS.clusterId }: SetUp = {},
) {
  const { clock, kubernetes, simulator } = cluster;
  const client = kubernetes.connect();
  const log = pino({ level: 'silent' });
  const transport = transportTo(simulator, 'portcullis');
  const cloud = createCloud({
    regionId: 'cn-hangzhou',
    transport,
    inventoryTransport: transport,
    guard: () => true,
    isReadOnly: true,
    clock,
    log,
    metrics: createCloudMetrics(new Registry()),
  });
  const service = kubernetes.get(SERVICES, keyOf(aService()));
  assert.ok(service !== undefined);
  const facts = createFacts({ ...client, clock });
  const followed = {
    policies: watchedDouble<LoadBalancerPolicy>(policies),
    exceptions: watchedDouble<LoadBalancerException>(),
    namespaces: watchedDouble<Namespace>(),
  };
  const { services } = client;
  const { policyCache } = followPolicies({
    ...followed,
    services,
    tunable: TUNABLE,
    clock,
    log,
    warnOnly,
  });
  const deps = {
    ...cloud,
    caches: client,
    selectNodes: nodeSelector(client.nodes),
    evaluator: createPolicyEvaluator({
      services,
      policies: { ...followed, policyCache },
      facts,
      warnOnly,
      ledger: new QuotaLedger(services, bindingsIn(client.bindings)),
    }),
    settings: { ...SETTINGS, clusterId },
    protectedIds: new Set<string>(),
    isNear: vpcRanges(SETTINGS.vpcId, cloud.network, clock),
    clock,
  };
  const { denied, plan, lostAddresses } = await clock.complete(
    planService(service, deps, new AbortController().signal),
  );
  client.disconnect();
  return { denied, actions: plan.actions.map(describeAction), blocked: plan.blocked, lostAddresses };
}
