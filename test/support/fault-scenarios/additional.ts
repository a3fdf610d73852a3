import assert from 'node:assert/strict';
import type { EndpointSlice } from '../../../src/base/kubernetes-objects.ts';
import { ENDPOINT_SLICES, NODES, SERVICES, type Cluster } from '../simulated-cluster.ts';
import { aNode } from '../node.ts';
import { aPodSlice, interfacesOf } from '../pods.ts';
import { annotated, annotation } from '../running-controller.ts';
import type { Scenario } from './stage.ts';
import { aService, type ServiceInput } from '../service.ts';
import { create, patch, PRESERVED, remove } from './core.ts';

const applied =
  (input: ServiceInput) =>
  ({ kubernetes }: Cluster): void =>
    void kubernetes.put(SERVICES, aService(input));
const toClusterIp = patch({ spec: { type: 'ClusterIP' } });
const toOtherClass = patch({ metadata: { annotations: { 'service.beta.kubernetes.io/class': 'other' } } });

/** Creates a user-managed load balancer with a listener, a group and a backend. */
const userManaged = ({ simulator }: Cluster): void => {
  const backends = [{ serverId: 'i-1', port: 8080, weight: 7 }];
  const serverGroups = [{ id: 'rsp-hers', name: 'hers', backends }];
  const listeners = [
    { port: 8443, protocol: 'tcp', attributes: { Description: 'hers', VServerGroupId: 'rsp-hers' } },
  ] as const;
  simulator.seed({ loadBalancers: [{ id: 'lb-made', name: 'by-hand', listeners, serverGroups }] });
};
const OVERRIDING = annotated({ id: 'lb-made', 'force-override-listeners': 'true' });
const createOverriding = applied({ ports: [80, 443], annotations: OVERRIDING });
const overriding = (cluster: Cluster): void => {
  userManaged(cluster);
  createOverriding(cluster);
};
/** Replaces a port, changes an attribute of all listeners, and adds backends that a user has registered too. */
const updateOverriding = patch({
  spec: aService({ ports: [443, 8080] }).spec,
  metadata: { annotations: annotated({ scheduler: 'wrr' }) },
});

/** Creates a Node whose pods are backends themselves. */
const virtualNode = ({ kubernetes, simulator }: Cluster): void => {
  simulator.seed({ networkInterfaces: interfacesOf(4) });
  kubernetes.put(NODES, aNode('virtual', { labels: { type: 'virtual-kubelet' }, spec: { providerID: '' } }));
};
/** Returns ready pods by number. Pods from the third on run on the virtual Node. */
function podsOf(pods: readonly number[]): EndpointSlice {
  const slice = aPodSlice(aService(), pods);
  const endpoints = (slice.endpoints ?? []).map((endpoint, index) =>
    (pods[index] ?? 0) < 3 ? endpoint : { ...endpoint, nodeName: 'virtual' },
  );
  return { ...slice, endpoints };
}
const withPods =
  (pods: readonly number[]) =>
  ({ kubernetes }: Cluster): void =>
    void kubernetes.put(ENDPOINT_SLICES, podsOf(pods));
const onVirtualNode = (cluster: Cluster): void => {
  virtualNode(cluster);
  withPods([1, 2, 3])(cluster);
  create80(cluster);
};
const create80 = ({ kubernetes }: Cluster): void => {
  const service = aService();
  kubernetes.put(SERVICES, { ...service, spec: { ...service.spec, externalTrafficPolicy: 'Local' } });
};

/** Creates a vSwitch without free addresses. */
const fullVSwitch = ({ simulator }: Cluster): void =>
  void simulator.seed({
    vSwitches: [{ id: 'vsw-full', vpcId: 'vpc-1', cidrBlock: '10.2.0.0/24', capacity: 0 }],
  });

/** Creates a user-managed private load balancer with an elastic IP address. */
const withElasticAddress = ({ simulator }: Cluster): void =>
  void simulator.seed({
    loadBalancers: [{ id: 'lb-made', name: 'by-hand', addressType: 'intranet', vSwitchId: 'vsw-1' }],
    eips: [{ id: 'eip-1', address: '8.8.4.4', instanceId: 'lb-made', instanceType: 'SlbInstance' }],
  });

/** Scenarios that share most steps with `SCENARIOS`. In the suite faults, each meets only some faults and kills, which saves time. */
export const FURTHER_SCENARIOS = {
  'change to another type': { prepare: create, act: toClusterIp },
  'change of a preserved Service to another type': {
    prepare: applied({ annotations: annotated(PRESERVED) }),
    act: toClusterIp,
  },
  'transfer to another class': { prepare: create, act: toOtherClass },
  'creation that overrides listeners of a reused load balancer': { prepare: userManaged, act: createOverriding },
  'update of listeners of a reused load balancer': { prepare: overriding, act: updateOverriding },
  'deletion from a reused load balancer': { prepare: overriding, act: remove },
  'transfer of a reused load balancer to another class': { prepare: overriding, act: toOtherClass },
  'creation for pods on virtual nodes': {
    prepare: (cluster) => {
      virtualNode(cluster);
      withPods([1, 3])(cluster);
    },
    act: create80,
  },
  'move of pods to virtual nodes': { prepare: onVirtualNode, act: withPods([1, 3, 4]) },
  'creation with a full vSwitch': {
    // Every attempt starts with the vSwitch of the Service.
    repeatedCalls: 1,
    settings: { vSwitchIds: ['vsw-full', 'vsw-1'] },
    prepare: fullVSwitch,
    act: applied({ annotations: annotated({ 'address-type': 'intranet' }) }),
  },
  'creation with a host name': {
    prepare: () => undefined,
    act: applied({ annotations: annotated({ hostname: 'web.example' }) }),
  },
  'creation with an elastic address': {
    prepare: withElasticAddress,
    act: applied({ annotations: annotated({ id: 'lb-made', 'external-ip-type': 'eip' }) }),
  },
  'change from an elastic address to a host name': {
    prepare: (cluster) => {
      withElasticAddress(cluster);
      applied({ annotations: annotated({ id: 'lb-made', 'external-ip-type': 'eip' }) })(cluster);
    },
    act: patch({ metadata: { annotations: { [annotation('hostname')]: 'web.example' } } }),
  },
} as const satisfies Readonly<Record<string, Scenario>>;

/** Returns the item for a position, in rotation. Distributes faults over the calls of a scenario. */
export function cyclic<Item>(all: readonly Item[], index: number): Item {
  const item = all[index % all.length];
  assert.ok(item !== undefined, 'no item to select');
  return item;
}
