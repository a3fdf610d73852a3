import assert from 'node:assert/strict';
import * as trim from '../../../src/kubernetes/trim.ts';
import type { ClassicLoadBalancer } from '../../../src/inventory/resource.ts';
import type { EndpointSlice, Node, Pod, Service } from '../../../src/objects.ts';

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
const identity = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7' };

describe('trimming', () => {
  it('keeps a Service except its managed fields and annotations that are not read', () => {
    const service = {
      kind: 'Service',
      metadata,
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: {} },
    } as unknown as Service;
    assert.deepEqual(trim.trimService(service), {
      metadata: { ...identity, labels: { app: 'a' }, annotations: { [PORTCULLIS]: 'lb-1' } },
      spec: { type: 'LoadBalancer' },
      status: { loadBalancer: {} },
    });
  });

  it('keeps of a Service for rules its age, its annotations for load balancers and its ports', () => {
    const ports = [{ name: 'web', port: 80, protocol: 'TCP', nodePort: 30080, targetPort: 8080 }];
    const times = { creationTimestamp: '2026-01-01T00:00:00Z', deletionTimestamp: '2026-01-02T00:00:00Z' };
    const service = {
      metadata: { ...metadata, ...times },
      spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1', ports },
      status: {},
    } as unknown as Service;
    assert.deepEqual(trim.trimServiceForRules(service), {
      metadata: { ...identity, ...times, annotations: { [PORTCULLIS]: 'lb-1' } },
      spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP' }] },
    });
  });

  it('keeps of a Service for rules that it is refused, where it is served, and no other status', () => {
    const condition = { type: 'LoadBalancerReady', status: 'False', reason: 'InvalidObject', message: 'long' };
    const statusOf = (status: object) => trim.trimServiceForRules({ metadata, status }).status;
    assert.deepEqual(statusOf({ conditions: [condition, { ...condition, type: 'Other' }] }), {
      conditions: [{ ...condition, message: '' }],
    });
    const ports = [{ port: 80, protocol: 'TCP' }];
    assert.deepEqual(statusOf({ loadBalancer: { ingress: [{ ip: '192.0.2.1', ports }, { hostname: 'a' }] } }), {
      loadBalancer: { ingress: [{ ip: '192.0.2.1' }, {}] },
    });
    assert.equal(statusOf({ conditions: [{ ...condition, status: 'True' }], loadBalancer: {} }), undefined);
  });

  it('keeps of a Service for rules by what it is held', () => {
    const finalizers = ['service.k8s.alibaba/resources'];
    assert.deepEqual(
      trim.trimServiceForRules({ metadata: { ...metadata, finalizers } }).metadata.finalizers,
      finalizers,
    );
  });

  it('keeps of an EndpointSlice the name of its Service, addresses, conditions, nodes and ports', () => {
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

  it('survives an EndpointSlice without endpoints', () => {
    const slice = { metadata, addressType: 'IPv4', endpoints: null } as unknown as EndpointSlice;
    assert.deepEqual(trim.trimEndpointSlice(slice).endpoints, []);
  });

  it('keeps of the metadata of a Service and a Node all that is read of it', () => {
    const more = { generation: 3, creationTimestamp: 'c', deletionTimestamp: 'd', finalizers: ['f'] };
    const others = { generateName: 'a-', ownerReferences: [], selfLink: '/' };
    const object = { metadata: { ...metadata, ...more, ...others } };
    const kept = { ...identity, ...more, labels: { app: 'a' } };
    const annotations = { [PORTCULLIS]: 'lb-1' };
    assert.deepEqual(trim.trimService(object).metadata, { ...kept, annotations });
    assert.deepEqual(trim.trimNode(object).metadata, { ...kept, annotations: {} });
  });

  it('keeps a Node without its images, and without what its kubelet says again and again', () => {
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

  it('keeps of what a Node says of its machine how things stand', () => {
    const condition = { type: 'DiskPressure', status: 'False', reason: 'r', lastTransitionTime: 't', message: 'm' };
    const trimmed = trim.trimNode({ metadata, status: { conditions: [condition] } });
    assert.deepEqual(trimmed.status?.conditions, [{ type: 'DiskPressure', status: 'False' }]);
  });

  it('keeps the reason and the time of a problem with the instance of a Node', () => {
    const kept = { type: 'InstanceUnknown', status: 'False', reason: 'NodeExcluded', lastTransitionTime: 't' };
    const trimmed = trim.trimNode({ metadata, status: { conditions: [{ ...kept, message: 'm' }] } });
    assert.deepEqual(trimmed.status?.conditions, [kept]);
  });

  it('keeps why a Node waits for a route, and not why it waits no more', () => {
    const condition = (status: string) => ({ type: 'NetworkUnavailable', status, reason: 'r', message: 'm' });
    const conditions = ['True', 'False'].map((status) => ({ ...condition(status), lastHeartbeatTime: 'h' }));
    const trimmed = trim.trimNode({ metadata, status: { conditions } });
    assert.deepEqual(trimmed.status?.conditions, [
      condition('True'),
      { type: 'NetworkUnavailable', status: 'False', reason: 'r' },
    ]);
  });

  it('keeps of a Pod what it waits for and its conditions', () => {
    const gates = [{ conditionType: 'service.readiness.alibabacloud.com/web' }];
    const conditions = [{ type: 'ContainersReady', status: 'True' }];
    const pod = {
      metadata,
      spec: { nodeName: 'n', volumes: [], containers: [{ name: 'c', image: 'i' }], readinessGates: gates },
      status: { podIP: '10.0.0.2', qosClass: 'x', conditions },
    } as unknown as Pod;
    assert.deepEqual(trim.trimPod(pod), {
      metadata: identity,
      spec: { containers: [], readinessGates: gates },
      status: { conditions },
    });
  });

  it('keeps of a mirrored load balancer its name, version, age and status', () => {
    const mirror = {
      kind: 'ClassicLoadBalancer',
      metadata: { ...metadata, namespace: undefined, creationTimestamp: '2026-01-02T03:04:05Z' },
      status: { address: '1.2.3.4' },
    } as unknown as ClassicLoadBalancer;
    assert.deepEqual(trim.trimMirror(mirror), {
      metadata: { name: 'a', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-02T03:04:05Z' },
      status: { address: '1.2.3.4' },
    });
  });

  it('changes nothing of the object that it is given', () => {
    const service = { metadata: structuredClone(metadata), spec: {} } as unknown as Service;
    trim.trimService(service);
    assert.deepEqual(service.metadata, metadata);
  });
});
