import assert from 'node:assert/strict';
import {
  onClassicLoadBalancer,
  onEndpointSlice,
  onNode,
  onOwnerChange,
  onPod,
  onService,
} from '../../../../src/controller/service/event-handlers.ts';
import { NO_RECORD, type BindingRecord } from '../../../../src/controller/service/state/binding-record.ts';
import type { BindingReader } from '../../../../src/controller/service/state/binding-store.ts';
import { REUSE_INDEX } from '../../../../src/inventory/reuse-index.ts';
import type { Node, Pod, Service } from '../../../../src/base/kubernetes-objects.ts';
import { aSlice } from '../../../support/simulated-cluster.ts';
import { aClb } from '../../../support/inventory.ts';
import { aNode } from '../../../support/node.ts';
import { annotation } from '../../../support/running-controller.ts';
import { aService } from '../../../support/service.ts';
import { watchedDouble } from '../../../support/watched-cache.ts';

const FINALIZER = 'service.k8s.alibaba/resources';
const meta = (service: Service, change: object): Service => ({
  ...service,
  metadata: { ...service.metadata, ...change },
});
const spec = (service: Service, change: object): Service => ({ ...service, spec: { ...service.spec, ...change } });
const plain = aService();
const MANY_LABELS = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`label-${at}`, 'a']));
const clusterIp = aService({ type: 'ClusterIP' });
const ID = 'service.k8s.alibaba/loadbalancer-id';
const managed = meta(plain, { finalizers: [FINALIZER], labels: { [ID]: 'lb-1' } });
const withAddress = (service: Service, ip: string): Service => ({
  ...service,
  status: { loadBalancer: { ingress: [{ ip }] } },
});

/** A missed event leaves a Service unsynced, and a needless event costs a reconcile of each Service. */
describe('a change of a Service', () => {
  const cases: Record<
    string,
    [before: Service | undefined, after: Service | undefined, needsReconcile: boolean, reason?: string]
  > = {
    'that is created with type LoadBalancer enqueues the Service': [undefined, plain, true],
    'that is created with type ClusterIP does not enqueue the Service': [undefined, clusterIp, false],
    'that is created with type ClusterIP and our finalizer enqueues the Service': [
      undefined,
      meta(clusterIp, { finalizers: [FINALIZER] }),
      true,
    ],
    'between two types without a load balancer does not enqueue the Service': [
      clusterIp,
      aService({ type: 'NodePort' }),
      false,
    ],
    'to a type with a load balancer enqueues the Service': [clusterIp, plain, true, 'TypeChanged'],
    'to a type without a load balancer enqueues the Service': [plain, clusterIp, true, 'TypeChanged'],
    'of an annotation enqueues the Service': [
      plain,
      meta(plain, { annotations: { a: 'b' } }),
      true,
      'AnnotationChanged',
    ],
    'of the spec enqueues the Service': [
      plain,
      spec(plain, { externalTrafficPolicy: 'Local' }),
      true,
      'ServiceSpecChanged',
    ],
    'of the deletion timestamp enqueues the Service': [
      managed,
      meta(managed, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      true,
      'DeleteTimestampChanged',
    ],
    "of a user's label does not enqueue the Service": [plain, meta(plain, { labels: { a: 'b' } }), false],
    'to more labels than the cache keeps enqueues the Service': [plain, meta(plain, { labels: MANY_LABELS }), true],
    'from more labels than the cache keeps enqueues the Service': [meta(plain, { labels: MANY_LABELS }), plain, true],
    'of the resource version alone does not enqueue the Service': [
      managed,
      meta(managed, { resourceVersion: '2' }),
      false,
    ],
    'that removes our finalizer enqueues the Service': [managed, meta(managed, { finalizers: [] }), true],
    'that restores our finalizer on a Service without a load balancer enqueues the Service': [
      clusterIp,
      meta(clusterIp, { finalizers: [FINALIZER] }),
      true,
    ],
    'that adds our finalizer does not enqueue the Service': [meta(managed, { finalizers: [] }), managed, false],
    'that removes our label does not enqueue the Service': [managed, meta(managed, { labels: {} }), false],
    'that forges our label enqueues the Service': [managed, meta(managed, { labels: { [ID]: 'lb-2' } }), true],
    'of a label that only pre-release builds wrote does not enqueue the Service': [
      managed,
      meta(managed, { labels: { [ID]: 'lb-1', 'portcullis.io/dirty': 'leaving' } }),
      false,
    ],
    'that overwrites the address enqueues the Service': [
      withAddress(managed, '47.0.0.1'),
      withAddress(managed, '10.0.0.1'),
      true,
    ],
    "that adds the API server's defaults to the address does not enqueue the Service": [
      withAddress(managed, '47.0.0.1'),
      { ...managed, status: { loadBalancer: { ingress: [{ ip: '47.0.0.1', ipMode: 'VIP' }] } } },
      false,
    ],
    'to another Service with the same name enqueues the Service': [plain, meta(plain, { uid: 'other' }), true],
    'that deletes the Service enqueues the Service, to drop its state': [plain, undefined, true],
  };
  for (const [title, [before, after, needsReconcile, reason]] of Object.entries(cases)) {
    it(title, () => {
      const change = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
      assert.deepEqual(onService(change), { needsReconcile, ...(reason === undefined ? {} : { reason }) });
    });
  }
});

describe('a change of another object', () => {
  const reusing = aService({ name: 'reusing', uid: 'r', annotations: { [annotation('id')]: 'lb-1' } });
  const services = watchedDouble<Service>(
    [plain, reusing, aService({ name: 'inner', uid: 'i', type: 'ClusterIP' })],
    REUSE_INDEX,
  );
  const both = ['shop/web', 'shop/reusing'];

  it('enqueues the Service of an EndpointSlice', () => {
    const before = aSlice(plain, ['n1']);
    assert.deepEqual(onEndpointSlice({ before, after: aSlice(plain, ['n2']) }, { services }), ['shop/web']);
    assert.deepEqual(onEndpointSlice({ before }, { services }), ['shop/web']);
    assert.deepEqual(
      onEndpointSlice(
        { before, after: { ...before, metadata: { ...before.metadata, resourceVersion: '9' } } },
        { services },
      ),
      [],
    );
  });

  it('enqueues no Service for an EndpointSlice of a Service without a load balancer', () => {
    const inner = aService({ name: 'inner', type: 'ClusterIP' });
    assert.deepEqual(onEndpointSlice({ after: aSlice(inner, ['n1']) }, { services }), []);
  });

  const heartbeat = (time: string): Node => {
    const node = aNode('a');
    const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: `2026-01-01T${time}Z` };
    return { ...node, metadata: { ...node.metadata, resourceVersion: time }, status: { conditions: [ready] } };
  };
  const nodes: Record<string, [before: Node | undefined, after: Node | undefined, keys: string[]]> = {
    'enqueues all Services for a new Node': [undefined, aNode('a'), both],
    'enqueues all Services for a deleted Node': [aNode('a'), undefined, both],
    'enqueues all Services for the readiness of a Node': [aNode('a'), aNode('a', { ready: 'Unknown' }), both],
    'enqueues all Services for the labels of a Node': [aNode('a'), aNode('a', { labels: { pool: 'x' } }), both],
    'enqueues all Services for the provider ID of a Node': [aNode('a', { spec: { providerID: '' } }), aNode('a'), both],
    'enqueues no Service for a heartbeat of a Node': [heartbeat('00:00:00'), heartbeat('00:00:10'), []],
  };
  for (const [title, [before, after, keys]] of Object.entries(nodes)) {
    it(title, () => {
      const change = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
      assert.deepEqual(onNode(change, { services }, { backendType: 'ecs' }), keys);
    });
  }

  it('enqueues the Services that name a changed load balancer', () => {
    assert.deepEqual(onClassicLoadBalancer({ after: aClb('lb-1') }, { services }), ['shop/reusing']);
    assert.deepEqual(onClassicLoadBalancer({ after: aClb('lb-2') }, { services }), []);
    assert.deepEqual(onClassicLoadBalancer({ before: aClb('lb-1'), after: aClb('lb-1') }, { services }), []);
  });
});

describe('a load balancer that is deleted or gets another owner', () => {
  const recorded = (name: string, id: string, change: object = {}) =>
    meta(aService({ name, annotations: name === 'naming' ? { [annotation('id')]: id } : {} }), {
      labels: { [ID]: id },
      ...change,
    });
  /** A Service whose binding names another load balancer than its label. */
  const RECORDS: Readonly<Record<string, BindingRecord>> = {
    forged: { loadBalancer: { id: 'lb-4', use: 'owned' } },
  };
  const bindings: BindingReader = { recordOf: ({ metadata }) => RECORDS[metadata.name] ?? NO_RECORD };
  const services = watchedDouble(
    [
      recorded('naming', 'lb-1'),
      recorded('owner', 'lb-2'),
      recorded('elsewhere', 'lb-9'),
      recorded('going', 'lb-3', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      recorded('forged', 'lb-5'),
    ],
    REUSE_INDEX,
  );
  const madeFor = (id: string, service: string) => {
    const clb = aClb(id);
    return { ...clb, ...(clb.status === undefined ? {} : { status: { ...clb.status, service } }) };
  };
  const lost = (id: string, service: string) => onOwnerChange({ before: madeFor(id, service) }, { services }, bindings);

  it('enqueues the Services that it served', () => {
    assert.deepEqual(lost('lb-1', ''), ['shop/naming']);
    assert.deepEqual(lost('lb-2', 'shop/owner'), ['shop/owner']);
  });

  it('enqueues the Services with a binding that names it, whatever their labels are', () => {
    assert.deepEqual(lost('lb-4', 'shop/forged'), ['shop/forged']);
    assert.deepEqual(lost('lb-5', 'shop/forged'), []);
  });

  it('enqueues no Service that has another load balancer or is deleted', () => {
    assert.deepEqual(lost('lb-2', 'shop/elsewhere'), []);
    assert.deepEqual(lost('lb-3', 'shop/going'), []);
  });

  it('enqueues no Service while its owner stays the same or is first observed', () => {
    const [before, named] = [madeFor('lb-2', 'shop/owner'), aClb('lb-1')];
    const after = aClb('lb-1', { listeners: [{ port: 80, protocol: 'tcp' }] });
    assert.deepEqual(onOwnerChange({ before: named, after }, { services }, bindings), []);
    assert.deepEqual(onOwnerChange({ after: before }, { services }, bindings), []);
    assert.deepEqual(
      onOwnerChange({ before: { metadata: before.metadata }, after: before }, { services }, bindings),
      [],
    );
  });

  it('enqueues the bound Service if the owner tag is removed, and if it is restored', () => {
    const [tagged, untagged] = [madeFor('lb-2', 'shop/owner'), madeFor('lb-2', '')];
    assert.deepEqual(onOwnerChange({ before: tagged, after: untagged }, { services }, bindings), ['shop/owner']);
    assert.deepEqual(onOwnerChange({ before: untagged, after: tagged }, { services }, bindings), ['shop/owner']);
  });

  it('enqueues the Services that name it if it gets another owner', () => {
    const [before, named] = [madeFor('lb-1', ''), aClb('lb-1', { owner: 'other-cluster' })];
    assert.deepEqual(onOwnerChange({ before, after: named }, { services }, bindings), ['shop/naming']);
  });
});

describe('a new Node', () => {
  const ENI = 'service.beta.kubernetes.io/backend-type';
  const named = (name: string, annotations: Record<string, string>) => aService({ name, annotations });
  const services = watchedDouble([named('pods', { [ENI]: 'eni' }), named('nodes', { [ENI]: 'ecs' }), named('any', {})]);
  const woken = (backendType: 'ecs' | 'eni') => onNode({ after: aNode('n') }, { services }, { backendType });

  it('enqueues no Service with pods as backends', () => {
    assert.deepEqual(woken('ecs'), ['shop/nodes', 'shop/any']);
    assert.deepEqual(woken('eni'), ['shop/nodes']);
  });
});

describe('a change of a pod', () => {
  const GATE = 'service.readiness.alibabacloud.com/web';
  const aPod = (containersReady: string, gate = GATE, gateStatus?: string): Pod => ({
    metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: containersReady + (gateStatus ?? '') },
    spec: { containers: [], readinessGates: [{ conditionType: gate }] },
    status: {
      conditions: [
        { type: 'ContainersReady', status: containersReady },
        ...(gateStatus === undefined ? [] : [{ type: gate, status: gateStatus }]),
      ],
    },
  });
  const services = watchedDouble([plain, aService({ name: 'inner', type: 'ClusterIP' })], REUSE_INDEX);
  const woken: Record<string, [before: Pod | undefined, after: Pod | undefined, keys: readonly string[]]> = {
    'with a readiness gate enqueues its Service': [undefined, aPod('False'), ['shop/web']],
    'to ready containers enqueues its Service': [aPod('False'), aPod('True'), ['shop/web']],
    'in irrelevant fields enqueues no Service': [
      aPod('True'),
      { ...aPod('True'), metadata: { ...aPod('True').metadata, labels: { a: 'b' } } },
      [],
    ],
    'that deletes the pod enqueues no Service': [aPod('True'), undefined, []],
    'with the readiness gate of a Service without a load balancer enqueues no Service': [
      undefined,
      aPod('True', 'service.readiness.alibabacloud.com/inner'),
      [],
    ],
    'with the readiness gate of a missing Service enqueues no Service': [
      undefined,
      aPod('True', 'service.readiness.alibabacloud.com/none'),
      [],
    ],
    'that removes our condition enqueues its Service': [aPod('True', GATE, 'True'), aPod('True'), ['shop/web']],
  };
  for (const [title, [before, after, keys]] of Object.entries(woken)) {
    it(title, () => {
      const change = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
      assert.deepEqual(onPod(change, { services }), keys);
    });
  }
});
