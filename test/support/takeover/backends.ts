import type { Node, Pod } from '../../../src/base/kubernetes-objects.ts';
import { aSlice, ENDPOINT_SLICES, NODES } from '../simulated-cluster.ts';
import { aNode } from '../node.ts';
import { addressOf, aPodSlice, interfacesOf } from '../pods.ts';
import { onNodes, onPods, type LeftBehind } from './existing-controller.ts';
import { annotating } from './load-balancers.ts';

const PODS = { 'service.beta.kubernetes.io/backend-type': 'eni' };
const GATE = 'service.readiness.alibabacloud.com/web';
const LOCAL = { externalTrafficPolicy: 'Local' };
const WORLD = { networkInterfaces: interfacesOf(9) };
const instance = (index: number) => ({
  id: `i-${index}`,
  vSwitchId: 'vsw-1',
  privateAddresses: [`10.1.0.${index + 10}`],
});
const node = (index: number, over: Parameters<typeof aNode>[1] = {}): Node =>
  aNode(`n${index}`, { ...over, spec: { providerID: `cn-hangzhou.i-${index}`, ...over.spec } });
const virtual = aNode('vk', {
  labels: { type: 'virtual-kubelet', 'service.alibabacloud.com/exclude-node': 'true' },
  spec: { providerID: '' },
});
const port = (targetPort: number | string, number = 80) => ({
  name: `p${number}`,
  port: number,
  protocol: 'TCP',
  targetPort,
  nodePort: 30_000 + number,
});
const target = ({ targetPort }: { readonly targetPort?: number | string }): number | string => targetPort ?? 0;

/** Returns a pod whose readiness gate for the Service is true, as the Alibaba Cloud Controller Manager (the existing controller) sets it. */
const gatedPod = (index: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${index}`, namespace: 'shop', uid: `pod-${index}`, resourceVersion: '' },
  spec: { containers: [], readinessGates: [{ conditionType: GATE }] },
  status: {
    conditions: [
      { type: 'ContainersReady', status: 'True' },
      { type: GATE, status: 'True', reason: 'ServerRegistered', message: 'in the other controller’s words' },
      { type: 'Ready', status: 'True' },
    ],
  },
});

/** Services of the existing controller with every kind of backend, on owned load balancers. A takeover must change nothing in the cloud. */
export const BACKENDS: Readonly<Record<string, LeftBehind>> = {
  'policy Local, with Nodes weighted by pods': {
    spec: LOCAL,
    slice: (service) => aSlice(service, ['n1', 'n1', 'n1', 'n2']),
    servers: onNodes([3, 1]),
    later: {
      act: ({ kubernetes }, service) => void kubernetes.put(ENDPOINT_SLICES, aSlice(service, ['n1', 'n1', 'n2', 'n2'])),
      // The existing controller creates `rr`, so weights are effective again after the next change.
      calls: ['SetVServerGroupAttribute', 'SetLoadBalancerTCPListenerAttribute'],
    },
  },
  'policy Local without pods': { spec: LOCAL, slice: (service) => aSlice(service, []), servers: [] },
  'Nodes without pods': { slice: (service) => aSlice(service, []) },
  'a weight for each server': {
    annotations: { 'default-weight': '50' },
    servers: onNodes([50, 50, 50]),
    later: annotating({ 'default-weight': '60' }, 'SetVServerGroupAttribute'),
  },
  'unmanaged weights that a user changed': {
    annotations: { 'ignore-weight-update': 'on' },
    servers: onNodes([10, 20, 30]),
  },
  "a user's member in its group": {
    servers: [
      ...onNodes([100, 100, 100]),
      { ServerId: 'i-9', Port: 8080, Weight: 5, Type: 'ecs', Description: 'hers' },
    ],
    world: { instances: [instance(9)] },
  },
  'only selected Nodes': {
    annotations: { 'backend-label': 'pool=front' },
    nodes: [node(4, { labels: { pool: 'front' } })],
    world: { instances: [instance(4)] },
    servers: [{ ServerId: 'i-4', Weight: 100, Type: 'ecs' }],
  },
  'no cordoned Nodes': {
    annotations: { 'remove-unscheduled-backend': 'on' },
    nodes: [node(3, { spec: { unschedulable: true } })],
    servers: onNodes([100, 100]),
    later: {
      act: ({ kubernetes }) => void kubernetes.put(NODES, node(3)),
      calls: ['AddVServerGroupBackendServers'],
    },
  },
  'cordoned Nodes, which stay': { nodes: [node(3, { spec: { unschedulable: true } })] },
  'Nodes of all kinds that are not its servers': {
    nodes: [
      node(4, { labels: { 'node-role.kubernetes.io/master': '' } }),
      node(5, { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'false' } }),
      node(6, { labels: { 'service.alibabacloud.com/exclude-node': '' } }),
      node(7, { ready: 'False' }),
      node(8, { spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] } }),
      aNode('n9', { conditions: [], spec: { providerID: 'cn-hangzhou.i-9' } }),
      aNode('hybrid', { spec: { providerID: 'ack-hybrid://n' } }),
    ],
  },
  'Nodes of the control plane by their newer label, which are its servers': {
    nodes: [node(3, { labels: { 'node-role.kubernetes.io/control-plane': '' } })],
  },
  'a Node with a provider ID in the longer form': {
    nodes: [node(3, { spec: { providerID: 'alicloud://cn-hangzhou.i-3' } })],
  },
  'two dozen Nodes': {
    nodes: Array.from({ length: 21 }, (_, index) => node(index + 4)),
    world: { instances: Array.from({ length: 21 }, (_, index) => instance(index + 4)) },
    servers: onNodes(Array.from({ length: 24 }, () => 100)),
  },
  pods: {
    annotations: PODS,
    ports: [port(8080)],
    slice: (service) => aPodSlice({ ...service, spec: { ...service.spec, ports: [port(8080)] } }, [1, 2, 3]),
    groupPort: target,
    servers: onPods([1, 2, 3], 8080),
    world: WORLD,
    later: {
      act: ({ kubernetes }, service) => void kubernetes.put(ENDPOINT_SLICES, aPodSlice(service, [1, 2, 4])),
      calls: ['AddVServerGroupBackendServers', 'RemoveVServerGroupBackendServers'],
    },
  },
  'pods by the cluster’s default': {
    ports: [port(8080)],
    settings: { backendType: 'eni' },
    slice: (service) => aPodSlice(service, [1, 2]),
    groupPort: target,
    servers: onPods([1, 2], 8080),
    world: WORLD,
  },
  'pods behind two ports with the same target, which share a group': {
    annotations: PODS,
    ports: [port(8080), port(8080, 81)],
    slice: (service) => aPodSlice(service, [1, 2]),
    groupPort: target,
    servers: onPods([1, 2], 8080),
    world: WORLD,
  },
  'pods behind a named port': {
    annotations: PODS,
    ports: [port('http')],
    slice: (service) => ({ ...aPodSlice(service, [1, 2]), ports: [{ name: 'p80', port: 8080, protocol: 'TCP' }] }),
    groupPort: target,
    servers: onPods([1, 2], 8080),
    world: WORLD,
  },
  'pods without node ports': {
    annotations: PODS,
    ports: [{ name: 'p80', port: 80, protocol: 'TCP', targetPort: 8080 }],
    spec: { allocateLoadBalancerNodePorts: false },
    slice: (service) => aPodSlice(service, [1]),
    groupPort: target,
    servers: onPods([1], 8080),
    world: WORLD,
  },
  'pods that are partly terminating or not ready': {
    annotations: PODS,
    ports: [port(8080)],
    slice: (service) => {
      const slice = aPodSlice(service, [1, 2, 3]);
      const states = [
        { ready: true },
        { ready: false, serving: true, terminating: true },
        { ready: false, serving: false },
      ];
      const endpoints = (slice.endpoints ?? []).map((endpoint, at) => ({ ...endpoint, conditions: states[at] ?? {} }));
      return { ...slice, endpoints };
    },
    groupPort: target,
    servers: onPods([1], 8080),
    world: WORLD,
  },
  'pods with a set readiness gate': {
    annotations: PODS,
    ports: [port(8080)],
    pods: [1, 2].map(gatedPod),
    slice: (service) => aPodSlice(service, [1, 2]),
    groupPort: target,
    servers: onPods([1, 2], 8080),
    world: WORLD,
  },
  'pods and policy Local, which has no effect for pods': {
    annotations: { ...PODS, 'default-weight': '30' },
    ports: [port(8080)],
    spec: LOCAL,
    slice: (service) => aPodSlice(service, [1, 2]),
    groupPort: target,
    servers: onPods([1, 2], 8080, 30),
    world: WORLD,
  },
  'pods on virtual Nodes in addition to Nodes': {
    nodes: [virtual],
    slice: (service) => withVirtual(aSlice(service, ['n1', 'n2']), [1, 2]),
    servers: [...onNodes([100, 100, 100]), ...onPods([1, 2], 80)],
    world: WORLD,
  },
  'pods on virtual Nodes in addition to Nodes, with policy Local': {
    spec: LOCAL,
    nodes: [virtual],
    slice: (service) => withVirtual(aSlice(service, ['n1', 'n1', 'n2']), [1, 2]),
    servers: [...onNodes([2, 1]), ...onPods([1, 2], 80, 1)],
    world: WORLD,
  },
};

/** Returns the slice with additional pods on the virtual Node. */
function withVirtual(slice: ReturnType<typeof aSlice>, pods: readonly number[]): ReturnType<typeof aSlice> {
  const more = pods.map((pod) => ({ addresses: [addressOf(pod)], nodeName: 'vk', conditions: { ready: true } }));
  return { ...slice, endpoints: [...(slice.endpoints ?? []), ...more] };
}
