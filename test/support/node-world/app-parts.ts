import type { AppParts } from '../../../src/app.ts';
import type { EventRecorder, KubernetesWriter } from '../../../src/controller/port.ts';
import type { Cache } from '../../../src/kubernetes/store.ts';
import { parseCidr } from '../../../src/node/cidr.ts';
import type { Node } from '../../../src/objects.ts';
import { SETTINGS } from '../controller-process.ts';
import { REGION } from '../simulator.ts';
import { watchedDouble } from '../watched.ts';
import { PODS } from './node-cluster.ts';
import type { ControllerSaid } from './scenario.ts';

/** What is told of all routes is told of this. */
const TARGET = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'ccm',
  namespace: 'kube-system',
  uid: '',
};

export interface NodeSide {
  readonly nodes: Cache<Node>;
  readonly writer: KubernetesWriter;
  readonly events: EventRecorder;
}

/** What a process runs on that was told this, as flags and cloud-config would tell it; all that is no Node is empty. */
export function appParts(
  base: Pick<AppParts, 'cloud' | 'registry' | 'log' | 'clock'>,
  side: NodeSide,
  said: ControllerSaid,
): AppParts {
  const { clusterCidrs = [PODS], tableIds = [], controllers = ['node', 'route'], clusterId = 'c1' } = said;
  const { regionId = REGION, vpcId = 'vpc-1', ipv6 = false, sourceDestCheck = 'disable' } = said;
  const { removalGraceMs = 60_000 } = said;
  const { routes = true } = said;
  const ranges = clusterCidrs.flatMap((range) => parseCidr(range) ?? []);
  return {
    ...base,
    kubernetes: {
      services: watchedDouble(),
      endpointSlices: watchedDouble(),
      pods: watchedDouble(),
      classicLoadBalancers: watchedDouble(),
      cloudInventories: watchedDouble(),
      ...side,
    },
    settings: { ...SETTINGS, vpcId },
    clusterCidrs,
    regionId,
    protectedIds: new Set(),
    warnOnly: false,
    controllers: new Set(controllers),
    serviceWorkers: 1,
    nodes: { regionId, vpcId, routes, ipv6, sourceDestCheck, removalGraceMs },
    ...(routes
      ? { routes: { regionId, clusterId, clusterCidrs: ranges, tableIds, auditMs: 3_600_000, target: TARGET } }
      : {}),
    random: () => 0.5,
  };
}
