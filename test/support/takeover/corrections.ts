import type { EndpointSlice, Service } from '../../../src/base/kubernetes-objects.ts';
import { aSlice } from '../simulated-cluster.ts';
import { aNode } from '../node.ts';
import { addressOf, interfacesOf } from '../pods.ts';
import { onNodes, onPods, type LeftBehind } from './existing-controller.ts';

/** A Service that the Alibaba Cloud Controller Manager or a user left with a defect, and the calls that correct the defect. */
export interface Correction {
  readonly left: LeftBehind;
  readonly calls: readonly string[];
}

const onVirtual = (slice: EndpointSlice, pods: readonly number[]): EndpointSlice => ({
  ...slice,
  endpoints: [
    ...(slice.endpoints ?? []),
    ...pods.map((pod) => ({ addresses: [addressOf(pod)], nodeName: 'vk', conditions: { ready: true } })),
  ],
});
const ofUnknownReadiness = (service: Service): EndpointSlice => ({
  ...aSlice(service, []),
  endpoints: [{ addresses: ['10.244.0.1'], nodeName: 'n1' }],
});
const SHARED = { id: 'lb-made', 'vgroup-port': 'rsp-hers:80' };
const GROUPS = ['hers', 'more'].map((name) => ({ id: `rsp-${name}`, name }));
const MADE = { networkInterfaces: interfacesOf(2), loadBalancers: [{ id: 'lb-made', serverGroups: GROUPS }] };

/** Every kind of Service for which a takeover changes the cloud. integration/controller/adoption.test.ts checks the calls. */
export const CORRECTIONS: Readonly<Record<string, Correction>> = {
  'the owner tag is added again': {
    left: {
      since: async (cluster, id) => {
        const resource = { ResourceType: 'instance', 'ResourceId.1': id };
        await cluster.ask('UntagResources', { ...resource, 'TagKey.1': 'kubernetes.do.not.delete' });
      },
    },
    calls: ['TagResources'],
  },
  'the reuse tag of a user-managed load balancer is added again': {
    left: { annotations: { id: 'lb-made' }, world: MADE, isMarked: false },
    calls: ['TagResources'],
  },
  'a listener that a user stopped is started': {
    left: {
      since: async (cluster, LoadBalancerId) => {
        await cluster.ask('StopLoadBalancerListener', { LoadBalancerId, ListenerPort: 80 });
      },
    },
    calls: ['StartLoadBalancerListener'],
  },
  'backends are removed from a user-managed group that is no longer named': {
    left: {
      annotations: SHARED,
      world: MADE,
      since: async (cluster) => {
        const member = { ServerId: 'i-1', Port: 30080, Weight: 100, Type: 'ecs', Description: 'k8s/30080/web/shop/c1' };
        const BackendServers = JSON.stringify([member]);
        await cluster.ask('AddVServerGroupBackendServers', { VServerGroupId: 'rsp-more', BackendServers });
      },
    },
    calls: ['RemoveVServerGroupBackendServers'],
  },
  'pods on virtual Nodes with a weight rounded to 0 get a weight': {
    left: {
      annotations: { ...SHARED, weight: '4' },
      spec: { externalTrafficPolicy: 'Local' },
      world: MADE,
      nodes: [aNode('vk', { labels: { type: 'virtual-kubelet' }, spec: { providerID: '' } })],
      slice: (service) => onVirtual(aSlice(service, ['n1', 'n1', 'n1', 'n2']), [1, 2]),
      servers: [...onNodes([2, 1]), ...onPods([1, 2], 80, 0)],
    },
    calls: ['SetVServerGroupAttribute'],
  },
  'pods of unknown readiness are added': {
    left: { spec: { externalTrafficPolicy: 'Local' }, slice: ofUnknownReadiness, servers: [] },
    calls: ['AddVServerGroupBackendServers'],
  },
};
