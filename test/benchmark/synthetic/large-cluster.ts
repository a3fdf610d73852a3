import { FINALIZER } from '../../../src/rules/engine/controller-metadata.ts';
import { RESETTABLE, type ResettableOptions } from '../../../src/clb/desired/resettable-options.ts';
import { OWN } from '../../../src/clb/model/load-balancer-ref.ts';
import type { WantedResources } from '../../../src/clb/model/desired-and-observed-state.ts';
import { gatherInputs } from '../../../src/controller/service/sync/sync-inputs.ts';
import { readInputs } from '../../../src/controller/service/inputs.ts';
import { conditionPatch } from '../../../src/controller/service/status/condition-patch.ts';
import { nodeSelector } from '../../../src/controller/service/backends/cached-node-selection.ts';
import { NO_RECORD } from '../../../src/controller/service/state/binding-record.ts';
import { INDEX } from '../../../src/controller/kubernetes-interface.ts';
import { BINDING_LABELS, type LoadBalancerBinding } from '../../../src/inventory/binding.ts';
import type { EndpointSlice, Node, Service } from '../../../src/base/kubernetes-objects.ts';
import { watchedDouble } from '../../support/watched-cache.ts';
import {
  bytes,
  CLUSTER_UID,
  CREATED,
  INSTANCE_TYPE,
  instanceId,
  loadBalancerId,
  MANAGED_FIELDS,
  nodeAddress,
  nodeOf,
  NODES_PER_POOL,
  podAddress,
  podCidr,
  podName,
  publicAddress,
  REGION,
  SETTINGS,
  uid,
  ZONE,
  type Size,
} from './names.ts';

const PREFIX = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-';

/** Returns the backends of a Service: half have pods, a quarter Nodes with pods, and a quarter the Nodes of a pool. */
const kindOf = (service: number) => (['pods', 'local', 'pods', 'pool'] as const)[service % 4] ?? 'pods';

/** Returns a Service before its first reconcile. */
function bareService(at: number, { nodes }: Size): Service {
  const kind = kindOf(at);
  const name = `service-${at}`;
  const annotations = {
    [`${PREFIX}spec`]: 'slb.s1.small',
    [`${PREFIX}healthy-threshold`]: '3',
    ...(kind === 'pods' ? { 'service.beta.kubernetes.io/backend-type': 'eni' } : {}),
    ...(kind === 'pool' ? { [`${PREFIX}backend-label`]: `pool=p${at % Math.ceil(nodes / NODES_PER_POOL)}` } : {}),
  };
  const spec = {
    type: 'LoadBalancer',
    clusterIP: bytes(32, at),
    clusterIPs: [bytes(32, at)],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    internalTrafficPolicy: 'Cluster',
    externalTrafficPolicy: kind === 'local' ? 'Local' : 'Cluster',
    allocateLoadBalancerNodePorts: true,
    sessionAffinity: 'None',
    selector: { app: name },
    ports: [80, 443].map((port, index) => ({
      name: `port-${port}`,
      port,
      targetPort: port + 8000,
      nodePort: 30_000 + ((2 * at + index) % 2768),
      protocol: 'TCP',
    })),
  };
  const applied = JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name, annotations }, spec });
  return {
    metadata: {
      name,
      namespace: `team-${at % 100}`,
      uid: uid(1, at),
      resourceVersion: String(at + 1),
      creationTimestamp: CREATED,
      labels: { app: name, 'app.kubernetes.io/part-of': `team-${at % 100}` },
      annotations: { ...annotations, 'kubectl.kubernetes.io/last-applied-configuration': applied },
    },
    spec,
  };
}

function slice(service: number, size: Size): EndpointSlice {
  const name = `service-${service}`;
  const namespace = `team-${service % 100}`;
  return {
    metadata: {
      name: `${name}-x7k2p`,
      generateName: `${name}-`,
      namespace,
      uid: uid(2, service),
      resourceVersion: String(service + 1),
      creationTimestamp: CREATED,
      labels: {
        app: name,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        'kubernetes.io/service-name': name,
      },
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': CREATED },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid: uid(1, service), controller: true }],
    },
    addressType: 'IPv4',
    endpoints: Array.from({ length: size.podsPerService }, (_, at) => {
      const pod = service * size.podsPerService + at;
      return {
        addresses: [podAddress(pod)],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: `node-${nodeOf(pod, size)}`,
        zone: ZONE,
        targetRef: { kind: 'Pod', namespace, name: podName(service, pod), uid: uid(3, pod) },
      };
    }),
    ports: [80, 443].map((port) => ({ name: `port-${port}`, port: port + 8000, protocol: 'TCP' })),
  };
}

const CONDITIONS = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready', 'NetworkUnavailable'];

function node(at: number, { nodes }: Size): Node {
  const name = `node-${at}`;
  const cloud = {
    'node.kubernetes.io/instance-type': INSTANCE_TYPE,
    'beta.kubernetes.io/instance-type': INSTANCE_TYPE,
    'topology.kubernetes.io/zone': ZONE,
    'failure-domain.beta.kubernetes.io/zone': ZONE,
    'topology.kubernetes.io/region': REGION,
    'failure-domain.beta.kubernetes.io/region': REGION,
    'node.alibabacloud.com/instance-charge-type': 'PostPaid',
    'node.alibabacloud.com/spot-strategy': 'NoSpot',
  };
  return {
    metadata: {
      name,
      uid: uid(4, at),
      resourceVersion: String(at + 1),
      creationTimestamp: CREATED,
      labels: {
        ...cloud,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        pool: `p${at % Math.ceil(nodes / NODES_PER_POOL)}`,
      },
      annotations: {
        'csi.volume.kubernetes.io/nodeid': `{"disk":"${instanceId(at)}"}`,
        'node.alpha.kubernetes.io/ttl': '0',
      },
    },
    spec: { providerID: `${REGION}.${instanceId(at)}`, podCIDR: podCidr(at), podCIDRs: [podCidr(at)] },
    status: {
      capacity: { cpu: '4', memory: '16Gi', pods: '64', 'ephemeral-storage': '100Gi' },
      allocatable: { cpu: '3920m', memory: '14Gi', pods: '64', 'ephemeral-storage': '92Gi' },
      addresses: [
        { type: 'InternalIP', address: nodeAddress(at) },
        { type: 'Hostname', address: name },
      ],
      conditions: CONDITIONS.map((type) => ({
        type,
        status: type === 'Ready' ? 'True' : 'False',
        reason: type === 'NetworkUnavailable' ? 'RouteCreated' : `Kubelet${type}`,
        message: `what the kubelet says of ${type}`,
        lastHeartbeatTime: CREATED,
        lastTransitionTime: CREATED,
      })),
      nodeInfo: {
        architecture: 'amd64',
        bootID: uid(5, at),
        containerRuntimeVersion: 'containerd://2.1.0',
        kernelVersion: '5.10.134-18.al8.x86_64',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.36.3',
        machineID: uid(6, at).replaceAll('-', ''),
        operatingSystem: 'linux',
        osImage: 'Alibaba Cloud Linux 3',
        systemUUID: uid(7, at),
      },
      images: Array.from({ length: 30 }, (_, image) => ({
        names: [`images.example/team/program-${image}@sha256:${uid(8, image).repeat(2)}`],
        sizeBytes: 100_000_000 + image,
      })),
    },
  };
}

const whole = <Kind extends { readonly metadata: object }>(object: Kind): Kind => ({
  ...object,
  metadata: { ...object.metadata, managedFields: MANAGED_FIELDS },
});

/** A synced Service with its binding, and its desired state in the cloud. `largeCloud` creates this state. */
export interface Settled {
  readonly service: Service;
  readonly binding: LoadBalancerBinding;
  readonly desired: WantedResources;
}

export interface LargeCluster {
  readonly size: Size;
  readonly services: readonly Settled[];
  readonly slices: readonly EndpointSlice[];
  readonly nodes: readonly Node[];
}

/** Returns a cluster in which all Services are synced and all Nodes are initialized. */
export function largeCluster(size: Size): LargeCluster {
  const nodes = Array.from({ length: size.nodes }, (_, at) => node(at, size));
  const slices = Array.from({ length: size.services }, (_, at) => slice(at, size));
  const selectNodes = nodeSelector(watchedDouble(nodes));
  const services = slices.map((own, at): Settled => {
    const service = bareService(at, size);
    const caches = {
      endpointSlices: {
        ...watchedDouble<EndpointSlice>(),
        byIndex: (index: string) => (index === INDEX.slicesByService ? [own] : []),
      },
      pods: watchedDouble<never>(),
    };
    const { desired, digest, requestedResettable } = gatherInputs(
      readInputs(service, NO_RECORD, { caches, selectNodes }),
      OWN,
      SETTINGS,
    );
    const id = loadBalancerId(at);
    const address = publicAddress(at);
    return {
      service: settled(service, { digest, id, address }),
      binding: bindingOf(service, {
        ...{ at, digest, requestedResettable, id, address },
        listeners: desired.listeners.length,
      }),
      desired,
    };
  });
  return { size, services, slices: slices.map(whole), nodes: nodes.map(whole) };
}

/** The result of a sync, which the status of the Service publishes. */
interface Reached {
  readonly digest: string;
  readonly id: string;
  readonly address: string;
}

function settled(service: Service, { digest, id, address }: Reached): Service {
  const standing = {
    status: 'True',
    reason: 'EnsuredLoadBalancer',
    message: 'The load balancer matches the Service',
  } as const;
  const labels = {
    ...service.metadata.labels,
    'service.k8s.alibaba/loadbalancer-id': id,
    'service.beta.kubernetes.io/hash': digest,
  };
  return whole({
    ...service,
    metadata: { ...service.metadata, labels, finalizers: [FINALIZER] },
    status: {
      loadBalancer: { ingress: [{ ip: address, ipMode: 'VIP' }] },
      conditions: conditionPatch(service, standing, Date.parse(CREATED)) ?? [],
    },
  });
}

/** The parts of a binding that the status of the Service does not show. */
interface BindingParts {
  readonly at: number;
  readonly requestedResettable: ResettableOptions;
  readonly listeners: number;
}

const bindingOf = (
  { metadata: { uid: name, ...service } }: Service,
  { at, digest, requestedResettable, id, address, listeners }: Reached & BindingParts,
): LoadBalancerBinding =>
  whole({
    metadata: {
      name,
      uid: uid(12, at),
      resourceVersion: String(at + 1),
      creationTimestamp: CREATED,
      labels: BINDING_LABELS,
    },
    spec: {
      service: { namespace: service.namespace, name: service.name },
      clusterUID: CLUSTER_UID,
      loadBalancer: { id, use: 'owned', address },
      syncedDigest: digest,
      resettableOptions: RESETTABLE.filter((option) => requestedResettable.has(option)),
      admittedUsage: { loadBalancers: 1, publicLoadBalancers: 1, listeners, bandwidth: 0 },
    },
  });
