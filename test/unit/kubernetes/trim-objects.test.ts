import assert from 'node:assert/strict';
import * as trim from '../../../src/kubernetes/trim-objects.ts';
import { trimService, trimServiceForRules } from '../../../src/kubernetes/trim-service.ts';
import type { ClassicLoadBalancer } from '../../../src/inventory/custom-resources.ts';
import type { EndpointSlice, Node, Pod, Service } from '../../../src/base/kubernetes-objects.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const PORTCULLIS = 'service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id';
const metadata = {
  name: 'a',
  namespace: 'default',
  uid: 'u',
  resourceVersion: '7',
  labels: { app: 'a' },
  annotations: { [LAST_APPLIED]: '{}', [PORTCULLIS]: 'lb-1', other: 'x' },
  managedFields: [{ manager: 'kubectl' }],
};
const OTHER_GATE = { conditionType: 'example.com/gate' };
const FINALIZER = 'service.k8s.alibaba/resources';
const identity = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7' };

/** Caches keep only the fields that the code reads, so a field that is dropped by mistake would count as unset. */
describe('a trimmed object', () => {
  it('lacks the managed fields and the unused annotations of a Service', () => {
    const service = {
      kind: 'Service',
      metadata,
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: {} },
    } as unknown as Service;
    assert.deepEqual(trimService(service), {
      metadata: { ...identity, labels: { app: 'a' }, annotations: { [PORTCULLIS]: 'lb-1' } },
      spec: { type: 'LoadBalancer' },
      status: {},
    });
  });

  it('keeps for rules the age, the load balancer annotations and the ports of a Service', () => {
    const ports = [{ name: 'web', port: 80, protocol: 'TCP', nodePort: 30080, targetPort: 8080 }];
    const times = { creationTimestamp: '2026-01-01T00:00:00Z', deletionTimestamp: '2026-01-02T00:00:00Z' };
    const service = {
      metadata: { ...metadata, ...times },
      spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1', ports },
      status: {},
    } as unknown as Service;
    assert.deepEqual(trimServiceForRules(service), {
      metadata: { ...identity, ...times, annotations: { [PORTCULLIS]: 'lb-1' } },
      spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] },
    });
  });

  it('keeps for rules the addresses of a Service, and its condition with the reason GroupOwner', () => {
    const condition = { type: 'LoadBalancerReady', status: 'False', reason: 'GroupOwner', message: 'long' };
    const statusOf = (status: object) => trimServiceForRules({ metadata, status }).status;
    assert.deepEqual(statusOf({ conditions: [condition, { ...condition, type: 'Other' }] }), {
      conditions: [{ ...condition, message: '' }],
    });
    const ports = [{ port: 80, protocol: 'TCP' }];
    assert.deepEqual(statusOf({ loadBalancer: { ingress: [{ ip: '192.0.2.1', ports }, { hostname: 'a' }] } }), {
      loadBalancer: { ingress: [{ ip: '192.0.2.1' }, {}] },
    });
    for (const other of [{ status: 'True' }, { reason: 'Invalid' }])
      assert.equal(statusOf({ conditions: [{ ...condition, ...other }], loadBalancer: {} }), undefined);
  });

  it('keeps of the finalizers of a Service only the finalizer of Portcullis', () => {
    const finalizers = ['example.com/a', FINALIZER, ...Array.from({ length: 2_000 }, (_, at) => `example.com/${at}`)];
    const service = { metadata: { ...metadata, finalizers } };
    for (const trimmed of [trimService(service), trimServiceForRules(service)])
      assert.deepEqual(trimmed.metadata.finalizers, [FINALIZER]);
  });

  it('keeps the fields of a Service that are read, and the first entries of its lists', () => {
    const texts = Array.from({ length: 3_000 }, (_, at) => `192.0.2.${at}/32`);
    const selectorOf = (some: readonly string[]) => Object.fromEntries(some.map((text) => [text, text]));
    const port = { name: 'p', port: 80, protocol: 'TCP', targetPort: 8080, nodePort: 30080 };
    const ports = texts.map((_, at) => ({ ...port, ...(at === 0 ? {} : { appProtocol: 'http' }) }));
    const spec = {
      ...{ type: 'LoadBalancer', clusterIP: '10.0.0.1', externalTrafficPolicy: 'Local', ports },
      ...{ externalIPs: texts, loadBalancerSourceRanges: texts, selector: selectorOf(texts) },
    };
    const first = texts.slice(0, 8);
    assert.deepEqual(trimService({ metadata, spec }).spec, {
      ...{ type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: Array.from({ length: 101 }, () => port) },
      ...{ externalIPs: first, loadBalancerSourceRanges: first, selector: selectorOf(first) },
    });
    assert.deepEqual(trimServiceForRules({ metadata, spec }).spec?.ports?.length, 101);
  });

  it('keeps the Service name, addresses, conditions, Nodes and ports of an EndpointSlice', () => {
    const endpoint = {
      addresses: ['10.0.0.2'],
      conditions: { ready: true },
      nodeName: 'n',
      hints: {},
      targetRef: { kind: 'Pod', name: 'p', fieldPath: 'x' },
    };
    const service = { 'kubernetes.io/service-name': 's' };
    const slice = {
      metadata: { ...metadata, labels: { ...metadata.labels, ...service } },
      addressType: 'IPv4',
      endpoints: [endpoint],
      ports: [{ port: 80 }],
    } as unknown as EndpointSlice;
    assert.deepEqual(trim.trimEndpointSlice(slice), {
      metadata: { ...identity, labels: service },
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.0.2'], conditions: { ready: true }, nodeName: 'n', targetRef: { kind: 'Pod', name: 'p' } },
      ],
      ports: [{ port: 80 }],
    });
  });

  it('keeps the first address of an endpoint, and up to the maximum of ports of a slice', () => {
    const ports = Array.from({ length: 20_000 }, (_, at) => ({ name: `p${at}`, port: at, appProtocol: 'x' }));
    const slice = { metadata, addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.2', '10.0.0.3'] }], ports };
    const { endpoints, ports: kept } = trim.trimEndpointSlice(slice);
    assert.deepEqual(endpoints, [{ addresses: ['10.0.0.2'] }]);
    assert.deepEqual(
      kept,
      ports.slice(0, 100).map(({ name, port }) => ({ name, port })),
    );
  });

  it('keeps the addresses, Nodes, pods and ports of an Endpoints object', () => {
    const targetRef = { kind: 'Pod', namespace: 'default', name: 'p', uid: 'u' };
    const address = { ip: '10.0.0.2', nodeName: 'n', targetRef };
    const more = { hostname: 'h'.repeat(60), targetRef: { ...targetRef, resourceVersion: '7' } };
    const ports = [{ name: 'p', port: 80, protocol: 'TCP' }];
    const subsets = [{ addresses: [{ ...address, ...more }], ports: [{ ...ports[0], port: 80, appProtocol: 'x' }] }];
    const leader = { 'control-plane.alpha.kubernetes.io/leader': 'x'.repeat(255_000) };
    assert.deepEqual(trim.trimEndpoints({ metadata: { ...metadata, annotations: leader }, subsets }), {
      metadata: { ...identity, annotations: { 'control-plane.alpha.kubernetes.io/leader': '' } },
      subsets: [{ addresses: [address], notReadyAddresses: [], ports }],
    });
  });

  it('has no null if the API server sends null as a list of an EndpointSlice', () => {
    const slice = { metadata, addressType: 'IPv4', endpoints: null, ports: null } as unknown as EndpointSlice;
    const { endpoints, ports } = trim.trimEndpointSlice(slice);
    assert.deepEqual({ endpoints, ports }, { endpoints: [], ports: undefined });
  });

  it('keeps the metadata of a Service and of a Node that are read', () => {
    const more = { generation: 3, creationTimestamp: 'c', deletionTimestamp: 'd' };
    const others = { generateName: 'a-', ownerReferences: [], selfLink: '/', finalizers: ['f'] };
    const object = { metadata: { ...metadata, ...more, ...others } };
    const kept = { ...identity, ...more, labels: { app: 'a' } };
    const annotations = { [PORTCULLIS]: 'lb-1' };
    assert.deepEqual(trimService(object).metadata, { ...kept, annotations });
    assert.deepEqual(trim.trimNode(object).metadata, kept);
  });

  it('lacks the images and heartbeats of a Node', () => {
    const kept = { type: 'Ready', status: 'True', reason: 'r', lastTransitionTime: 't' };
    const node = {
      metadata,
      spec: { providerID: 'cn.i-1' },
      status: {
        images: [{}],
        addresses: [],
        conditions: [{ ...kept, message: 'm', lastHeartbeatTime: 'h' }],
        nodeInfo: { systemUUID: 'u', osImage: 'o' },
      },
    } as unknown as Node;
    const trimmed = trim.trimNode(node);
    assert.deepEqual(trimmed.status, { addresses: [], conditions: [kept], nodeInfo: { systemUUID: 'u' } });
    assert.deepEqual(trimmed.spec, { providerID: 'cn.i-1' });
  });

  it('keeps the conditions of a Node that are read, and whether the Node has any condition', () => {
    const condition = (type: string) => ({ type, status: 'False', reason: 'r', lastTransitionTime: 't', message: 'm' });
    const keptOf = (types: readonly string[]) =>
      trim.trimNode({ metadata, status: { conditions: types.map(condition) } }).status?.conditions;
    assert.deepEqual(keptOf(['DiskPressure', 'PIDPressure']), [{ type: 'DiskPressure', status: 'False' }]);
    const read = (type: string) => ({ type, status: 'False', reason: 'r', lastTransitionTime: 't' });
    const types = ['DiskPressure', 'Ready', 'InstanceUnknown', 'PIDPressure'];
    assert.deepEqual(keptOf(types), [read('Ready'), read('InstanceUnknown')]);
  });

  it('limits the parts of a Node that a kubelet can enlarge', () => {
    const labels = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`label-${at}`, 'a']));
    const addresses = Array.from({ length: 9_000 }, (_, at) => ({ type: 'InternalIP', address: `${at}` }));
    const nodeIp = { 'alpha.kubernetes.io/provided-node-ip': '10.0.0.1,'.repeat(9_000) };
    const node = { metadata: { ...metadata, labels, annotations: nodeIp }, status: { addresses, volumesInUse: ['v'] } };
    const { metadata: kept, status } = trim.trimNode(node);
    assert.deepEqual([Object.keys(kept.labels ?? {}).length, status?.addresses?.length], [1_025, 65]);
    assert.deepEqual(kept.annotations, { 'alpha.kubernetes.io/provided-node-ip': '?' });
    assert.deepEqual(Object.keys(status ?? {}), ['addresses']);
    assert.equal(
      Object.keys(trim.trimNamespace({ metadata: { ...metadata, labels } }).metadata.labels ?? {}).length,
      1_025,
    );
  });

  it('keeps the reason and the time of a problem with the instance of a Node', () => {
    const kept = { type: 'InstanceUnknown', status: 'False', reason: 'NodeExcluded', lastTransitionTime: 't' };
    const trimmed = trim.trimNode({ metadata, status: { conditions: [{ ...kept, message: 'm' }] } });
    assert.deepEqual(trimmed.status?.conditions, [kept]);
  });

  it('keeps the reason why a Node waits for a route, and drops the message after the wait', () => {
    const condition = (status: string) => ({ type: 'NetworkUnavailable', status, reason: 'r', message: 'm' });
    const conditions = ['True', 'False'].map((status) => ({ ...condition(status), lastHeartbeatTime: 'h' }));
    const trimmed = trim.trimNode({ metadata, status: { conditions } });
    assert.deepEqual(trimmed.status?.conditions, [
      condition('True'),
      { type: 'NetworkUnavailable', status: 'False', reason: 'r' },
    ]);
  });

  it('keeps the readiness gates of Portcullis on a pod, and their conditions', () => {
    const gate = 'service.readiness.alibabacloud.com/';
    const gates = Array.from({ length: 32 }, (_, at) => ({ conditionType: `${gate}web-${at}` }));
    const conditions = ['ContainersReady', `${gate}web-0`].map((type) => ({ type, status: 'True' }));
    const pod = {
      metadata,
      spec: {
        nodeName: 'n',
        volumes: [],
        containers: [{ name: 'c', image: 'i' }],
        readinessGates: [OTHER_GATE, ...gates, ...gates],
      },
      status: { podIP: '10.0.0.2', qosClass: 'x', conditions: [...conditions, { type: 'Other', status: 'True' }] },
    } as unknown as Pod;
    assert.deepEqual(trim.trimPod(pod), {
      metadata: identity,
      spec: { containers: [], readinessGates: gates },
      status: { conditions },
    });
  });

  it('keeps the name, version, age and status of a load balancer in the inventory', () => {
    const clb = {
      kind: 'ClassicLoadBalancer',
      metadata: { ...metadata, namespace: undefined, creationTimestamp: '2026-01-02T03:04:05Z' },
      status: { address: '1.2.3.4' },
    } as unknown as ClassicLoadBalancer;
    assert.deepEqual(trim.trimInventory(clb), {
      metadata: { name: 'a', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-02T03:04:05Z' },
      status: { address: '1.2.3.4' },
    });
  });

  it('is a copy, and the original stays unchanged', () => {
    const service = { metadata: structuredClone(metadata), spec: {} } as unknown as Service;
    trimService(service);
    assert.deepEqual(service.metadata, metadata);
  });
});
